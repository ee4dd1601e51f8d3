"""Webhooks that a project's owner has set up: where news of a project is sent, and what came of it.

Secrets are encrypted with the project's data key and bound to their webhook, so that the log alone
signs nothing. Key ``project_id``.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, get_args

from schemas.envelope import Event

WebhookEvent = Literal[
    "contradiction.opened", "decision.waiting", "prd.changed", "run.ended", "escalation"
]
WEBHOOK_EVENTS: tuple[WebhookEvent, ...] = get_args(WebhookEvent)
DisabledReason = Literal["gone", "failing"]
DeliveryOutcome = Literal["delivered", "failed"]


class _Webhook(Event):
    """What the facts about one webhook share."""

    topic: ClassVar[str] = "webhook.v1"

    webhook_id: str

    @property
    def aggregate_id(self) -> str:
        return self.webhook_id


class WebhookAdded(_Webhook):
    """News of the types ``events`` is sent to ``url`` from now on. Natural key: the request's key.

    ``allow_private_address``: an owner of all projects has named the address, so it may be on a
    private network. ``sealed`` is the secret (AES-256-GCM) under the data key ``key_id``.
    """

    type_name: ClassVar[str] = "webhook.added"

    url: str
    events: list[WebhookEvent]
    is_active: bool = True
    allow_private_address: bool = False
    key_id: str
    sealed: bytes
    request_key: str = ""


class WebhookChanged(_Webhook):
    """A webhook is different from now on; what is None stays. Natural key: the request's key.

    ``is_active`` True also ends a disablement; what happened meanwhile is not sent.
    """

    type_name: ClassVar[str] = "webhook.changed"

    url: str | None = None
    events: list[WebhookEvent] | None = None
    is_active: bool | None = None
    allow_private_address: bool | None = None
    request_key: str = ""


class WebhookSecretRotated(_Webhook):
    """There is a new secret; until ``previous_until`` the one before it signs too."""

    type_name: ClassVar[str] = "webhook.secret_rotated"

    key_id: str
    sealed: bytes
    previous_until: datetime
    request_key: str = ""


class WebhookRemoved(_Webhook):
    """Nothing is sent there any more. Natural key: the request's key."""

    type_name: ClassVar[str] = "webhook.removed"


class WebhookDisabled(_Webhook):
    """Cairn has stopped sending: the receiver is ``gone`` (410), or nothing got through for days.

    ``delivery_id`` is the delivery that showed it, in its attempts of ``round``.
    """

    type_name: ClassVar[str] = "webhook.disabled"

    reason: DisabledReason
    delivery_id: str
    round: int

    @property
    def local_key(self) -> str:
        return f"{self.delivery_id}|{self.round}"


class WebhookDeliveryEnded(_Webhook):
    """A delivery was taken (``delivered``), or is not tried any more.

    ``round`` is 1, and one more with each replay. ``status`` is the receiver's last answer.
    """

    type_name: ClassVar[str] = "webhook.delivery_ended"

    delivery_id: str
    message_id: str
    event_type: str
    round: int
    outcome: DeliveryOutcome
    attempts: int
    status: int | None = None

    @property
    def local_key(self) -> str:
        return f"{self.delivery_id}|{self.round}"


WEBHOOK_FACTS: tuple[type[Event], ...] = (
    WebhookAdded,
    WebhookChanged,
    WebhookSecretRotated,
    WebhookRemoved,
    WebhookDisabled,
    WebhookDeliveryEnded,
)
