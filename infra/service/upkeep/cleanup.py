"""What the API does by itself while it runs: it forgets what is old.

That is keys, rows of the audit log, sessions, uploads, notes of decisions, and states of runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from infra.platform.errors import Unavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from infra.service.projects.projects import end_left_work, erase_deleted
from infra.store.checkpoints import forget_checkpoints
from infra.store.requests import forget_old
from infra.store.sent_decisions import forget_sent
from infra.store.sessions import forget_sessions
from infra.store.uploads import forget_uploads

EVERY_S = 3_600.0
# Stages that were in the middle of something may make a key or a job for a deleted project.
DELETED_EVERY_S = 20.0

log = get("upkeep")


async def keep_up(settings: Settings, tables: Tables) -> None:
    """Forget what is old and end what is left of deleted projects, now and then.

    Several servers may do so at once. Never returns.
    """

    async def forget() -> None:
        await forget_all(settings, tables)

    async def settle_deleted() -> None:
        await end_left_work(settings)
        await erase_deleted(settings)

    await asyncio.gather(_repeat(forget, EVERY_S), _repeat(settle_deleted, DELETED_EVERY_S))


async def _repeat(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        try:
            await work()
        except Unavailable as error:
            log.warning("upkeep.outage", reason=str(error), again_in_s=every_s)
        except Exception:  # it would end the server, which can do without it for a while
            log.exception("upkeep.failed", again_in_s=every_s)
        await asyncio.sleep(every_s)


async def forget_all(settings: Settings, tables: Tables) -> int:
    """Forget what is older than the settings say, and sessions that are over; how many rows.

    Raises DatabaseUnavailable.
    """
    days = settings.http_keys_days, settings.http_audit_days
    forgotten = await tables.ask(forget_sessions)
    while count := await tables.ask(forget_old, *days):
        forgotten += count
    while count := await tables.ask(forget_uploads, settings.http_keys_days):
        forgotten += count
    forgotten += await tables.ask(forget_sent, settings.http_keys_days)
    forgotten += await tables.ask(forget_checkpoints, settings.http_keys_days)
    if forgotten:
        log.info("upkeep.expired_rows_deleted", rows=forgotten)
    return forgotten
