# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Onboarding are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class Attached(Model):
    """The artifacts of one type that the pipeline has led to."""

    artifact_type: str
    artifact_ids: list[str]


class StageRecord(Model):
    """A stage; ``attempt`` counts how often it began. ``reason``: why it is skipped or waits."""

    name: str
    status: str = "pending"
    attempt: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    error: str = ""
    reason: str = ""
