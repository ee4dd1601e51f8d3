"""What requests and answers of the area Jobs are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model


class NewJob(Model):
    """Work for the queue. ``payload`` is what its type takes; ``run_after``: not earlier."""

    job_type: str
    payload: dict[str, Any] = {}
    priority: Literal["urgent", "scheduled", "background"] = "scheduled"
    run_after: datetime | None = None
    max_attempts: int = 5
