"""Sends the messages of projects to their webhooks: at least once, however often it is killed.

One process of an installation sends at a time; it holds a lock of the database, on the connection
over which it also records. Each webhook has at most one attempt under way, and waits for no other.
Decided against: jobs of the queue, whose workers a slow receiver would keep from other work.
"""

from __future__ import annotations

import asyncio
import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import TopicPartition

from infra.platform import postgres
from infra.platform.errors import Refusal, Unavailable
from infra.platform.kafka import broker_errors, running_consumer
from infra.platform.log import get
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import Vault, vault_of
from infra.service.notifying.webhook_post import headers_of, post
from infra.store.webhook_deliveries import (
    Answer,
    Conn,
    Due,
    forget_old,
    give_out,
    has_webhooks,
    list_due,
    list_unseen,
    read_webhook_offsets,
    record_attempt,
)
from schemas.events.webhook import WebhookDisabled
from schemas.ids import sha256_hex

LOCK = int(sha256_hex("webhook sender")[:15], 16)
LOOK_EVERY_S = 1.0
RESTS_S = 10.0  # where there is no webhook: what its first messages wait
PAUSE_S = 5.0  # while the database is away, or another process sends
FORGET_EVERY_S = 3_600.0
AT_ONCE = 256  # webhooks with an attempt under way
COOL_DOWN_S, LONGEST_COOL_DOWN_S = 1.0, 60.0  # of a webhook, after failures in a row

P = ParamSpec("P")
T = TypeVar("T")

log = get("webhook_sender")


def run_webhook_sender(settings: Settings, stop: threading.Event) -> None:
    """Send until ``stop``, on a loop of its own, so that no handler of a job keeps it waiting."""
    asyncio.run(send_webhooks(settings, stop))


async def send_webhooks(settings: Settings, stop: threading.Event) -> None:
    """Send until ``stop``. Outages are waited for, another sender too."""
    while not stop.is_set():
        try:
            await _send(settings, stop)
        except Unavailable as error:
            log.warning("webhooks.outage", reason=str(error))
        except Exception:  # one that ends would send nothing any more, and nobody would know
            log.exception("webhooks.failed")
        await in_thread(partial(stop.wait, PAUSE_S))


async def _send(settings: Settings, stop: threading.Event) -> None:
    """Send until ``stop``; return at once where another process does. Raises …Unavailable."""
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        if postgres.try_lock(connection, LOCK):
            async with running_consumer(settings) as consumer:
                sender = Sender(settings, connection, consumer, vault_of(settings))
                await sender.run(stop)


@dataclass
class Sender:
    """Sends over ``connection``, which holds the lock; ``consumer`` knows where the log ends."""

    settings: Settings
    connection: Conn
    consumer: AIOKafkaConsumer
    vault: Vault
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of the connection
    _under_way: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _failures: dict[str, tuple[int, float]] = field(default_factory=dict)  # count, wait until

    async def run(self, stop: threading.Event) -> None:
        """Send until ``stop``; an attempt under way is cut off then. Raises …Unavailable."""
        await self._read_ends()
        forget_at_s = 0.0
        try:
            while not stop.is_set():
                await self.give_out()
                await self.begin()
                if time.monotonic() >= forget_at_s:
                    await self._ask(forget_old)
                    forget_at_s = time.monotonic() + FORGET_EVERY_S
                await self._wait(stop)
        finally:
            for task in self._under_way.values():
                task.cancel()
            await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def give_out(self) -> None:
        """Queue new messages, once the table knows every webhook that was added before them."""
        while unseen := await self._ask(list_unseen):
            ends = await self._read_ends()
            reached = await self._ask(read_webhook_offsets)
            if any(reached.get(part, 0) < end for part, end in ends.items()):
                return  # looked again in a second
            queued = await self._ask(give_out, unseen)
            log.info("webhooks.queued", messages=len(unseen), deliveries=queued)

    async def begin(self) -> None:
        """Begin the next attempt for each webhook that has a due one and none under way."""
        now_s = time.monotonic()
        resting = {known for known, (_, until_s) in self._failures.items() if until_s > now_s}
        busy = resting | self._under_way.keys()
        free = AT_ONCE - len(self._under_way)
        if free > 0:
            for due in await self._ask(list_due, busy, free):
                self._under_way[due.webhook_id] = asyncio.create_task(self._attempt(due))

    async def _attempt(self, due: Due) -> None:
        body = due.body.encode()
        try:
            secrets = await in_thread(partial(self._open_secrets, due))
        except Unavailable:
            raise
        except Refusal as error:
            answer = Answer(0, error=f"not sent: {error}")
        else:
            headers = headers_of(secrets, due.message_id, body)
            answer = await post(
                due.url, body, headers, allow_private_address=due.allow_private_address
            )
        outcome = await self._ask(record_attempt, due, answer)
        self._rest(due.webhook_id, answer)
        log.info(
            "webhooks.attempted",
            webhook_id=due.webhook_id,
            delivery_id=due.delivery_id,
            status=answer.status,
            outcome=outcome or "waiting",
        )

    def _open_secrets(self, due: Due) -> list[str]:
        """The secrets that sign now, the newest first. Raises Undecryptable, …Unavailable."""
        sealed = [(due.key_id, due.sealed)]
        if due.previous_key_id and due.previous_sealed:
            sealed.append((due.previous_key_id, due.previous_sealed))
        return [
            self.vault.decrypt(key_id, base64.b64decode(text), due.webhook_id).decode()
            for key_id, text in sealed
        ]

    def _rest(self, webhook_id: str, answer: Answer) -> None:
        """A receiver that fails is not asked for the next delivery at once."""
        if answer.is_taken:
            self._failures.pop(webhook_id, None)
            return
        count = self._failures.get(webhook_id, (0, 0.0))[0] + 1
        pause_s = min(LONGEST_COOL_DOWN_S, COOL_DOWN_S * 2.0 ** min(count - 1, 10))
        self._failures[webhook_id] = count, time.monotonic() + pause_s

    async def _wait(self, stop: threading.Event) -> None:
        """A second has passed, or an attempt has ended. Raises what an attempt raised."""
        if not self._under_way:
            seconds = LOOK_EVERY_S if await self._ask(has_webhooks) else RESTS_S
            await in_thread(partial(stop.wait, seconds))
            return
        await asyncio.wait(
            self._under_way.values(),
            timeout=LOOK_EVERY_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        for webhook_id, task in list(self._under_way.items()):
            if task.done():
                del self._under_way[webhook_id]
                await task

    async def _read_ends(self) -> dict[int, int]:
        """Where the topic of webhooks ends, by partition. Raises BrokerUnavailable."""
        name = self.settings.topic(WebhookDisabled.topic)
        places = [TopicPartition(name, part) for part in range(self.settings.partitions)]
        with broker_errors("reading ends of topics"):
            ends = await self.consumer.end_offsets(places)
        return {place.partition: end for place, end in ends.items()}

    async def _ask(
        self, question: Callable[Concatenate[Conn, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        async with self._turn:
            return await in_thread(partial(question, self.connection, *args, **kwargs))
