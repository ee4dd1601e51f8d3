"""From a commit back to its sentences, and what rests on sentences that hold no more."""

from __future__ import annotations

from datetime import datetime

from projections.read.session import Conn, ReadModel, select
from projections.read.workflows import STATUS

MOST_STAGES = 20  # of a chain, backwards
RUN = """
    SELECT w.workflow_id, w.project_id, w.workflow_type, w.issue_number, w.title, w.status,
        w.started_by, w.started_at, w.repository, w.input_workflow_id, w.feature_id, w.task_id,
        w.atom_ids, a.artifact_type, a.artifact_hash, a.approval, a.approved_by, a.path
    FROM workflows w LEFT JOIN LATERAL (
        SELECT artifact_type, artifact_hash, approval, approved_by, path FROM workflow_artifacts
        WHERE workflow_id = w.workflow_id AND kind = 'approved' ORDER BY ordinal DESC LIMIT 1
    ) a ON true
    WHERE w.workflow_id = %s
"""
TASK = """
    SELECT task_index AS index, coalesce(title, '') AS title, total FROM delivery_tasks
    WHERE workflow_id = %s AND task_index = %s
"""
ITEM = """
    SELECT artifact_id, artifact_type, number, title FROM artifacts
    WHERE project_id = %s AND artifact_id = ANY(%s) ORDER BY artifact_type, number
"""
STATEMENTS = """
    SELECT a.atom_id, a.kind, a.title, a.status, e.path, e.line_start, e.line_end, e.snippet,
        e.speaker
    FROM ledger_atoms a LEFT JOIN LATERAL (
        SELECT s.path, v.line_start, v.line_end, v.snippet, v.speaker
        FROM ledger_evidence v LEFT JOIN sources s USING (source_id)
        WHERE v.atom_id = a.atom_id ORDER BY v.stale, s.path, v.char_start, v.evidence_id LIMIT 1
    ) e ON true
    WHERE a.project_id = %s AND a.atom_id = ANY(%s) ORDER BY array_position(%s, a.atom_id)
"""
REPOSITORIES = """
    SELECT DISTINCT repository FROM workflows
    WHERE repository <> '' AND (%s::text[] IS NULL OR project_id = ANY(%s))
"""
# A run takes over what the one before it rests on, so each holds its statements itself. Commits
# stay, also where a run has failed later.
COMMITS = """
    ARRAY(SELECT made.sha FROM (
        SELECT t.sha, t.task_index AS place FROM delivery_tasks t
        WHERE t.workflow_id = w.workflow_id AND t.sha IS NOT NULL
        UNION ALL SELECT (e.data ->> 'answer')::jsonb ->> 'commit_id', e.ordinal
        FROM workflow_events e WHERE e.workflow_id = w.workflow_id
            AND w.workflow_type = 'tdd_implementation' AND e.data ->> 'tool' = 'commit'
            AND e.event_type = 'workflow.tool_returned' AND e.data ->> 'is_error' = 'false'
    ) made ORDER BY made.place)
"""
STALE = f"""
    SELECT workflow_id, project_id, workflow_type, title, status, atom_id, statement,
        statement_status, commits
    FROM (
        SELECT w.started_at, w.workflow_id, w.project_id, w.workflow_type, w.title,
            {STATUS} AS status, a.atom_id, a.title AS statement, a.status AS statement_status,
            {COMMITS} AS commits
        FROM workflows w JOIN ledger_atoms a
            ON a.project_id = w.project_id AND a.atom_id = ANY(w.atom_ids)
        WHERE a.status IN ('superseded', 'obsolete', 'dismissed')
            AND (%s::text[] IS NULL OR w.project_id = ANY(%s))
    ) stale
    WHERE status IN ('running', 'waiting', 'halted', 'completed') OR commits <> '{{}}'
    ORDER BY started_at DESC, workflow_id, atom_id LIMIT %s
"""


class BlamedRun(ReadModel):
    """A run on the way back; ``artifact_type`` and what follows are of what was approved in it."""

    workflow_id: str
    project_id: str
    workflow_type: str
    issue_number: int
    title: str
    status: str
    started_by: str
    started_at: datetime
    repository: str
    input_workflow_id: str
    feature_id: str
    task_id: str
    atom_ids: list[str]
    artifact_type: str | None
    artifact_hash: str | None
    approval: str | None
    approved_by: str | None
    path: str | None


class BlamedTask(ReadModel):
    """A task of a plan; ``index`` counts from 0."""

    index: int
    title: str
    total: int | None


class BlamedItem(ReadModel):
    """A feature or a task of the ledger; ``number`` is the one that people use."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str


class BlamedStatement(ReadModel):
    """A statement with its first quote; ``path`` None: its source is not in the tables."""

    atom_id: str
    kind: str
    title: str
    status: str
    path: str | None
    line_start: int | None
    line_end: int | None
    snippet: str | None
    speaker: str | None


class StaleRun(ReadModel):
    """A run, under way or done, that rests on a statement which holds no more."""

    workflow_id: str
    project_id: str
    workflow_type: str
    title: str
    status: str
    atom_id: str
    statement: str
    statement_status: str
    commits: list[str]


def list_repositories(connection: Conn, projects: list[str] | None) -> list[str]:
    """The folders that runs of these projects have worked on; None: of all."""
    rows = connection.execute(REPOSITORIES, (projects, projects)).fetchall()
    return [row[0] for row in rows]


def list_blamed_runs(connection: Conn, workflow_id: str) -> list[BlamedRun]:
    """The run, then the one whose artifact it has taken, and so on back to the first."""
    runs: list[BlamedRun] = []
    ahead = workflow_id
    while ahead and len(runs) < MOST_STAGES and ahead not in {one.workflow_id for one in runs}:
        rows = select(connection, BlamedRun, RUN, ahead)
        if not rows:
            break
        runs += rows
        ahead = rows[0].input_workflow_id
    return runs


def find_blamed_task(connection: Conn, workflow_id: str, index: int) -> BlamedTask | None:
    return next(iter(select(connection, BlamedTask, TASK, workflow_id, index)), None)


def list_blamed_items(connection: Conn, project_id: str, ids: list[str]) -> list[BlamedItem]:
    return select(connection, BlamedItem, ITEM, project_id, ids)


def list_blamed_statements(
    connection: Conn, project_id: str, atom_ids: list[str]
) -> list[BlamedStatement]:
    """In the order of ``atom_ids``."""
    return select(connection, BlamedStatement, STATEMENTS, project_id, atom_ids, atom_ids)


def list_stale_runs(connection: Conn, projects: list[str] | None, limit: int) -> list[StaleRun]:
    """Runs whose statements were replaced, withdrawn or dismissed, the newest first."""
    return select(connection, StaleRun, STALE, projects, projects, limit)
