"""The typed questions that the HTTP API asks the tables; each takes a connection first."""

from __future__ import annotations

from infra.service.reading.reads import View, view
from projections.read.agents import Conversation
from projections.read.agents import conversations as list_conversations
from projections.read.artifact_list import (
    ArtifactSummary,
    ArtifactVersion,
    CitingStatement,
    WholeArtifact,
    WholeVersion,
    find_artifacts,
    list_artifacts,
    list_versions,
    whole_artifact,
    whole_version,
)
from projections.read.artifact_list import citing_statements as list_citing
from projections.read.artifacts import (
    CitingSection,
    Edit,
    PlanTask,
    SpeculativeArtifact,
    plan_tasks,
)
from projections.read.artifacts import Item as ReportItem
from projections.read.artifacts import items as list_items
from projections.read.artifacts import speculative as list_speculative
from projections.read.atom_detail import Link, WholeAtom, atom_at, whole_atom
from projections.read.atom_detail import links as list_links
from projections.read.atom_neighbours import Neighbours
from projections.read.atom_neighbours import neighbours as atom_neighbours
from projections.read.atoms import Atom, Order, PastAtom, Quote
from projections.read.atoms import atoms as list_atoms
from projections.read.batches import Batch, RunBatch, last_batches, list_batches, read_batch
from projections.read.belonging import Belonging, check_belongs, find_belonging
from projections.read.burndown import Burndown, BurndownDay
from projections.read.burndown import burndown as read_burndown
from projections.read.changes import LARGEST_WINDOW, WINDOW, Changes, changes_page, changes_since
from projections.read.changes import ChangedAtom as ChangedAtom
from projections.read.changes import DecidedThing as DecidedThing
from projections.read.changes import Dispute as Dispute
from projections.read.changes import WrittenVersion as WrittenVersion
from projections.read.chunks import Chunk, WholeChunk, list_chunks, whole_chunk
from projections.read.contradictions import Card, Contradiction
from projections.read.contradictions import cards as list_cards
from projections.read.contradictions import contradictions as list_contradictions
from projections.read.contradictions import undecided_of as list_undecided_of
from projections.read.copies import NearCopy
from projections.read.copies import near_copies as list_near_copies
from projections.read.costs import costs as read_costs
from projections.read.costs import whole_call
from projections.read.coverage import Coverage
from projections.read.coverage import coverage as read_coverage
from projections.read.dead_letters import DeadLetter
from projections.read.dead_letters import dead_letter as find_dead_letter
from projections.read.dead_letters import dead_letters as list_dead_letters
from projections.read.decided import DecisionAnswer
from projections.read.decision_list import decisions as list_decisions
from projections.read.decisions import Reason
from projections.read.deltas import Delta, DeltaReport
from projections.read.deltas import delta_report as read_report
from projections.read.deltas import deltas as list_deltas
from projections.read.jobs import Job
from projections.read.jobs import Transition as JobTransition
from projections.read.jobs import job as read_job
from projections.read.jobs import jobs as list_jobs
from projections.read.jobs import transitions as list_job_history
from projections.read.ledger_position import LedgerPosition, ledger_position, position_at
from projections.read.lineage import Node, trace
from projections.read.loops import GenerationLoop
from projections.read.loops import loops as list_loops
from projections.read.merges import Merge
from projections.read.merges import merges as list_merges
from projections.read.moments import committed_batches, compare_ledgers, snap_to_batch
from projections.read.onboarding import PipelineEvent
from projections.read.onboarding import events as list_pipeline_events
from projections.read.onboarding import pipeline as read_pipeline
from projections.read.onboarding import pipelines as list_pipelines
from projections.read.page import LARGEST_PAGE, PAGE, Page
from projections.read.past import PastContradiction
from projections.read.past import atoms_at as list_atoms_at
from projections.read.past import contradictions_at as list_contradictions_at
from projections.read.past import coverage_at as read_coverage_at
from projections.read.past import version_at as read_version_at
from projections.read.past_coverage import PastCoverage
from projections.read.pipeline import count_pipeline
from projections.read.positions import next_offsets
from projections.read.progress import TriggerProgress, trigger_progress
from projections.read.projects import NamedProject, Project, project_ids
from projections.read.projects import project_names as list_project_names
from projections.read.projects import projects as list_projects
from projections.read.proposals import Proposal
from projections.read.proposals import proposal as read_proposal
from projections.read.proposals import proposals as list_proposals
from projections.read.quality import QualityRunEvent, QualityRunRow, removed_by_gate
from projections.read.quality import runs as list_quality_runs
from projections.read.rebalances import Rebalance, list_rebalances, read_rebalance
from projections.read.rejections import Rejection
from projections.read.rejections import rejections as list_rejections
from projections.read.runs import Phase, Run
from projections.read.runs import phases as list_phases
from projections.read.runs import runs as list_runs
from projections.read.schedules import ProjectSettings, ScheduledWork
from projections.read.schedules import project_settings as read_project_settings
from projections.read.schedules import scheduled_work as list_schedules
from projections.read.schedules import work_item as read_schedule
from projections.read.search import Answer, Filters, Hit, HitQuote, search_ledger
from projections.read.source_detail import WholeSource, whole_source
from projections.read.source_list import SourceState
from projections.read.source_list import source_states as list_sources
from projections.read.summary import working_summary
from projections.read.team import Member, PlanSettings
from projections.read.team import members as list_members
from projections.read.team import plan_settings as read_plan
from projections.read.throughput import throughput
from projections.read.waiting import Waiting, count_waiting
from projections.read.waiting import queue as list_waiting

__all__ = [
    "Conversation",
    "list_conversations",
    "Burndown",
    "BurndownDay",
    "Chunk",
    "RunBatch",
    "WholeChunk",
    "list_batches",
    "list_chunks",
    "next_offsets",
    "read_burndown",
    "read_costs",
    "whole_call",
    "whole_chunk",
    "working_summary",
    "Belonging",
    "CitingSection",
    "Contradiction",
    "Delta",
    "NearCopy",
    "Phase",
    "Reason",
    "View",
    "find_belonging",
    "list_contradictions",
    "list_deltas",
    "list_near_copies",
    "list_phases",
    "view",
    "Edit",
    "Job",
    "JobTransition",
    "Member",
    "PipelineEvent",
    "PlanSettings",
    "ProjectSettings",
    "ScheduledWork",
    "list_schedules",
    "read_project_settings",
    "read_schedule",
    "QualityRunEvent",
    "QualityRunRow",
    "Rebalance",
    "ReportItem",
    "list_job_history",
    "list_jobs",
    "list_members",
    "list_pipeline_events",
    "list_pipelines",
    "list_quality_runs",
    "removed_by_gate",
    "read_job",
    "read_pipeline",
    "read_plan",
    "read_rebalance",
    "LARGEST_WINDOW",
    "LedgerPosition",
    "WINDOW",
    "Changes",
    "changes_page",
    "changes_since",
    "Answer",
    "ArtifactSummary",
    "ArtifactVersion",
    "Atom",
    "Batch",
    "CitingStatement",
    "Card",
    "Coverage",
    "DeadLetter",
    "DecisionAnswer",
    "DeltaReport",
    "Filters",
    "Hit",
    "HitQuote",
    "GenerationLoop",
    "LARGEST_PAGE",
    "Link",
    "Merge",
    "NamedProject",
    "Node",
    "Order",
    "PAGE",
    "Page",
    "PastAtom",
    "PastContradiction",
    "Project",
    "Quote",
    "Rejection",
    "Run",
    "SourceState",
    "SpeculativeArtifact",
    "TriggerProgress",
    "Waiting",
    "WholeArtifact",
    "WholeAtom",
    "WholeSource",
    "WholeVersion",
    "check_belongs",
    "PastCoverage",
    "Neighbours",
    "atom_at",
    "atom_neighbours",
    "committed_batches",
    "compare_ledgers",
    "position_at",
    "read_coverage_at",
    "snap_to_batch",
    "count_pipeline",
    "count_waiting",
    "find_artifacts",
    "find_dead_letter",
    "PlanTask",
    "plan_tasks",
    "list_items",
    "last_batches",
    "read_batch",
    "ledger_position",
    "list_artifacts",
    "list_atoms",
    "list_atoms_at",
    "list_cards",
    "list_citing",
    "list_contradictions_at",
    "list_dead_letters",
    "list_rebalances",
    "list_decisions",
    "Proposal",
    "list_proposals",
    "read_proposal",
    "list_links",
    "list_loops",
    "list_merges",
    "list_project_names",
    "list_projects",
    "list_rejections",
    "list_runs",
    "list_sources",
    "list_speculative",
    "list_undecided_of",
    "list_versions",
    "list_waiting",
    "project_ids",
    "read_coverage",
    "read_report",
    "read_version_at",
    "search_ledger",
    "throughput",
    "trace",
    "trigger_progress",
    "whole_artifact",
    "whole_atom",
    "whole_source",
    "whole_version",
]
