"""The one relay of a database: publishes what the outbox holds, then marks it.

A relay that ends between the two publishes again: same ids, so readers take the first. It never
remembers how far it was, so a transaction that commits late is not missed.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from infra.platform import postgres
from infra.platform.errors import Conflict, Unavailable
from infra.platform.log import get
from infra.platform.loop import in_thread
from infra.store.jobs.notices import wait_for_notice
from infra.store.jobs.outbox import CHANNEL, Conn, hold_relay_lock, list_pending, mark_published
from schemas.envelope import Envelope

BATCH = 200
LOOK_EVERY_S = 15.0  # also without a notice
PAUSE_S = 2.0  # while broker or database is away, or another relay works

Publish = Callable[[Sequence[Envelope]], Awaitable[None]]
OpenPublish = Callable[[], AbstractAsyncContextManager[Publish]]

log = get("relay")


async def run_relay(conninfo: str, open_publish: OpenPublish, stop: threading.Event) -> None:
    """Publish until ``stop``; outages are waited for, another relay too."""
    while not stop.is_set():
        try:
            await _relay(conninfo, open_publish, stop)
        except Unavailable as error:
            log.warning("relay.outage", reason=str(error))
        except Conflict:
            log.debug("relay.standby")
        if not stop.is_set():
            await in_thread(partial(stop.wait, PAUSE_S))


async def _relay(conninfo: str, open_publish: OpenPublish, stop: threading.Event) -> None:
    with (
        postgres.connect(conninfo, autocommit=True) as connection,
        hold_relay_lock(connection),
    ):
        connection.execute(f"LISTEN {CHANNEL}")
        async with open_publish() as publish:
            while not stop.is_set():
                if not await publish_pending(connection, publish):
                    await in_thread(partial(wait_for_notice, connection, LOOK_EVERY_S, stop.is_set))


async def publish_pending(connection: Conn, publish: Publish) -> int:
    """Publish and mark a batch; how many facts it had."""
    pending = list_pending(connection, BATCH)
    if pending:
        await publish([each.fact for each in pending])
        mark_published(connection, pending)
        log.debug("relay.published", facts=len(pending))
    return len(pending)
