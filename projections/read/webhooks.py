"""Webhooks of a project, and the log of what was sent to them."""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.webhook import DisabledReason, WebhookEvent

COLUMNS = (
    "w.webhook_id, w.project_id, w.url, w.events, w.is_active, w.may_be_private,"
    " w.disabled_reason, w.disabled_at, w.previous_until, w.created_at, w.created_by,"
    " (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id"
    " AND d.status = 'waiting') AS waiting"
)
OF_PROJECT = (
    f"SELECT {COLUMNS} FROM webhooks w WHERE w.project_id = %s AND NOT w.removed"
    " ORDER BY w.created_at, w.webhook_id"
)
DISABLED = (
    f"SELECT {COLUMNS} FROM webhooks w WHERE w.disabled_reason IS NOT NULL AND NOT w.is_active"
    " AND NOT w.removed"
    " AND NOT EXISTS (SELECT FROM deleted_projects p WHERE p.project_id = w.project_id)"
    " ORDER BY w.disabled_at, w.webhook_id"
)
SECRETS = (
    "SELECT webhook_id, key_id, sealed, previous_key_id, previous_sealed, previous_until,"
    " secret_request, last_request FROM webhooks WHERE webhook_id = %s"
)
DELIVERIES = Listing(
    "deliveries",
    "d.delivery_id, d.webhook_id, d.message_id, d.event_type, d.body, d.status, d.round,"
    " d.attempt_count, d.attempts, d.next_attempt_at, d.created_at, d.ended_at",
    "webhook_deliveries d",
    {"d.created_at": "timestamptz", "d.delivery_id": "text"},
)


class Webhook(ReadModel):
    """Where news is sent. ``disabled_reason``: why Cairn has stopped it: ``gone`` (the receiver
    has answered 410) or ``failing``. Until ``previous_until`` the secret before the last rotation
    signs too; ``waiting`` is how many deliveries are still to be sent.
    """

    webhook_id: str
    project_id: str
    url: str
    events: list[WebhookEvent]
    is_active: bool
    may_be_private: bool
    disabled_reason: DisabledReason | None
    disabled_at: datetime | None
    previous_until: datetime | None
    created_at: datetime
    created_by: str
    waiting: int


class WebhookSecrets(ReadModel):
    """The encrypted secrets (base64), and the requests that changed the webhook last."""

    webhook_id: str
    key_id: str
    sealed: str
    previous_key_id: str | None
    previous_sealed: str | None
    previous_until: datetime | None
    secret_request: str
    last_request: str


class DeliveryAttempt(ReadModel):
    """``status`` is the receiver's answer; without one, ``error`` says why there was none."""

    at: datetime
    took_ms: int
    status: int | None = None
    error: str = ""


class Delivery(ReadModel):
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


def list_webhooks(connection: Conn, project_id: str) -> list[Webhook]:
    """The webhooks of a project, oldest first."""
    return select(connection, Webhook, OF_PROJECT, project_id)


def list_disabled_webhooks(connection: Conn) -> list[Webhook]:
    """The webhooks of all projects that Cairn has stopped."""
    return select(connection, Webhook, DISABLED)


def read_webhook(connection: Conn, project_id: str, webhook_id: str) -> Webhook:
    """Raises NotFound."""
    for each in list_webhooks(connection, project_id):
        if each.webhook_id == webhook_id:
            return each
    raise NotFound(f"There is no webhook {webhook_id}.", code="unknown_webhook")


def find_secrets(connection: Conn, webhook_id: str) -> WebhookSecrets | None:
    items = select(connection, WebhookSecrets, SECRETS, webhook_id)
    return items[0] if items else None


def list_deliveries(
    connection: Conn,
    project_id: str,
    webhook_id: str,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Delivery]:
    """A page of what was sent to a webhook in the last 30 days, newest first. Raises NotFound."""
    read_webhook(connection, project_id, webhook_id)
    conditions = [("d.webhook_id = %s", webhook_id)]
    records, following = page_of(connection, DELIVERIES, conditions, cursor, limit, backwards=True)
    return Page(items=[Delivery(**row) for row in records], next_cursor=following)


def read_delivery(connection: Conn, webhook_id: str, delivery_id: str) -> Delivery:
    """Raises NotFound."""
    records = rows(
        connection,
        f"SELECT {DELIVERIES.columns} FROM {DELIVERIES.tables}"
        " WHERE d.webhook_id = %s AND d.delivery_id = %s",
        *(webhook_id, delivery_id),
    )
    if not records:
        raise NotFound(f"There is no delivery {delivery_id}.", code="unknown_delivery")
    return Delivery(**records[0])
