"""The tables of the read model as one list: key, how a repeat of a row merges, what is operational.

Columns and types stand in the migrations alone; the writer takes them from the rows it is given.
Writer, checksums and rebuild read this list, so a new table is a migration, an entry here and a
fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# What becomes of a column when a row with the same key comes again: its new value, or ...
Merge = Literal["first", "min", "strongest"]
OPERATIONAL = "updated_from_event_id"

# Who wrote a column last may depend on how topics interleave; clocks and cost differ between runs.
COMMITTED_BATCHES = (
    "NOT EXISTS (SELECT 1 FROM ingestion_batches b WHERE b.run_id = ledger_rejections.run_id"
    " AND b.batch_no = ledger_rejections.batch_no AND b.withdrawn)"
)
LATEST_VERSION = (
    "version = (SELECT a.version FROM artifacts a"
    " WHERE a.artifact_id = artifact_citations.artifact_id)"
)

# Older rows may have been forgotten: `CAIRN_HTTP_AUDIT_DAYS` is 30 at least. A day's grace, since
# the outcome of a write is younger than the write.
KEPT_AUDIT = "at > date_trunc('day', now()) - interval '29 days'"


@dataclass(frozen=True, slots=True)
class Table:
    """One table that is a fold of topics.

    ``operational``: columns left out of checksums. ``merge``: columns that do not simply take the
    new value. ``compared`` False: the table as a whole is operational. ``condition`` narrows a
    checksum to the rows that two equal installations must share. ``append_only``: the database
    refuses to change a row; one whose key is there already is left alone. ``forgets``: rows that do
    not meet the condition may be gone, so a rebuild does not compare them.
    """

    name: str
    key: tuple[str, ...]
    operational: frozenset[str] = frozenset()
    merge: Mapping[str, Merge] = field(default_factory=dict, hash=False)
    compared: bool = True
    condition: str = "true"
    append_only: bool = False
    forgets: bool = False

    @property
    def left_out(self) -> frozenset[str]:
        return self.operational | {OPERATIONAL}


def _table(
    name: str,
    *key: str,
    operational: str = "",
    merge: Mapping[str, Merge] | None = None,
    compared: bool = True,
    condition: str = "true",
    append_only: bool = False,
    forgets: bool = False,
) -> Table:
    left_out = frozenset(operational.split())
    return Table(name, key, left_out, merge or {}, compared, condition, append_only, forgets)


def _audit_table(name: str) -> Table:
    return _table(
        name, "audit_id", compared=False, condition=KEPT_AUDIT, append_only=True, forgets=True
    )


TABLES: tuple[Table, ...] = (
    _table("event_places", "event_id", compared=False),
    _table("log_heads", "project_id", "log", compared=False),
    _table("projects", "project_id", operational="created_at"),
    _table("deleted_projects", "project_id", operational="deleted_at"),
    _table("sources", "source_id", operational="revised_at updated_at removed_at"),
    _table("source_revisions", "source_id", "revision_seq", operational="sanitized_at"),
    _table("source_texts", "source_id", "sanitized_hash", "part_index"),
    _table("document_descriptions", "source_id"),
    _table("redaction_findings", "source_id", "sanitized_hash", "redaction_id"),
    _table("chunks", "chunk_id", merge={"read_outcome": "strongest"}),
    _table("chunk_annotations", "annotation_id", "chunk_id"),
    _table("passages", "passage_id"),
    _table("ingestion_triggers", "project_id", "trigger_key", compared=False),
    _table("trigger_listings", "project_id", "trigger_key", "part_index", compared=False),
    _table("listing_notices", "project_id", "root", "path", "code", compared=False),
    _table("trigger_sources", "project_id", "trigger_key", "source_id", compared=False),
    _table(
        "trigger_stamps",
        *("project_id", "trigger_key"),
        merge={"first_source_at": "min"},
        compared=False,
    ),
    _table(
        "ingestion_runs",
        "run_id",
        operational="cost_usd started_at finished_at batch_count withdrawn_batches source_changes",
    ),
    _table("run_stamps", "run_id", merge={"first_atom_at": "min"}, compared=False),
    _table(
        "ingestion_batches",
        *("run_id", "batch_no"),
        operational="committed_at",
        condition="NOT withdrawn",
    ),
    _table("deep_dives", "contradiction_id", "updated_seq", "run_id"),
    _table("run_requests", "run_id", "kind", "request_key", compared=False),
    _table(
        "ledger_change_sets",
        *("project_id", "ledger_seq"),
        operational="prev_hash cost_usd occurred_at recorded_at",
    ),
    _table(
        "ledger_atoms",
        "atom_id",
        # Its worth and names follow from the other columns.
        operational="first_seen_at last_seen_at verified_at resolution worth names",
    ),
    _table("ledger_atom_history", "atom_id", "ledger_seq", operational="record worth"),
    _table("ledger_evidence", "evidence_id"),
    _table("ledger_atom_entities", "atom_id", "entity_atom_id", "mention"),
    _table("ledger_links", "link_id"),
    _table("ledger_merge_ops", "merge_op_id", operational="occurred_at"),
    _table("ledger_merge_candidates", "merge_candidate_id", operational="decided_at"),
    _table("ledger_contradictions", "contradiction_id", operational="decided_at"),
    _table("ledger_document_roles", "source_id", operational="decided_at"),
    _table(
        "ledger_contradiction_history",
        *("contradiction_id", "ledger_seq"),
        operational="record",
    ),
    _table(
        "ledger_hitl_events",
        "hitl_event_id",
        operational="before_state after_state occurred_at",
        append_only=True,
    ),
    _table("ledger_rejections", "run_id", "candidate_id", condition=COMMITTED_BATCHES),
    _table("project_working_summary", "project_id"),
    _table("team_members", "member_id"),
    _table("team_plans", "project_id"),
    _table("rebalance_proposals", "rebalance_id", operational="proposed_at"),
    _table("project_settings", "project_id"),
    _table("scheduled_work", "work_item_id", compared=False),
    _table("heartbeats", "project_id", compared=False),
    _table("webhooks", "webhook_id", compared=False),
    _table("webhook_messages", "message_id", compared=False),
    _table("webhook_outcomes", "delivery_id", "round", compared=False),
    _audit_table("api_audit"),
    _audit_table("api_audit_outcomes"),
    _table("artifact_positions", "project_id", "artifact_seq", compared=False),
    _table(
        "artifacts",
        "artifact_id",
        operational=(
            "version lane run_id input_ledger_seq state_before plan quality_run_id created_at"
            " updated_at"
        ),
        merge={"created_at": "min"},
    ),
    _table("artifact_versions", "artifact_id", "version", compared=False),
    _table("artifact_sections", "artifact_id", "version", "section_id", compared=False),
    _table(
        "artifact_citations",
        *("artifact_id", "version", "section_id", "statement_id", "atom_id"),
        operational="version",
        condition=LATEST_VERSION,
    ),
    _table(
        "artifact_dependencies",
        *("artifact_id", "version", "section_id", "depends_on_type", "depends_on_id"),
        compared=False,
    ),
    _table("generation_loops", "project_id", "artifact_seq", "phase", compared=False),
    _table("loop_continuations", "project_id", "artifact_seq", "phase", "item_no", compared=False),
    _table(
        "speculative_sections",
        *("artifact_id", "section_id", "input_ledger_seq"),
        compared=False,
    ),
    _table("artifact_edits", "request_event_id", compared=False),
    _table("task_history", "artifact_id", "artifact_seq", compared=False),
    _table("sprint_history", "artifact_id", "artifact_seq", compared=False),
    _table("quality_runs", "quality_run_id", compared=False),
    _table("quality_run_events", "quality_run_id", "seq", compared=False, append_only=True),
    _table("artifact_rejections", "artifact_id", "version", compared=False),
    _table("budgets", "project_id", "scope", "agent"),
    _table("llm_calls", "call_id", compared=False),
    _table("llm_call_payloads", "call_id", compared=False),
    _table("llm_answers", "request_hash", compared=False),
    _table("job_history", "job_id", "transition", compared=False),
    _table("dead_letters", "dead_letter_id", compared=False),
    _table("resolved_dead_letters", "dead_letter_id", compared=False),
    _table("stream_frames", "event_id", compared=False),
    _table("onboarding_events", "pipeline_id", "seq", compared=False),
    _table("agent_events", "turn_id", "ordinal", compared=False, append_only=True),
    _table(
        "conversations",
        "conversation_id",
        merge={
            "title": "first",
            "started_by": "first",
            "started_at": "min",
            "owner": "first",
            "agent": "first",
        },
        compared=False,
    ),
    _table("agent_handoffs", "turn_id", "call_id", compared=False),
    _table("conversation_messages", "turn_id", "role", compared=False),
    _table("agent_results", "turn_id", "ordinal", compared=False),
    _table("agent_thoughts", "turn_id", "ordinal", compared=False),
    _table("tool_calls", "effect_id", compared=False),
    _table("confirmations", "confirmation_id", compared=False),
    _table("memories", "memory_id", compared=False),
    _table("assistant_workflows", "owner", "name", compared=False),
    _table("oracle_consultations", "consultation_id", compared=False),
    _table(
        "brainstorm_sessions",
        "brainstorm_id",
        merge={"title": "first", "started_by": "first", "started_at": "min"},
        compared=False,
    ),
    _table("brainstorm_messages", "brainstorm_id", "request_key", "role", compared=False),
    _table("brainstorm_designs", "brainstorm_id", "request_key", compared=False),
    _table("brainstorm_handoffs", "brainstorm_id", "request_key", compared=False),
    _table("workflow_events", "workflow_id", "ordinal", compared=False, append_only=True),
    _table("workflows", "workflow_id", compared=False),
    _table("workflow_steps", "workflow_id", "node", "iteration", compared=False),
    _table("workflow_verdicts", "workflow_id", "ordinal", compared=False),
    _table("workflow_gates", "confirmation_id", compared=False),
    _table("workflow_artifacts", "workflow_id", "ordinal", compared=False),
    _table("delivery_tasks", "workflow_id", "task_index", compared=False),
    _table("delivery_reviews", "workflow_id", "ordinal", compared=False),
    _table("review_issues", "workflow_id", "ordinal", "number", compared=False),
    _table("evaluation_items", "workflow_id", "ordinal", "number", compared=False),
    _table("trajectory_events", "workflow_id", "seq", compared=False),
)
