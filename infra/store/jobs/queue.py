"""The queue as people see it: jobs are put in, cancelled, and tried again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from infra.platform.errors import Conflict, NotFound
from infra.store.jobs.transition import (
    ENDED,
    Conn,
    Row,
    change_job,
    fetch_row,
    fetch_value,
    record_transition,
)
from schemas.envelope import Actor
from schemas.events.job import PRIORITIES, JobCancelled, JobEnqueued, JobType, Priority
from schemas.ids import job_id

MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be done; one with the same project, type and key that is not dead is the same."""

    project_id: str
    job_type: JobType
    key: str
    payload: Mapping[str, Any]
    created_by: str
    priority: Priority = "scheduled"
    run_after: datetime | None = None  # None: now
    max_attempts: int = MAX_ATTEMPTS
    correlation_id: str = ""
    serial_key: str | None = None  # jobs that have the same are done one after the other


def enqueue(connection: Conn, new: NewJob, actor: Actor) -> tuple[str, bool]:
    """Put a job into the queue; its id, and whether it is new."""
    same = (new.project_id, new.job_type, new.key)
    with connection.transaction():
        while True:
            earlier = fetch_value(
                connection,
                "SELECT count(*) FROM orchestration_jobs WHERE project_id = %s AND job_type = %s"
                " AND idempotency_key = %s AND status = 'dead'",
                same,
            )
            row = fetch_row(connection, _INSERT, _columns_of(new, job_id(*same, earlier)))
            if row is not None:
                record_transition(connection, JobEnqueued, row, actor)
                return row["job_id"], True
            known = fetch_value(
                connection,
                "SELECT job_id FROM orchestration_jobs WHERE project_id = %s AND job_type = %s"
                " AND idempotency_key = %s AND status <> 'dead'",
                same,
            )
            if known is not None:  # else it has died meanwhile
                return str(known), False


_INSERT = (
    # A database that was lost knows of its jobs what the topic says: ids of facts never come again.
    "WITH known AS (SELECT coalesce(max(lease_epoch) + 1, 0) AS epoch,"
    " coalesce(max(transition), 0) + 1 AS step FROM job_history WHERE job_id = %(job_id)s)"
    " INSERT INTO orchestration_jobs (job_id, project_id, job_type, idempotency_key, priority,"
    " status, lease_epoch, transition, max_attempts, run_after, payload, correlation_id,"
    " created_by, serial_key)"
    " SELECT %(job_id)s, %(project_id)s, %(job_type)s, %(key)s, %(priority)s, 'queued', epoch,"
    " step, %(max_attempts)s, coalesce(%(run_after)s, now()), %(payload)s,"
    " %(correlation_id)s, %(created_by)s, %(serial_key)s FROM known ON CONFLICT DO NOTHING"
    " RETURNING *"
)


def _columns_of(new: NewJob, new_id: str) -> Row:
    return {
        "job_id": new_id,
        "project_id": new.project_id,
        "job_type": new.job_type,
        "key": new.key,
        "priority": PRIORITIES[new.priority],
        "max_attempts": new.max_attempts,
        "run_after": new.run_after,
        "payload": Jsonb(dict(new.payload)),
        "correlation_id": new.correlation_id or new.key,
        "created_by": new.created_by,
        "serial_key": new.serial_key,
    }


def cancel(connection: Conn, which: str, actor: Actor) -> bool:
    """End a job that has not ended; whether this did. Raises NotFound, Conflict for an ended one.

    A worker that has it finds its lease lost and cancels its handler.
    """
    with connection.transaction():
        status = _status_for_update(connection, which)
        if status == "cancelled":
            return False
        if status in ("succeeded", "dead"):
            raise Conflict(
                f"Job {which} has ended already ({status}).",
                code="job_ended",
                detail={"job_id": which, "status": status},
            )
        set_to, where = f"status = 'cancelled', {ENDED}", "job_id = %(job_id)s"
        change_job(connection, JobCancelled, set_to, where, {"job_id": which}, actor)
    return True


def retry(connection: Conn, which: str, actor: Actor) -> None:
    """Let a job that failed, died or was cancelled be tried at once, with all its attempts.

    Raises NotFound, and Conflict for a job that waits, runs or has succeeded, or when another job
    has taken the place of a dead one.
    """
    with connection.transaction():
        status = _status_for_update(connection, which)
        if status not in ("failed", "dead", "cancelled"):
            raise Conflict(
                f"Job {which} is {status}: only a failed, dead or cancelled job is tried again.",
                code="job_not_retriable",
                detail={"job_id": which, "status": status},
            )
        successor = fetch_value(connection, _SUCCESSOR, (which,))
        if successor is not None:
            raise Conflict(
                f"Job {successor} with the same key has taken the place of {which}.",
                code="job_replaced",
                detail={"job_id": which, "successor": successor},
            )
        change_job(
            connection,
            JobEnqueued,
            # A new epoch: the facts of the time before keep their ids.
            "status = 'queued', lease_epoch = lease_epoch + 1, attempt_count = 0,"
            " run_after = now(), finished_at = NULL, last_error = NULL, error_class = NULL",
            "job_id = %(job_id)s",
            {"job_id": which},
            actor,
        )


_SUCCESSOR = (
    "SELECT o.job_id FROM orchestration_jobs j JOIN orchestration_jobs o"
    " USING (project_id, job_type, idempotency_key)"
    " WHERE j.job_id = %s AND j.status = 'dead' AND o.status <> 'dead'"
)


def _status_for_update(connection: Conn, which: str) -> str:
    query = "SELECT status FROM orchestration_jobs WHERE job_id = %s FOR UPDATE"
    status = fetch_value(connection, query, (which,))
    if status is None:
        raise NotFound(f"There is no job {which}.", code="unknown_job", detail={"job_id": which})
    return str(status)
