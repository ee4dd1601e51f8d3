"""The application layer: one function for each thing a user can do.

A use case takes plain values, publishes or reads, returns a frozen result and raises errors with
codes (`infra/platform/errors.py`). It prints nothing and knows no terminal, request or tool call;
the command line, HTTP and MCP parse, call one use case and render.

The imports below are for type checkers. At run time a module is loaded when one of its names is
first used, so that a short command does not wait for all of them.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infra.platform.settings import Settings as Settings
    from infra.service.access.sessions import create_console_link as create_console_link
    from infra.service.access.tokens import ensure_owner_token as ensure_owner_token
    from infra.service.asking.agent_tools import AgentTool as AgentTool
    from infra.service.asking.agent_tools import list_agent_tools as list_agent_tools
    from infra.service.asking.agent_turns import TurnCheckpoint as TurnCheckpoint
    from infra.service.asking.agent_turns import replay_turn as replay_turn
    from infra.service.asking.agents import BegunTurn as BegunTurn
    from infra.service.asking.agents import ChatRequest as ChatRequest
    from infra.service.asking.agents import ConfirmationAnswer as ConfirmationAnswer
    from infra.service.asking.agents import TurnFrame as TurnFrame
    from infra.service.asking.agents import answer_confirmation as answer_confirmation
    from infra.service.asking.agents import begin_turn as begin_turn
    from infra.service.asking.agents import describe_agent_graph as describe_agent_graph
    from infra.service.asking.agents import follow_turn as follow_turn
    from infra.service.connecting.connectors import AddedConnector as AddedConnector
    from infra.service.connecting.connectors import ConnectorCheck as ConnectorCheck
    from infra.service.connecting.connectors import ConnectorSpec as ConnectorSpec
    from infra.service.connecting.connectors import MissingPermission as MissingPermission
    from infra.service.connecting.connectors import StreamResult as StreamResult
    from infra.service.connecting.connectors import StreamStatus as StreamStatus
    from infra.service.connecting.connectors import add_connector as add_connector
    from infra.service.connecting.connectors import check_connectors as check_connectors
    from infra.service.connecting.connectors import define_connector as define_connector
    from infra.service.connecting.connectors import list_streams as list_streams
    from infra.service.connecting.connectors import reconcile_connectors as reconcile_connectors
    from infra.service.connecting.connectors import remove_connectors as remove_connectors
    from infra.service.connecting.connectors import sync_connectors as sync_connectors
    from infra.service.connecting.intake import run_intake as run_intake
    from infra.service.connecting.polling import run_poller as run_poller
    from infra.service.deciding.decisions import Decider as Decider
    from infra.service.deciding.decisions import Decision as Decision
    from infra.service.deciding.decisions import Resolution as Resolution
    from infra.service.deciding.decisions import answer_proposal as answer_proposal
    from infra.service.deciding.decisions import dismiss_atom as dismiss_atom
    from infra.service.deciding.decisions import dismiss_contradiction as dismiss_contradiction
    from infra.service.deciding.decisions import escalate_contradiction as escalate_contradiction
    from infra.service.deciding.decisions import reinclude_atom as reinclude_atom
    from infra.service.deciding.decisions import resolve_contradiction as resolve_contradiction
    from infra.service.deciding.decisions import review_merge as review_merge
    from infra.service.deciding.decisions import undo_decision as undo_decision
    from infra.service.deciding.decisions import undo_merge as undo_merge
    from infra.service.deciding.decisions import unverify_atom as unverify_atom
    from infra.service.deciding.decisions import verify_atom as verify_atom
    from infra.service.foundation.installation import connect as connect
    from infra.service.foundation.progress import Note as Note
    from infra.service.foundation.publishing import draw_key as draw_key
    from infra.service.foundation.setup import find_vault_problems as find_vault_problems
    from infra.service.foundation.setup import prepare_servers as prepare_servers
    from infra.service.ingesting.handed_documents import HANDED as HANDED
    from infra.service.ingesting.handed_documents import HandedDocument as HandedDocument
    from infra.service.ingesting.imports import Imported as Imported
    from infra.service.ingesting.imports import JiraExport as JiraExport
    from infra.service.ingesting.imports import SlackZip as SlackZip
    from infra.service.ingesting.imports import import_export as import_export
    from infra.service.ingesting.ingestion import IngestRequest as IngestRequest
    from infra.service.ingesting.ingestion import MilestoneReached as MilestoneReached
    from infra.service.ingesting.ingestion import SourceIngested as SourceIngested
    from infra.service.ingesting.ingestion import SourceListed as SourceListed
    from infra.service.ingesting.ingestion import SourceProgress as SourceProgress
    from infra.service.ingesting.ingestion import check_limits as check_limits
    from infra.service.ingesting.ingestion import ingest as ingest
    from infra.service.ingesting.runs import AcceptedRemovals as AcceptedRemovals
    from infra.service.ingesting.runs import accept_removals as accept_removals
    from infra.service.ingesting.runs import cancel_run as cancel_run
    from infra.service.ingesting.runs import resume_run as resume_run
    from infra.service.jobs.jobs import EnqueuedJob as EnqueuedJob
    from infra.service.jobs.jobs import JobRequest as JobRequest
    from infra.service.jobs.jobs import cancel_job as cancel_job
    from infra.service.jobs.jobs import enqueue_job as enqueue_job
    from infra.service.jobs.jobs import list_jobs as list_jobs
    from infra.service.jobs.jobs import read_job as read_job
    from infra.service.jobs.jobs import read_job_history as read_job_history
    from infra.service.jobs.jobs import retry_job as retry_job
    from infra.service.jobs.jobs import run_jobs as run_jobs
    from infra.service.jobs.schedule_starts import start_schedule as start_schedule
    from infra.service.jobs.schedules import ProjectSettings as ProjectSettings
    from infra.service.jobs.schedules import QuietHours as QuietHours
    from infra.service.jobs.schedules import ScheduledWork as ScheduledWork
    from infra.service.jobs.schedules import WorkChange as WorkChange
    from infra.service.jobs.schedules import WorkRequest as WorkRequest
    from infra.service.jobs.schedules import list_schedules as list_schedules
    from infra.service.jobs.schedules import read_project_settings as read_project_settings
    from infra.service.jobs.schedules import read_schedule as read_schedule
    from infra.service.jobs.schedules import remove_schedule as remove_schedule
    from infra.service.jobs.schedules import schedule_work as schedule_work
    from infra.service.jobs.schedules import set_project_settings as set_project_settings
    from infra.service.jobs.schedules import update_schedule as update_schedule
    from infra.service.models.costs import BudgetSpec as BudgetSpec
    from infra.service.models.costs import BudgetState as BudgetState
    from infra.service.models.costs import read_budgets as read_budgets
    from infra.service.models.costs import read_call as read_call
    from infra.service.models.costs import read_costs as read_costs
    from infra.service.models.costs import set_budget as set_budget
    from infra.service.models.entries import ProviderSpec as ProviderSpec
    from infra.service.models.models import ProviderState as ProviderState
    from infra.service.models.models import list_models as list_models
    from infra.service.models.setup import Trial as Trial
    from infra.service.models.setup import add_provider as add_provider
    from infra.service.models.setup import remove_provider as remove_provider
    from infra.service.models.setup import try_provider as try_provider
    from infra.service.notifying.outgoing_webhooks import Delivery as Delivery
    from infra.service.notifying.outgoing_webhooks import NewWebhook as NewWebhook
    from infra.service.notifying.outgoing_webhooks import Webhook as Webhook
    from infra.service.notifying.outgoing_webhooks import WebhookChange as WebhookChange
    from infra.service.notifying.outgoing_webhooks import WebhookSpec as WebhookSpec
    from infra.service.notifying.outgoing_webhooks import add_webhook as add_webhook
    from infra.service.notifying.outgoing_webhooks import change_webhook as change_webhook
    from infra.service.notifying.outgoing_webhooks import list_deliveries as list_deliveries
    from infra.service.notifying.outgoing_webhooks import list_webhooks as list_webhooks
    from infra.service.notifying.outgoing_webhooks import read_webhook as read_webhook
    from infra.service.notifying.outgoing_webhooks import remove_webhook as remove_webhook
    from infra.service.notifying.outgoing_webhooks import replay_delivery as replay_delivery
    from infra.service.notifying.outgoing_webhooks import (
        rotate_webhook_secret as rotate_webhook_secret,
    )
    from infra.service.notifying.outgoing_webhooks import send_test_message as send_test_message
    from infra.service.planning.assignments import suggest_assignments as suggest_assignments
    from infra.service.planning.planning import request_report as request_report
    from infra.service.planning.section_edits import PrdEdit as PrdEdit
    from infra.service.planning.section_edits import edit_prd_section as edit_prd_section
    from infra.service.planning.team import Member as Member
    from infra.service.planning.team import MemberChange as MemberChange
    from infra.service.planning.team import add_member as add_member
    from infra.service.planning.team import list_members as list_members
    from infra.service.planning.team import remove_member as remove_member
    from infra.service.planning.team import set_plan as set_plan
    from infra.service.planning.team import update_member as update_member
    from infra.service.projects.onboarding import StartedPipeline as StartedPipeline
    from infra.service.projects.onboarding import accept_onboarding as accept_onboarding
    from infra.service.projects.onboarding import cancel_onboarding as cancel_onboarding
    from infra.service.projects.onboarding import list_onboarding as list_onboarding
    from infra.service.projects.onboarding import read_onboarding as read_onboarding
    from infra.service.projects.onboarding import read_onboarding_events as read_onboarding_events
    from infra.service.projects.onboarding import resume_onboarding as resume_onboarding
    from infra.service.projects.onboarding import skip_onboarding_stage as skip_onboarding_stage
    from infra.service.projects.onboarding import start_onboarding as start_onboarding
    from infra.service.projects.projects import Project as Project
    from infra.service.projects.projects import create_project as create_project
    from infra.service.projects.projects import delete_project as delete_project
    from infra.service.projects.projects import rename_project as rename_project
    from infra.service.reading.explaining import Explanation as Explanation
    from infra.service.reading.explaining import explain_source as explain_source
    from infra.service.reading.exporting import read_export as read_export
    from infra.service.reading.ledger_reader import LedgerReader as LedgerReader
    from infra.service.reading.ledger_reader import open_ledger_reader as open_ledger_reader
    from infra.service.reading.reads import View as View
    from infra.service.reading.reads import list_atoms as list_atoms
    from infra.service.reading.reads import list_contradiction_pairs as list_contradiction_pairs
    from infra.service.reading.reads import list_contradictions as list_contradictions
    from infra.service.reading.reads import list_decisions as list_decisions
    from infra.service.reading.reads import list_deltas as list_deltas
    from infra.service.reading.reads import list_merges as list_merges
    from infra.service.reading.reads import list_near_copies as list_near_copies
    from infra.service.reading.reads import list_next_batches as list_next_batches
    from infra.service.reading.reads import list_past_atoms as list_past_atoms
    from infra.service.reading.reads import list_past_contradictions as list_past_contradictions
    from infra.service.reading.reads import list_phases as list_phases
    from infra.service.reading.reads import list_projects as list_projects
    from infra.service.reading.reads import list_proposals as list_proposals
    from infra.service.reading.reads import list_reasons as list_reasons
    from infra.service.reading.reads import list_rejections as list_rejections
    from infra.service.reading.reads import list_runs as list_runs
    from infra.service.reading.reads import list_sources as list_sources
    from infra.service.reading.reads import list_waiting as list_waiting
    from infra.service.reading.reads import read_coverage as read_coverage
    from infra.service.reading.reads import read_names as read_names
    from infra.service.reading.reads import read_past_coverage as read_past_coverage
    from infra.service.reading.reads import read_past_prd as read_past_prd
    from infra.service.reading.reads import read_prd as read_prd
    from infra.service.reading.reads import read_run_report as read_run_report
    from infra.service.reading.reads import read_view as read_view
    from infra.service.reading.reads import search_ledger as search_ledger
    from infra.service.reading.reads import trace as trace
    from infra.service.reading.touching import find_touched as find_touched
    from infra.service.upkeep.address import choose_address as choose_address
    from infra.service.upkeep.address import read_address as read_address
    from infra.service.upkeep.audit import REPLAY_SCHEMA as REPLAY_SCHEMA
    from infra.service.upkeep.audit import ReplayedLedger as ReplayedLedger
    from infra.service.upkeep.audit import hash_tables as hash_tables
    from infra.service.upkeep.audit import rebuild_tables as rebuild_tables
    from infra.service.upkeep.audit import replay_ledger as replay_ledger
    from infra.service.upkeep.audit import verify_log as verify_log
    from infra.service.upkeep.cluster_check import Remark as Remark
    from infra.service.upkeep.cluster_check import check_cluster as check_cluster
    from infra.service.upkeep.dead_letters import RetriedLetter as RetriedLetter
    from infra.service.upkeep.dead_letters import list_dead_letters as list_dead_letters
    from infra.service.upkeep.dead_letters import retry_dead_letter as retry_dead_letter
    from infra.service.upkeep.lost_database import describe_loss as describe_loss
    from infra.service.upkeep.rights import PARTS as PARTS
    from infra.service.upkeep.rights import as_command as as_command
    from infra.service.upkeep.rights import rights_of as rights_of
    from infra.service.upkeep.status import InstallationStatus as InstallationStatus
    from infra.service.upkeep.status import read_status as read_status
    from infra.service.writing.quality import GateRequest as GateRequest
    from infra.service.writing.quality import QualityGraph as QualityGraph
    from infra.service.writing.quality import describe_quality_graph as describe_quality_graph
    from infra.service.writing.quality import list_quality_runs as list_quality_runs
    from infra.service.writing.quality import read_quality_run as read_quality_run
    from infra.service.writing.quality import run_quality as run_quality


def __getattr__(name: str) -> Any:
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


@cache
def _modules() -> dict[str, str]:
    """Where each name comes from: the imports above, read as text."""
    imports = (
        node
        for node in ast.walk(ast.parse(Path(__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("infra.")
    )
    return {alias.name: str(node.module) for node in imports for alias in node.names}
