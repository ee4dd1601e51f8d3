# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Webhooks are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class DeliveryAttempt(Model):
    """``status`` is the receiver's answer; without one, ``error`` says why there was none."""

    at: datetime
    duration_ms: int
    status: int | None = None
    error: str = ""
