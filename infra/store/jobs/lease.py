"""Leases: who works on which job, and what became of it.

Times are the database's ``now()``, so that the clocks of workers do not matter. A worker's write
names job, epoch and ``leased``; where no row changes, its lease is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from psycopg.types.json import Jsonb

from infra.platform.errors import Conflict
from infra.store.jobs.transition import ENDED, RELEASED, Conn, Row, change_job
from schemas.events.job import (
    JobAttemptFailed,
    JobChanged,
    JobClaimed,
    JobDead,
    JobLeaseExpired,
    JobSucceeded,
    JobType,
)

LEASE_S = 60.0
FIRST_PAUSE_S, LONGEST_PAUSE_S, JITTER = 5.0, 300.0, 0.1

# At most the longest pause, also with jitter.
NEXT_ATTEMPT = (
    "now() + interval '1 second' * least(%(longest_s)s, %(first_s)s * 2 ^ (attempt_count - 1)"
    " * (1 + %(jitter)s * (2 * random() - 1)))"
)
# An older job with the same serial key goes first, unless its time has not come. The first half
# keeps the planner from reading all jobs, where most have no serial key.
_HELD_UP = (
    "(j.serial_key IS NOT NULL AND EXISTS (SELECT 1 FROM orchestration_jobs o"
    " WHERE o.serial_key = j.serial_key AND o.job_id <> j.job_id AND (o.status = 'leased'"
    " OR o.created_seq < j.created_seq AND (o.status = 'failed'"
    " OR o.status = 'queued' AND o.run_after <= now()))))"
)
_WAITS = "status IN ('queued', 'failed')"
_DUE = f"{_WAITS} AND run_after <= now() AND job_type = ANY(%(job_types)s)"
# Others take jobs at the same moment, so each project offers as many as may be taken from it.
OFFERED = 16
# Projects in turn, found by steps over the index: their jobs may be many thousands. A common table
# expression runs once; a subquery of the UPDATE need not.
_TURNS = (
    "WITH RECURSIVE waiting AS ((SELECT project_id FROM orchestration_jobs"
    f" WHERE {_WAITS} ORDER BY project_id LIMIT 1) UNION ALL"
    " SELECT (SELECT n.project_id FROM orchestration_jobs n WHERE n.project_id > w.project_id"
    f" AND {_WAITS} ORDER BY n.project_id LIMIT 1) FROM waiting w"
    " WHERE w.project_id IS NOT NULL), turns AS MATERIALIZED (SELECT w.project_id,"
    " (SELECT count(*) FROM orchestration_jobs r WHERE r.project_id = w.project_id"
    " AND r.status = 'leased') AS running, (SELECT max(s.started_at) FROM orchestration_jobs s"
    " WHERE s.project_id = w.project_id) AS last_start FROM waiting w"
    " WHERE w.project_id IS NOT NULL),"
    " offered AS MATERIALIZED (SELECT o.job_id, t.running, t.last_start FROM turns t,"
    " LATERAL (SELECT j.job_id FROM orchestration_jobs j WHERE j.project_id = t.project_id"
    f" AND {_DUE} AND NOT {_HELD_UP} ORDER BY j.priority, j.run_after, j.created_seq"
    " LIMIT %(offered)s) o), due AS MATERIALIZED (SELECT d.job_id FROM orchestration_jobs d"
    f" JOIN offered USING (job_id) WHERE {_DUE}"
    " ORDER BY d.priority, offered.running, offered.last_start NULLS FIRST, d.run_after,"
    " d.created_seq LIMIT 1 FOR UPDATE OF d SKIP LOCKED) "
)
HELD = "job_id = %(job_id)s AND lease_epoch = %(epoch)s AND status = 'leased'"


@dataclass(frozen=True, slots=True)
class Lease:
    """A job that a worker may work on, until another one has a higher ``epoch``."""

    job_id: str
    epoch: int
    owner: str
    project_id: str
    job_type: JobType
    key: str
    attempt: int
    max_attempts: int
    created_by: str
    correlation_id: str
    payload: dict[str, Any] = field(hash=False)


class LeaseLost(Conflict):
    """Another worker has the job, or it was cancelled; what this one has to say is refused."""

    code = "lease_lost"


def claim(
    connection: Conn, owner: str, job_types: Collection[str], lease_s: float = LEASE_S
) -> Lease | None:
    """Take the first job that is due; None where there is none.

    By priority; of one priority the projects take turns, and within a project due time and age
    decide, so that many jobs of one do not hold up another's.
    """
    with connection.transaction():
        row = change_job(
            connection,
            JobClaimed,
            "status = 'leased', lease_owner = %(owner)s, lease_epoch = lease_epoch + 1,"
            " lease_expires_at = now() + interval '1 second' * %(lease_s)s,"
            " attempt_count = attempt_count + 1, started_at = coalesce(started_at, now())",
            "job_id = (SELECT job_id FROM due)",
            {
                "owner": owner,
                "job_types": list(job_types),
                "lease_s": lease_s,
                "offered": OFFERED,
            },
            prefix=_TURNS,
        )
    return _lease_of(row) if row else None


def renew(
    connection: Conn, lease: Lease, lease_s: float = LEASE_S, progress: Row | None = None
) -> None:
    """The lease lasts from now on, and people see ``progress``. Raises LeaseLost."""
    renewed = connection.execute(
        "UPDATE orchestration_jobs SET progress = coalesce(%(progress)s, progress),"
        f" lease_expires_at = now() + interval '1 second' * %(lease_s)s WHERE {HELD}".encode(),
        _held(lease) | {"lease_s": lease_s, "progress": Jsonb(progress) if progress else None},
    )
    if renewed.rowcount != 1:
        raise _lost(lease)


def check_held(connection: Conn, lease: Lease) -> None:
    """Raises LeaseLost where the job is somebody else's by now, or was cancelled."""
    query = f"SELECT FROM orchestration_jobs WHERE {HELD}".encode()
    if connection.execute(query, _held(lease)).fetchone() is None:
        raise _lost(lease)


def succeed(connection: Conn, lease: Lease, result: Mapping[str, Any]) -> None:
    """The job is done. Raises LeaseLost."""
    values = _held(lease) | {"result": Jsonb(dict(result))}
    set_to = (
        f"status = 'succeeded', result = %(result)s, last_error = NULL, error_class = NULL, {ENDED}"
    )
    with connection.transaction():
        if change_job(connection, JobSucceeded, set_to, HELD, values) is None:
            raise _lost(lease)


def fail(
    connection: Conn,
    lease: Lease,
    error_class: str,
    error: str,
    *,
    is_retriable: bool,
    first_pause_s: float = FIRST_PAUSE_S,
) -> None:
    """An attempt failed: the next one follows after a pause, or the job is dead. Raises LeaseLost.

    Dead where ``is_retriable`` is false, or no attempt is left.
    """
    values = _held(lease) | {"error_class": error_class, "error": error}
    values |= {"first_s": first_pause_s, "longest_s": LONGEST_PAUSE_S, "jitter": JITTER}
    reason = "last_error = %(error)s, error_class = %(error_class)s"
    kind: type[JobChanged] = JobDead
    set_to = f"status = 'dead', {reason}, {ENDED}"
    if is_retriable and lease.attempt < lease.max_attempts:
        kind = JobAttemptFailed
        set_to = f"status = 'failed', run_after = {NEXT_ATTEMPT}, {reason}, {RELEASED}"
    with connection.transaction():
        if change_job(connection, kind, set_to, HELD, values) is None:
            raise _lost(lease)


def give_up(connection: Conn, lease: Lease) -> None:
    """A worker that is told to stop leaves the job to the next one; the attempt does not count."""
    with connection.transaction():
        change_job(
            connection,
            JobLeaseExpired,
            f"status = 'queued', attempt_count = attempt_count - 1, run_after = now(), {RELEASED}",
            HELD,
            _held(lease),
        )


def are_open(connection: Conn) -> bool:
    """Whether a job waits, or is worked on by somebody."""
    found = connection.execute(
        f"SELECT FROM orchestration_jobs WHERE {_WAITS} OR status = 'leased' LIMIT 1".encode()
    )
    return found.fetchone() is not None


def expire(connection: Conn) -> int:
    """Take expired leases away; how many. A job without attempts left is dead."""
    expired = 0
    with connection.transaction():
        while row := change_job(
            connection,
            JobLeaseExpired,
            "status = 'queued', error_class = 'LeaseExpired',"
            f" last_error = 'Worker ' || lease_owner || ' has not renewed its lease.', {RELEASED}",
            "job_id = (SELECT job_id FROM late)",
            {},
            prefix="WITH late AS MATERIALIZED (SELECT job_id FROM orchestration_jobs"
            " WHERE status = 'leased' AND lease_expires_at < now()"
            " ORDER BY lease_expires_at LIMIT 1 FOR UPDATE SKIP LOCKED) ",
        ):
            expired += 1
            if row["attempt_count"] >= row["max_attempts"]:
                change_job(
                    connection,
                    JobDead,
                    f"status = 'dead', {ENDED}",
                    "job_id = %(job_id)s",
                    {"job_id": row["job_id"]},
                )
    return expired


def _lease_of(row: Row) -> Lease:
    return Lease(
        job_id=row["job_id"],
        epoch=row["lease_epoch"],
        owner=row["lease_owner"],
        project_id=row["project_id"],
        job_type=row["job_type"],
        key=row["idempotency_key"],
        attempt=row["attempt_count"],
        max_attempts=row["max_attempts"],
        created_by=row["created_by"],
        correlation_id=row["correlation_id"],
        payload=row["payload"],
    )


def _held(lease: Lease) -> Row:
    return {"job_id": lease.job_id, "epoch": lease.epoch}


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(
        f"The lease {lease.epoch} of job {lease.job_id} is over: nothing is written under it.",
        detail={"job_id": lease.job_id, "lease_epoch": lease.epoch},
    )
