"""What requests and answers of the area Jobs are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class Transition(Model):
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
