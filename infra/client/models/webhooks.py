# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Webhooks are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from infra.client.connection import Model
from infra.client.models.webhooks_parts import DeliveryAttempt


class Delivery(Model):
    """A message to one webhook. ``message_id`` is sent as ``webhook-id``, the same each time.

    ``status``: ``waiting``, ``delivered`` or ``failed``. ``round`` counts the replays from 1,
    ``attempt_count`` the attempts of the last round; ``attempts`` are the newest ones of all.
    """

    delivery_id: str
    webhook_id: str
    message_id: str
    event_type: str
    body: str
    status: str
    round: int
    attempt_count: int
    attempts: list[DeliveryAttempt]
    next_attempt_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


class Webhook(Model):
    """Where news is sent. ``disabled_reason``: why Cairn has stopped it: ``gone`` (the receiver
    has answered 410) or ``failing``. Until ``previous_until`` the secret before the last
    rotation signs too; ``waiting`` is how many deliveries are still to be sent.
    """

    webhook_id: str
    project_id: str
    url: str
    events: list[str]
    is_active: bool
    allow_private_address: bool
    disabled_reason: str | None
    disabled_at: datetime | None
    previous_until: datetime | None
    created_at: datetime
    created_by: str
    waiting: int


class NewWebhook(Model):
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str


class WebhookRequest(Model):
    """No `events`: all. `allow_private_address`: the host may be on a private network or this
    machine, which an owner of all projects alone may allow.
    """

    url: str
    events: list[
        Literal[
            "contradiction.opened", "decision.waiting", "prd.changed", "run.ended", "escalation"
        ]
    ] = []
    is_active: bool = True
    allow_private_address: bool = False


class WebhookUpdate(Model):
    """What becomes different; what is left out stays. `is_active` true also ends a disablement."""

    url: str | None = None
    events: (
        list[
            Literal[
                "contradiction.opened", "decision.waiting", "prd.changed", "run.ended", "escalation"
            ]
        ]
        | None
    ) = None
    is_active: bool | None = None
    allow_private_address: bool | None = None
