"""Webhooks of a project: where its news is sent. Add, change, test and remove them; their log.

A change raises Invalid for what cannot be called, NotFound, Conflict, and Unavailable when broker,
database or projector do not answer. The same key again changes nothing and has the same answer.
"""

from __future__ import annotations

import base64
import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta

import httpx

from infra.platform.addresses import is_loopback, is_well_formed, may_be_called
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Forbidden, Invalid
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import vault_of
from infra.service.foundation.database import ask, ask_project, transact, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from infra.service.notifying.webhook_post import draw_secret
from infra.store import webhook_deliveries as deliveries
from projections.read import webhooks as read
from projections.read.projects import find_project
from projections.read.session import Conn
from projections.read.webhooks import Delivery as Delivery
from projections.read.webhooks import DeliveryAttempt as DeliveryAttempt
from projections.read.webhooks import Webhook as Webhook
from projections.read.webhooks import WebhookSecrets
from schemas.envelope import Event
from schemas.events.webhook import (
    WEBHOOK_EVENTS,
    WebhookAdded,
    WebhookChanged,
    WebhookRemoved,
    WebhookSecretRotated,
)
from schemas.ids import derive_id

MAX_URL_CHARS = 1_000
MOST_WEBHOOKS = 20  # of a project
BOTH_SIGN_FOR = timedelta(hours=24)
TEST = "webhook.test"


@dataclass(frozen=True, slots=True)
class WebhookSpec:
    """``events`` empty: all. ``allow_private_address``: the host may be on a private network."""

    url: str
    events: Sequence[str] = ()
    is_active: bool = True
    allow_private_address: bool = False


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """What becomes different; None: as it is. ``is_active`` True also ends a disablement."""

    url: str | None = None
    events: Sequence[str] | None = None
    is_active: bool | None = None
    allow_private_address: bool | None = None


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str


async def add_webhook(
    settings: Settings,
    project: str,
    spec: WebhookSpec,
    *,
    actor: str,
    key: str,
    any_address: bool = True,
) -> NewWebhook:
    """Send news of the project to an address from now on.

    ``any_address``: the caller may allow private networks. Raises Forbidden.
    """
    _check_private(spec.allow_private_address, any_address)
    _check_url(spec.url, private=spec.allow_private_address)
    events = _check_events(spec.events) or list(WEBHOOK_EVENTS)
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    webhook_id = derive_id("whk", project_id, key)
    if await ask(settings, lambda tables: read.find_secrets(tables, webhook_id)) is None:
        known = await ask(settings, lambda tables: read.list_webhooks(tables, project_id))
        if len(known) >= MOST_WEBHOOKS:
            raise Conflict(
                f"The project has {MOST_WEBHOOKS} webhooks already: remove one first.",
                code="too_many_webhooks",
            )
        key_id, sealed = await _seal(settings, project_id, webhook_id)
        fact = WebhookAdded(
            webhook_id=webhook_id,
            url=spec.url,
            events=events,  # type: ignore[arg-type]  # `_check_events` knows them
            is_active=spec.is_active,
            allow_private_address=spec.allow_private_address,
            key_id=key_id,
            sealed=sealed,
            request_key=key,
        )
        await _publish(settings, fact, project_id, actor, key)
    return await _with_secret(settings, project_id, webhook_id, key)


async def _read_webhook(settings: Settings, project: str, webhook_id: str) -> Webhook:
    """Raises NotFound."""
    return await ask_project(settings, project, read.read_webhook, webhook_id)


async def change_webhook(
    settings: Settings,
    project: str,
    webhook_id: str,
    told: WebhookChange,
    *,
    actor: str,
    key: str,
    any_address: bool = True,
) -> Webhook:
    """Change a webhook; another address loses the permission for private networks unless it is
    given anew.
    """
    known = await _read_webhook(settings, project, webhook_id)
    allow_private_address = told.allow_private_address
    if allow_private_address is None and told.url not in (None, known.url):
        allow_private_address = False
    _check_private(bool(told.allow_private_address), any_address)
    private = (
        known.allow_private_address if allow_private_address is None else allow_private_address
    )
    _check_url(told.url or known.url, private=private)
    fact = WebhookChanged(
        webhook_id=webhook_id,
        url=told.url,
        events=None if told.events is None else _check_events(told.events),  # type: ignore[arg-type]
        is_active=told.is_active,
        allow_private_address=allow_private_address,
        request_key=key,
    )
    await _publish(settings, fact, known.project_id, actor, key)

    def shows(tables: Conn) -> Webhook | None:
        secrets = read.find_secrets(tables, webhook_id)
        if secrets is None or secrets.last_request != key:
            return None
        return read.read_webhook(tables, known.project_id, webhook_id)

    return await wait_until_shown(settings, shows, webhook_id=webhook_id)


async def remove_webhook(
    settings: Settings, project: str, webhook_id: str, *, actor: str, key: str
) -> Webhook:
    """Send nothing there any more; its log goes, too."""
    known = await _read_webhook(settings, project, webhook_id)
    await _publish(settings, WebhookRemoved(webhook_id=webhook_id), known.project_id, actor, key)

    def is_gone(tables: Conn) -> bool | None:
        left = {each.webhook_id for each in read.list_webhooks(tables, known.project_id)}
        return True if webhook_id not in left else None

    await wait_until_shown(settings, is_gone, "The removal", webhook_id=webhook_id)
    return known


async def rotate_webhook_secret(
    settings: Settings, project: str, webhook_id: str, *, actor: str, key: str
) -> NewWebhook:
    """A new secret; for 24 hours the one before it signs too, so receivers can change over."""
    known = await _read_webhook(settings, project, webhook_id)
    secrets = await ask(settings, lambda tables: read.find_secrets(tables, webhook_id))
    if secrets is None or secrets.secret_request != key:
        key_id, sealed = await _seal(settings, known.project_id, webhook_id)
        fact = WebhookSecretRotated(
            webhook_id=webhook_id,
            key_id=key_id,
            sealed=sealed,
            previous_until=SystemClock().now() + BOTH_SIGN_FOR,
            request_key=key,
        )
        await _publish(settings, fact, known.project_id, actor, key)
    return await _with_secret(settings, known.project_id, webhook_id, key)


async def send_test_message(
    settings: Settings, project: str, webhook_id: str, *, key: str
) -> Delivery:
    """Send a message of the type ``webhook.test`` at once, and return its delivery, which waits.

    Raises Conflict for a webhook that is not active.
    """
    known = await _read_webhook(settings, project, webhook_id)
    _check_active(known)
    now = SystemClock().now().astimezone(UTC)
    data = {"project_id": known.project_id, "webhook_id": webhook_id}
    body = {"type": TEST, "timestamp": now.isoformat(timespec="milliseconds"), "data": data}
    message_id = derive_id("msg", webhook_id, TEST, key)
    delivery_id = derive_id("dlv", webhook_id, message_id)
    text = json.dumps(body, separators=(",", ":"))

    def add(tables: Conn) -> Delivery:
        deliveries.add_test(
            tables,
            delivery_id,
            webhook_id,
            project_id=known.project_id,
            message_id=message_id,
            event_type=TEST,
            body=text,
        )
        return read.read_delivery(tables, webhook_id, delivery_id)

    return await transact(settings, add)


async def replay_delivery(
    settings: Settings, project: str, webhook_id: str, delivery_id: str
) -> Delivery:
    """Send a message once more, with all its attempts and the same id.

    Raises NotFound, Conflict for one that waits or a webhook that is not active.
    """
    known = await _read_webhook(settings, project, webhook_id)
    _check_active(known)

    def replay(tables: Conn) -> Delivery:
        read.read_delivery(tables, webhook_id, delivery_id)
        if not deliveries.replay(tables, delivery_id):
            raise Conflict("The delivery is waiting to be sent already.", code="delivery_waits")
        return read.read_delivery(tables, webhook_id, delivery_id)

    return await transact(settings, replay)


async def _publish(settings: Settings, fact: Event, project_id: str, actor: str, key: str) -> None:
    await publish(settings, [make_request(fact, project_id, actor, key)])


async def _seal(settings: Settings, project_id: str, webhook_id: str) -> tuple[str, bytes]:
    """A new secret, encrypted. Raises VaultUnconfigured."""
    secret = draw_secret().encode()
    vault = vault_of(settings)
    return await in_thread(lambda: vault.encrypt(project_id, secret, place=webhook_id))


async def _with_secret(
    settings: Settings, project_id: str, webhook_id: str, key: str
) -> NewWebhook:
    """What the tables hold: of two requests with one key the first one's secret counts."""

    def shows(tables: Conn) -> tuple[Webhook, WebhookSecrets] | None:
        secrets = read.find_secrets(tables, webhook_id)
        if secrets is None or secrets.secret_request != key:
            return None
        return read.read_webhook(tables, project_id, webhook_id), secrets

    webhook, secrets = await wait_until_shown(settings, shows, webhook_id=webhook_id)
    vault, sealed = vault_of(settings), base64.b64decode(secrets.sealed)
    opened = await in_thread(lambda: vault.decrypt(secrets.key_id, sealed, webhook_id))
    return NewWebhook(webhook, opened.decode())


def _check_active(known: Webhook) -> None:
    if not known.is_active:
        raise Conflict("The webhook is not active: activate it first.", code="webhook_not_active")


def _check_events(events: Sequence[str]) -> list[str]:
    if unknown := sorted(set(events) - set(WEBHOOK_EVENTS)):
        raise Invalid(
            f"There is no event {unknown[0]!r}: there are {', '.join(WEBHOOK_EVENTS)}.",
            code="webhook_event_unknown",
        )
    return sorted(set(events))


def _check_private(asked: bool, any_address: bool) -> None:
    if asked and not any_address:
        raise Forbidden(
            "Private networks may be allowed by an owner of all projects only.",
            code="address_not_allowed",
        )


def _check_url(url: str, *, private: bool) -> None:
    """Raises Invalid for an address that cannot be called, or that holds a secret."""
    from streams.hygiene.redaction.strings import redact_text

    try:
        parsed = httpx.URL(url)
        host = parsed.host
    except (httpx.InvalidURL, ValueError):
        parsed, host = httpx.URL(""), ""
    if (
        not host
        or len(url) > MAX_URL_CHARS
        or not is_well_formed(url, query=True)
        or "@" in url
        or parsed.scheme not in ("http", "https")
    ):
        raise Invalid(
            "The address of a webhook is https://host/path, without user, password and @, of at"
            f" most {MAX_URL_CHARS:,} characters.",
            code="webhook_url_invalid",
        )
    if parsed.scheme == "http" and not is_loopback(url):
        raise Invalid(
            "The address would be called without encryption: give an https address.",
            code="webhook_url_invalid",
        )
    if redact_text(url) != url:
        raise Invalid(
            "The address holds a secret, and addresses are stored in clear: verify the signature"
            " of what is sent instead.",
            code="webhook_url_holds_secret",
        )
    literal = _literal_of(host)
    if literal and not may_be_called(literal, private=private):
        raise Invalid(
            "The address is on a network that may not be called. An owner of all projects can"
            " allow private networks (allow_private_address); link-local addresses are never"
            " called.",
            code="webhook_url_private",
        )


def _literal_of(host: str) -> str:
    """The IP address that a host is; of a name, empty: it is judged when it is called."""
    if host == "localhost":
        return "127.0.0.1"
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""
