"""Jobs of workflows: a run that waits in the queue is on no topic yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from projections.read.page import PAGE
from projections.read.session import Conn, ReadModel, rows, select
from projections.read.workflows import Workflow
from schemas.events.job import JobType
from schemas.events.workflow import WorkflowStarted

GIVEN = "SELECT payload -> 'given' AS given FROM orchestration_jobs WHERE job_id = %s"
COLUMNS = "j.job_id, j.project_id, j.job_type, j.status, j.created_by, j.created_at, j.payload"
OF_A_RUN = (
    f"SELECT {COLUMNS} FROM orchestration_jobs j WHERE j.serial_key = %s"
    " AND j.job_type IN ('workflow', 'delivery') ORDER BY j.created_seq"
)
_OVER = (
    "SELECT FROM workflows w WHERE w.workflow_id = j.payload ->> 'workflow_id'"
    " AND w.finished_at IS NOT NULL"
)
_FIRST = (
    "j.job_type IN ('workflow', 'delivery') AND j.payload ? 'asked' AND NOT j.payload ? 'ended'"
)
QUEUED = (
    f"SELECT {COLUMNS} FROM orchestration_jobs j WHERE {_FIRST} AND NOT EXISTS (SELECT FROM"
    " workflows w WHERE w.workflow_id = j.payload ->> 'workflow_id')"
    " AND (%s::text[] IS NULL OR j.project_id = ANY(%s)) ORDER BY j.created_seq DESC LIMIT %s"
)
# A job of its own ends such a run, once. Whatever else goes on with the run may still finish it.
LEFT = (
    f"SELECT {COLUMNS}, s.status AS left_as FROM orchestration_jobs j"
    " JOIN LATERAL (SELECT status FROM orchestration_jobs x WHERE x.serial_key = j.serial_key"
    " AND x.status IN ('dead', 'cancelled') LIMIT 1) s ON true"
    f" WHERE {_FIRST} AND NOT EXISTS ({_OVER}) AND NOT EXISTS (SELECT FROM orchestration_jobs o"
    " WHERE o.serial_key = j.serial_key"
    " AND (o.status IN ('queued', 'leased', 'failed') OR o.payload ? 'ended'))"
    " ORDER BY j.created_seq"
)


class WorkflowJob(ReadModel):
    """A job of a run, with what it was asked to do."""

    job_id: str
    project_id: str
    job_type: JobType
    status: str
    created_by: str
    created_at: datetime
    payload: dict[str, Any]


class LeftWorkflow(WorkflowJob):
    """The first job of a run that nobody goes on with, though it has not ended."""

    left_as: Literal["dead", "cancelled"]


def list_jobs(connection: Conn, workflow_id: str) -> list[WorkflowJob]:
    """The jobs of a run, the one that begins it first."""
    return select(connection, WorkflowJob, OF_A_RUN, workflow_id)


def read_given(connection: Conn, job_id: str) -> dict[str, Any]:
    """What a job of a run was given to decide."""
    (row,) = rows(connection, GIVEN, job_id)
    given: dict[str, Any] = row["given"]
    return given


def find_queued(connection: Conn, workflow_id: str) -> Workflow | None:
    """A run that has a job and has not begun."""
    jobs = [job for job in list_jobs(connection, workflow_id) if "asked" in job.payload]
    return _as_workflow(jobs[0]) if jobs else None


def list_queued(
    connection: Conn, project_ids: Sequence[str] | None = None, limit: int = PAGE
) -> list[Workflow]:
    """The runs that have not begun, the newest first; of these projects, or of all."""
    projects = None if project_ids is None else list(project_ids)
    jobs = select(connection, WorkflowJob, QUEUED, projects, projects, limit)
    return [_as_workflow(job) for job in jobs]


def list_left(connection: Conn) -> list[LeftWorkflow]:
    """Runs that nobody goes on with, though they have not ended, oldest first."""
    return select(connection, LeftWorkflow, LEFT)


def _as_workflow(job: WorkflowJob) -> Workflow:
    asked = WorkflowStarted.model_validate(job.payload["asked"])
    return Workflow(
        workflow_id=asked.workflow_id,
        project_id=job.project_id,
        workflow_type=asked.workflow_type,
        thread_id=asked.thread_id,
        issue_number=asked.issue.number,
        title=asked.issue.title,
        repository=asked.repository,
        commit=asked.commit,
        profile=asked.profile,
        settings=asked.settings.model_dump(),
        input_hash=asked.input.artifact_hash,
        input_workflow_id=asked.input.workflow_id,
        feature_id=asked.origin.feature_id,
        task_id=asked.origin.task_id,
        atom_ids=asked.origin.atom_ids,
        drafter_family=asked.drafter_family,
        reviewer_family=asked.reviewer_family,
        chain_id=asked.chain_id,
        started_by=asked.started_by,
        started_at=job.created_at,
        status="queued" if job.status in ("queued", "leased", "failed") else job.status,
        halt_reason="",
        artifact_hash="",
        error="",
        text="",
        total_tasks=None,
        tasks_committed=0,
        finished_at=None,
        node="",
    )
