"""What requests and answers of the area Webhooks are made of."""

from __future__ import annotations

from infra.client.connection import Model


class Accepted(Model):
    """``accepted``: it is on the log, or was before (``duplicate``). Slack's first request has
    its ``challenge`` as answer.
    """

    accepted: bool | None = None
    duplicate: bool | None = None
    challenge: str | None = None
