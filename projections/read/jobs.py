"""Jobs as they are now, newest first, and the transitions of one as the log tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.platform.errors import Invalid, NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, select
from schemas.envelope import SERVICE_WIDE
from schemas.events.job import JOB_STATUSES, PRIORITIES

# What somebody has said to the assistant is theirs alone.
PAYLOAD = (
    f"CASE WHEN j.job_type = 'agent_turn' AND j.project_id = '{SERVICE_WIDE}'"
    " THEN '{}'::jsonb ELSE j.payload END AS payload"
)
COLUMNS = (
    "j.job_id, j.project_id, j.job_type, j.idempotency_key, j.priority, j.status, j.lease_owner,"
    " j.lease_expires_at, j.lease_epoch, j.attempt_count, j.max_attempts, j.run_after,"
    f" {PAYLOAD},"
    " j.result, j.progress, j.last_error, j.error_class, j.correlation_id, j.created_by,"
    " j.created_at, j.updated_at, j.started_at, j.finished_at, j.transition"
)
JOBS = Listing("jobs", COLUMNS, "orchestration_jobs j", {"(-j.created_seq)": "bigint"})


class Job(ReadModel):
    """A job; ``transition`` counts what has happened to it. ``progress`` is what its handler said
    last. A lower ``priority`` is served first. ``payload`` is empty where the assistant was asked.
    """

    job_id: str
    project_id: str
    job_type: str
    idempotency_key: str
    priority: int
    status: str
    lease_owner: str | None
    lease_expires_at: datetime | None
    lease_epoch: int
    attempt_count: int
    max_attempts: int
    run_after: datetime
    payload: dict[str, Any]
    result: dict[str, Any] | None
    progress: dict[str, Any] | None
    last_error: str | None
    error_class: str | None
    correlation_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    transition: int

    @property
    def priority_name(self) -> str:
        """``urgent``, ``scheduled`` or ``background``."""
        return next(name for name, value in PRIORITIES.items() if value == self.priority)

    @property
    def has_ended(self) -> bool:
        return self.status in ("succeeded", "dead", "cancelled")


class Transition(ReadModel):
    """One step of a job: what happened, and how the job was afterwards."""

    transition: int
    event_type: str
    status: str
    lease_owner: str | None
    lease_epoch: int
    attempt_count: int
    run_after: datetime
    last_error: str | None
    error_class: str | None
    occurred_at: datetime
    actor: str


def list_jobs(
    connection: Conn,
    project_id: str | None = None,
    *,
    status: str | None = None,
    job_type: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Job]:
    """A page of jobs, newest first, of one project or all. Raises Invalid for a bad cursor, and
    for a status that no job has.
    """
    if status is not None and status not in JOB_STATUSES:
        raise Invalid(
            f"There is no status {status!r}: there are {', '.join(JOB_STATUSES)}.",
            code="job_status_unknown",
        )
    wanted = {"project_id": project_id, "status": status, "job_type": job_type}
    conditions: list[Condition] = [("true",)]
    conditions += [(f"j.{name} = %s", value) for name, value in wanted.items() if value is not None]
    records, following = page_of(connection, JOBS, conditions, cursor, limit)
    return Page(items=[Job(**row) for row in records], next_cursor=following)


def read_job(connection: Conn, job_id: str) -> Job:
    """One job. Raises NotFound."""
    query = f"SELECT {COLUMNS} FROM orchestration_jobs j WHERE j.job_id = %s"
    items = select(connection, Job, query, job_id)
    if not items:
        raise NotFound(f"There is no job {job_id}.", code="unknown_job", detail={"job_id": job_id})
    return items[0]


def list_transitions(connection: Conn, job_id: str) -> list[Transition]:
    """The history of a job, oldest first, as far as the projector has read it."""
    columns = ", ".join(f"h.{name}" for name in Transition.model_fields)
    query = f"SELECT {columns} FROM job_history h WHERE h.job_id = %s ORDER BY h.transition"
    return select(connection, Transition, query, job_id)
