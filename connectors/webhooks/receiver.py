"""Verifies a delivery, encrypts it and publishes it; then it is answered.

The order is fixed: size, secret, signature, form, id, key, broker. No part of a body is used before
its signature is verified, and of a refused delivery only a count is kept. Decided against a table
of seen deliveries: ids derive from the delivery, so its readers process it once. The window here
only spares them the repeats of the last minutes.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from connectors.webhooks.deliveries import Delivery, delivery_of
from connectors.webhooks.payload import Malformed, json_of, parse_json
from connectors.webhooks.signatures import verdict_on
from infra.platform.clock import Clock
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, VaultUnconfigured
from infra.platform.log import get
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.connector import ConnectorService
from schemas.events.connector_item import ItemReceived

REPLAY_WINDOW = 10_000  # deliveries of which id and keyed hash are kept
SIGNED_WINDOW = timedelta(hours=24)  # for a time inside a signed body (Jira retries for an hour)
ACKNOWLEDGED_WITHIN_S = 2.5  # Slack waits 3 s for the answer
PENDING_BYTES = 32 * 1024 * 1024  # handed to the producer and not acknowledged

RefusalReason = Literal[
    "unknown",
    "unsigned",
    "forged",
    "stale",
    "replayed",
    "oversized",
    "malformed",
    "slow",
    "busy",
    "broker_away",
    "database_away",
    "vault_unconfigured",
]
STATUS: dict[RefusalReason, int] = {
    "unknown": 401,  # a stranger must not learn which projects exist
    "unsigned": 401,
    "forged": 401,
    "stale": 401,
    "replayed": 409,
    "oversized": 413,
    "malformed": 400,
    "slow": 408,
    "busy": 503,
    "broker_away": 503,
    "database_away": 503,
    "vault_unconfigured": 503,
}
MESSAGES: dict[RefusalReason, str] = {
    "unknown": "The signature is missing or wrong.",
    "unsigned": "The signature is missing or wrong.",
    "forged": "The signature is missing or wrong.",
    "stale": "The delivery is too old: send it again with the present time.",
    "replayed": "This body has been delivered before, under another id.",
    "oversized": "The body is too large.",
    "malformed": "The body is no delivery of this service.",
    "slow": "The body did not come in time.",
    "busy": "Too many deliveries at once: send it again.",
    "broker_away": "The delivery could not be stored now: send it again.",
    "database_away": "The delivery could not be stored now: send it again.",
    "vault_unconfigured": "Nothing can be stored here: the vault has no master key.",
}

log = get("webhooks")
Publish = Callable[[list[Envelope]], Awaitable[None]]
# project id, content, subject -> key id, ciphertext; raises what `infra.platform.vault` raises
Seal = Callable[[str, bytes, str], tuple[str, bytes]]


@dataclass(frozen=True)
class Endpoint:
    """A project's endpoint for one service. ``secrets`` sign deliveries, newest first."""

    project_id: str
    secrets: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the sender; ``outcome`` is what is counted."""

    status: int
    body: dict[str, Any]
    outcome: str
    retry: bool = False


class DeliveryRefused(Exception):
    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason)
        self.reason: RefusalReason = reason


class Receiver:
    """Handles deliveries. ``endpoint`` is called for each, so that changes apply at once."""

    def __init__(
        self,
        endpoint: Callable[[ConnectorService, str], Endpoint | None],
        seal: Seal,
        publish: Publish,
        clock: Clock,
        acknowledged_within_s: float = ACKNOWLEDGED_WITHIN_S,
    ) -> None:
        self._endpoint, self._seal, self._publish = endpoint, seal, publish
        self._clock = clock
        self._patience_s = acknowledged_within_s
        self._seen: OrderedDict[bytes, str] = OrderedDict()  # delivery id by mark of a body
        self._pending_bytes = 0
        self._sending: dict[bytes, asyncio.Task[None]] = {}  # by mark

    async def receive(
        self,
        service: ConnectorService,
        project: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Answer:
        """The answer to one delivery; 202 only when the broker has acknowledged it."""
        try:
            return await self._process(service, project, headers, body)
        except DeliveryRefused as refusal:
            return refusal_answer(refusal.reason)
        except Malformed:
            return refusal_answer("malformed")
        except (BrokerUnavailable, TimeoutError):
            return refusal_answer("broker_away")
        except DatabaseUnavailable:
            return refusal_answer("database_away")
        except VaultUnconfigured:
            return refusal_answer("vault_unconfigured")

    async def _process(
        self, service: ConnectorService, project: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        endpoint = self._endpoint(service, project)
        if endpoint is None or not endpoint.secrets:
            raise DeliveryRefused("unknown")
        now = self._clock.now()
        verdict = verdict_on(service, headers, body, endpoint.secrets, now)
        if verdict != "genuine":
            raise DeliveryRefused(verdict)
        content = json_of(body, headers.get("Content-Type", "")) if service == "github" else body
        delivery = delivery_of(service, headers, parse_json(content))
        if delivery.challenge is not None:
            return Answer(200, {"challenge": delivery.challenge}, "greeted")
        if delivery.signed_at and abs(delivery.signed_at - now) > SIGNED_WINDOW:
            raise DeliveryRefused("stale")
        if not delivery.keep:
            return Answer(202, {"accepted": False}, "ignored")
        named = f"{service}\n{endpoint.project_id}\n".encode()
        mark = hmac.digest(endpoint.secrets[0], named + body, "sha256")
        before = self._seen.get(mark)
        if before is not None and before != delivery.delivery_id:
            raise DeliveryRefused("replayed")
        under_way = self._sending.get(mark)
        if before is not None and under_way is None:
            return Answer(202, {"accepted": True, "duplicate": True}, "duplicate")
        if under_way is None:
            fact = await self._encrypt_fact(service, endpoint, delivery, content)
            under_way = self._sending.get(mark) or self._send(mark, delivery, fact, len(content))
        async with asyncio.timeout(self._patience_s):
            await asyncio.shield(under_way)
        return Answer(202, {"accepted": True}, "received" if before is None else "duplicate")

    async def _encrypt_fact(
        self, service: ConnectorService, endpoint: Endpoint, delivery: Delivery, content: bytes
    ) -> Envelope:
        subject = f"{service}:{delivery.author}" if delivery.author else ""
        key_id, sealed = await asyncio.to_thread(self._seal, endpoint.project_id, content, subject)
        event = ItemReceived(
            connector=service,
            external_ref=delivery.external_ref,
            kind=delivery.kind,
            delivery_id=delivery.delivery_id,
            key_id=key_id,
            body=sealed,
        )
        return outside_fact(
            event,
            project_id=endpoint.project_id,
            occurred_at=utc_millis(self._clock.now()),
            actor=Actor(type="connector", id=service),
        )

    def _send(
        self, mark: bytes, delivery: Delivery, fact: Envelope, size: int
    ) -> asyncio.Task[None]:
        """Publishes the fact once for all senders that deliver it meanwhile.

        A send that takes longer than its sender waits continues by itself; the sender's repeat
        finds it running or done. Raises DeliveryRefused if too much is unacknowledged.
        """
        if self._pending_bytes + size > PENDING_BYTES:
            raise DeliveryRefused("broker_away")
        self._pending_bytes += size
        task = asyncio.ensure_future(self._publish([fact]))
        self._sending[mark] = task
        self._remember(mark, delivery.delivery_id)

        def finish(sent: asyncio.Future[None]) -> None:
            self._sending.pop(mark, None)
            self._pending_bytes -= size
            if sent.cancelled() or sent.exception() is not None:
                self._seen.pop(mark, None)

        task.add_done_callback(finish)
        return task

    def _remember(self, mark: bytes, delivery_id: str) -> None:
        self._seen[mark] = delivery_id
        while len(self._seen) > REPLAY_WINDOW:
            self._seen.popitem(last=False)


def refusal_answer(reason: RefusalReason) -> Answer:
    """The answer to a delivery that is refused."""
    status = STATUS[reason]
    code = "signature" if status == 401 and reason != "stale" else reason
    return Answer(status, {"code": code, "message": MESSAGES[reason]}, reason, retry=status == 503)
