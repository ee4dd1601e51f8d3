"""What becomes of jobs. The database decides, these are its transitions as facts.

A worker holds a job under a lease; ``lease_epoch`` counts the leases, and a write under an earlier
one is refused. Each fact has the whole job as it is afterwards, so that readers need no other.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, get_args

from schemas.envelope import Event, Part

JobType = Literal[
    "ingestion",
    "onboarding",
    "feature_generation",
    "sprint_planning",
    "rebalancing",
    "heartbeat_execution",
    "prd_generation",
    "insight_generation",
    "task_breakdown",
    "quality_run",
    "report",
    "synthesis",
    "delta_ingestion",
    "deep_dive",
    "recompute",
    "connector_sync",
    "replay",
    "rebuild",
    "verify_log",
    "agent_turn",
    "workflow",
    "delivery",
    "consultation",
    "brainstorm",
]
JobStatus = Literal["queued", "leased", "succeeded", "failed", "dead", "cancelled"]
Priority = Literal["urgent", "scheduled", "background"]

JOB_TYPES: tuple[JobType, ...] = get_args(JobType)
JOB_STATUSES: tuple[JobStatus, ...] = get_args(JobStatus)
PRIORITIES: dict[Priority, int] = {"urgent": 0, "scheduled": 10, "background": 20}


class JobRecord(Part):
    """A job after a transition; ``transition`` counts these and gives their order.

    ``failed`` is a job that waits until ``run_after`` for its next attempt; ``dead`` has none left.
    ``payload`` and ``result`` are JSON texts. A lower ``priority`` is served first.
    """

    job_id: str
    transition: int
    job_type: JobType
    idempotency_key: str
    priority: int
    status: JobStatus
    lease_owner: str | None = None
    lease_epoch: int
    attempt_count: int
    max_attempts: int
    run_after: datetime
    payload: str
    result: str | None = None
    last_error: str | None = None
    error_class: str | None = None
    correlation_id: str
    created_by: str
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class JobChanged(Event):
    """What all transitions carry. Key ``job_id``; natural key: job, lease epoch and type."""

    topic: ClassVar[str] = "job.v1"
    stable_key: ClassVar[bool] = True

    job: JobRecord

    @property
    def aggregate_id(self) -> str:
        return self.job.job_id

    @property
    def local_key(self) -> str:
        return f"{self.job.job_id}|{self.job.lease_epoch}|{self.type_name}"


class JobEnqueued(JobChanged):
    """A job waits to be done; again, with a higher epoch, when a person has it tried once more."""

    type_name: ClassVar[str] = "job.enqueued"


class JobClaimed(JobChanged):
    """A worker has taken the job under a new lease."""

    type_name: ClassVar[str] = "job.claimed"


class JobLeaseExpired(JobChanged):
    """The worker has not renewed its lease or gave it up; another may take the job."""

    type_name: ClassVar[str] = "job.lease_expired"


class JobAttemptFailed(JobChanged):
    """An attempt failed; the next one begins at ``run_after`` or later."""

    type_name: ClassVar[str] = "job.attempt_failed"


class JobSucceeded(JobChanged):
    """The job is done and has its result."""

    type_name: ClassVar[str] = "job.succeeded"


class JobDead(JobChanged):
    """The job failed for good: its attempts are used up, or another one would fail alike."""

    type_name: ClassVar[str] = "job.dead"


class JobCancelled(JobChanged):
    """A person has ended the job; what its worker still writes is refused."""

    type_name: ClassVar[str] = "job.cancelled"
