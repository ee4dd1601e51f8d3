"""Governed workflows and deliveries: how they stand, and what they have made and asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.workflow import WorkflowType

OPEN = (
    "g.decision IS NULL AND g.opened_at IS NOT NULL AND EXISTS (SELECT FROM workflows o"
    " WHERE o.workflow_id = g.workflow_id AND o.finished_at IS NULL)"
)
STATUS = (
    "CASE WHEN w.finished_at IS NOT NULL THEN w.status WHEN NOT EXISTS (SELECT FROM workflow_gates"
    " g WHERE g.workflow_id = w.workflow_id AND g.decision IS NULL AND g.opened_at IS NOT NULL)"
    " THEN 'running' WHEN w.halt_reason <> '' THEN 'halted' ELSE 'waiting' END"
)
WORKFLOWS = Listing(
    "workflows",
    "w.workflow_id, w.project_id, w.workflow_type, w.thread_id, w.issue_number, w.title,"
    " w.repository, w.commit, w.profile, w.settings, w.input_hash, w.input_workflow_id,"
    " w.feature_id, w.task_id, w.atom_ids, w.drafter_family, w.reviewer_family, w.chain_id,"
    f" w.started_by, w.started_at, {STATUS} AS status, w.halt_reason, w.artifact_hash, w.error,"
    " w.text, w.total_tasks, (SELECT count(*)::int FROM delivery_tasks t WHERE"
    " t.workflow_id = w.workflow_id AND t.sha IS NOT NULL) AS tasks_committed, w.finished_at,"
    " coalesce((SELECT s.node FROM workflow_steps s WHERE s.workflow_id = w.workflow_id"
    " AND s.entered_ordinal IS NOT NULL ORDER BY s.entered_ordinal DESC LIMIT 1), '') AS node",
    "workflows w",
    {"w.started_at": "timestamptz", "w.workflow_id": "text"},
)
EVENTS = """
    SELECT workflow_id, ordinal, project_id, event_type, data, occurred_at,
        updated_from_event_id AS event_id
    FROM workflow_events WHERE workflow_id = %s ORDER BY ordinal
"""
STEPS = """
    SELECT node, iteration, entered_ordinal, entered_at, finished_at, next_node, detail
    FROM workflow_steps WHERE workflow_id = %s AND entered_ordinal IS NOT NULL
    ORDER BY entered_ordinal
"""
VERDICTS = """
    SELECT ordinal, iteration, verdict, artifact_hash, summary, findings, reviewer_model,
        reviewer_family, draft_model, draft_family, prompt_version, given_at
    FROM workflow_verdicts WHERE workflow_id = %s ORDER BY ordinal
"""
GATES = f"""
    SELECT g.confirmation_id, g.workflow_id, g.project_id, g.gate, g.artifact_hash, g.arguments,
        g.summary, g.opened_ordinal, g.opened_at, g.decision, g.changed_arguments, g.reason,
        g.decided_by, g.decided_at, g.verdict_overridden, {OPEN} AS is_open
    FROM workflow_gates g
"""
ARTIFACTS = """
    SELECT ordinal, kind, artifact_type, artifact_hash, text, iteration, model, family, approval,
        approved_by, path, atom_ids, made_at
    FROM workflow_artifacts WHERE workflow_id = %s ORDER BY ordinal
"""
APPROVED = """
    SELECT a.ordinal, a.kind, a.artifact_type, a.artifact_hash, a.text, a.iteration, a.model,
        a.family, a.approval, a.approved_by, a.path, a.atom_ids, a.made_at
    FROM workflow_artifacts a JOIN workflows w USING (workflow_id)
    WHERE a.workflow_id = %s AND a.kind = 'approved' AND w.status = 'completed'
    ORDER BY a.ordinal DESC LIMIT 1
"""
TRAJECTORY = Listing(
    "trajectory",
    "seq, id, type, content, agent, tool_name, tool_input, happened_at, workflow_id",
    "trajectory_events",
    {"seq": "int"},
)
HALTED = """
    SELECT data, occurred_at FROM workflow_events
    WHERE workflow_id = %s AND event_type = 'workflow.halted' ORDER BY ordinal DESC LIMIT 1
"""
PITFALLS = """
    SELECT w.workflow_id, w.title, coalesce(e.data -> 'issue' ->> 'text', '') AS text, v.verdict,
        v.findings
    FROM workflow_verdicts v JOIN workflows w USING (workflow_id)
    LEFT JOIN workflow_events e ON e.workflow_id = w.workflow_id AND e.ordinal = 0
    WHERE w.project_id = %s AND w.workflow_type = %s AND w.workflow_id <> %s
        AND v.verdict IN ('BLOCK', 'REVISE')
    ORDER BY v.given_at DESC, v.workflow_id, v.ordinal DESC LIMIT %s
"""
BELONGS = "SELECT project_id FROM workflows WHERE workflow_id = %s"


class Workflow(ReadModel):
    """A run and how it stands: ``running``, ``waiting`` for a person, ``halted``, or how it ended.

    ``node`` is the last one that it has entered. ``total_tasks`` None: it has no plan with tasks.
    """

    workflow_id: str
    project_id: str
    workflow_type: WorkflowType
    thread_id: str
    issue_number: int
    title: str
    repository: str
    commit: str
    profile: str
    settings: dict[str, Any]
    input_hash: str
    input_workflow_id: str
    feature_id: str
    task_id: str
    atom_ids: list[str]
    drafter_family: str
    reviewer_family: str
    chain_id: str
    started_by: str
    started_at: datetime
    status: str
    halt_reason: str
    artifact_hash: str
    error: str
    text: str
    total_tasks: int | None
    tasks_committed: int
    finished_at: datetime | None
    node: str


class WorkflowStep(ReadModel):
    """A node that the run has entered; ``finished_at`` None: it is there, or was broken off."""

    node: str
    iteration: int
    entered_ordinal: int
    entered_at: datetime
    finished_at: datetime | None
    next_node: str | None
    detail: str | None


class WorkflowVerdict(ReadModel):
    ordinal: int
    iteration: int
    verdict: str
    artifact_hash: str
    summary: str
    findings: list[dict[str, Any]]
    reviewer_model: str
    reviewer_family: str
    draft_model: str
    draft_family: str
    prompt_version: str
    given_at: datetime


class WorkflowGate(ReadModel):
    """A gate at which a run waits for a person, or what was decided there.

    ``arguments`` is what the decision is about. ``verdict_overridden``: the verdict that a waiver
    has overridden.
    """

    confirmation_id: str
    workflow_id: str
    project_id: str
    gate: str
    artifact_hash: str
    arguments: dict[str, Any]
    summary: str
    opened_ordinal: int
    opened_at: datetime
    decision: str | None
    changed_arguments: dict[str, Any] | None
    reason: str | None
    decided_by: str | None
    decided_at: datetime | None
    verdict_overridden: str | None
    is_open: bool


class WorkflowArtifact(ReadModel):
    """A draft, its repaired form, a plan, or what the stage has come to (``approved``)."""

    ordinal: int
    kind: str
    artifact_type: str
    artifact_hash: str
    text: str
    iteration: int
    model: str
    family: str
    approval: str
    approved_by: str
    path: str
    atom_ids: list[str]
    made_at: datetime


class TrajectoryEvent(ReadModel):
    """One thing that a coding agent has done; ``seq`` is its number in the log of the run."""

    seq: int
    id: str
    type: str
    content: str
    agent: str
    tool_name: str | None
    tool_input: Any
    happened_at: str
    workflow_id: str


class WorkflowLogEvent(ReadModel):
    """An event of a run as the log has it."""

    workflow_id: str
    ordinal: int
    project_id: str
    event_type: str
    data: dict[str, Any]
    occurred_at: datetime
    event_id: UUID


class WorkflowHalt(ReadModel):
    """Why a run cannot go on by itself, what it has cost so far, and what may be tried."""

    reason: str
    message: str
    node: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    may_try: list[str]
    command: str
    halted_at: datetime


class PastFindings(ReadModel):
    """What a reviewer had against a draft of an earlier run; ``text`` is that of its issue."""

    workflow_id: str
    title: str
    text: str
    verdict: str
    findings: list[dict[str, Any]]


def list_workflows(
    connection: Conn,
    project_ids: Sequence[str] | None = None,
    *,
    thread: str | None = None,
    chain: str | None = None,
    workflow_type: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Workflow]:
    """A page of runs, the newest first; those of these projects, or all. Raises Refusal for a bad
    cursor.
    """
    conditions: list[Condition] = [("true",)]
    if project_ids is not None:
        conditions.append(("w.project_id = ANY(%s)", list(project_ids)))
    for column, value in (("thread_id", thread), ("workflow_type", workflow_type)):
        if value is not None:
            conditions.append((f"w.{column} = %s", value))
    if chain is not None:
        conditions.append(("w.chain_id = %s AND w.chain_id <> ''", chain))
    records, following = page_of(connection, WORKFLOWS, conditions, cursor, limit, backwards=True)
    return Page(items=[Workflow(**row) for row in records], next_cursor=following)


def read_workflow(connection: Conn, workflow_id: str) -> Workflow:
    """Raises NotFound."""
    workflow = find_workflow(connection, workflow_id)
    if workflow is None:
        raise unknown_workflow(workflow_id)
    return workflow


def find_workflow(connection: Conn, workflow_id: str) -> Workflow | None:
    query = f"SELECT {WORKFLOWS.columns} FROM {WORKFLOWS.tables} WHERE w.workflow_id = %s"
    return next(iter(select(connection, Workflow, query, workflow_id)), None)


def unknown_workflow(workflow_id: str) -> NotFound:
    """The same words for one that is not there and for one that is not theirs."""
    return NotFound(
        f"There is no workflow {workflow_id}.",
        code="unknown_workflow",
        detail={"workflow_id": workflow_id},
    )


def find_project_of(connection: Conn, workflow_id: str) -> str | None:
    """The project of a run; None: no run of this id has begun."""
    return next((str(row["project_id"]) for row in rows(connection, BELONGS, workflow_id)), None)


def list_workflow_events(connection: Conn, workflow_id: str) -> list[WorkflowLogEvent]:
    return select(connection, WorkflowLogEvent, EVENTS, workflow_id)


def list_workflow_steps(connection: Conn, workflow_id: str) -> list[WorkflowStep]:
    """The nodes that the run has entered, in that order."""
    return select(connection, WorkflowStep, STEPS, workflow_id)


def list_workflow_verdicts(connection: Conn, workflow_id: str) -> list[WorkflowVerdict]:
    return select(connection, WorkflowVerdict, VERDICTS, workflow_id)


def list_workflow_gates(connection: Conn, workflow_id: str) -> list[WorkflowGate]:
    """All gates of a run in the order in which they were opened."""
    query = f"{GATES} WHERE g.workflow_id = %s AND g.opened_at IS NOT NULL ORDER BY opened_ordinal"
    return select(connection, WorkflowGate, query, workflow_id)


def list_open_gates(
    connection: Conn, project_ids: Sequence[str] | None = None, limit: int = PAGE
) -> list[WorkflowGate]:
    """Gates at which runs wait for a person, the oldest first; of these projects, or all."""
    query = (
        f"{GATES} WHERE {OPEN} AND (%s::text[] IS NULL OR g.project_id = ANY(%s))"
        " ORDER BY g.opened_at, g.confirmation_id LIMIT %s"
    )
    projects = None if project_ids is None else list(project_ids)
    return select(connection, WorkflowGate, query, projects, projects, limit)


def find_gate(connection: Conn, workflow_id: str, gate: str) -> WorkflowGate | None:
    """The gate of this id, or the newest one of this name, an open one before all others."""
    query = (
        f"{GATES} WHERE g.workflow_id = %s AND %s IN (g.confirmation_id, g.gate)"
        f" AND g.opened_at IS NOT NULL ORDER BY g.decision IS NOT NULL, opened_ordinal DESC LIMIT 1"
    )
    return next(iter(select(connection, WorkflowGate, query, workflow_id, gate)), None)


def find_last_halt(connection: Conn, workflow_id: str) -> WorkflowHalt | None:
    """How the run has halted last; None: it has not."""
    for row in rows(connection, HALTED, workflow_id):
        fields = {name: row["data"].get(name) for name in WorkflowHalt.model_fields}
        return WorkflowHalt.model_validate(fields | {"halted_at": row["occurred_at"]})
    return None


def list_workflow_artifacts(connection: Conn, workflow_id: str) -> list[WorkflowArtifact]:
    """Drafts, plans and what the stage has come to, in their order."""
    return select(connection, WorkflowArtifact, ARTIFACTS, workflow_id)


def find_approved_artifact(connection: Conn, workflow_id: str) -> WorkflowArtifact | None:
    """What a completed run has come to; None: it has not."""
    return next(iter(select(connection, WorkflowArtifact, APPROVED, workflow_id)), None)


def list_trajectory(
    connection: Conn,
    workflow_id: str,
    *,
    agent: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[TrajectoryEvent]:
    """A page of what the coding agents of a run have done, in its order. Raises Refusal for a bad
    cursor.
    """
    conditions: list[Condition] = [("workflow_id = %s", workflow_id)]
    if agent is not None:
        conditions.append(("agent = %s", agent))
    records, following = page_of(connection, TRAJECTORY, conditions, cursor, limit)
    return Page(items=[TrajectoryEvent(**row) for row in records], next_cursor=following)


def list_past_findings(
    connection: Conn, project_id: str, workflow_type: str, but: str, limit: int
) -> list[PastFindings]:
    """What reviewers had against drafts of earlier runs of this type, the newest first."""
    return select(connection, PastFindings, PITFALLS, project_id, workflow_type, but, limit)
