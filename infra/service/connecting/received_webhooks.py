"""Take deliveries of webhooks while the HTTP server runs.

What a delivery needs (a producer, the connectors as the log names them) is opened once and opened
anew when it fails. Meanwhile senders are asked to come again, and the API goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, cast, get_args

from connectors.webhooks.counters import FILE, Counters
from connectors.webhooks.receiver import Answer, refusal_answer
from infra.platform.clock import SystemClock
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.foundation.publishing import redactor_of
from schemas.events.connector import ConnectorService

if TYPE_CHECKING:
    from connectors.webhooks.receiver import Endpoint, Seal
    from connectors.webhooks.server import Server

WRITE_EVERY_S = 1.0  # the counters
PAUSE_S = 1.0  # before what failed is opened anew

SERVICES: tuple[str, ...] = get_args(ConnectorService)

log = get("webhooks")


class Deliveries:
    """Takes deliveries; secrets are looked up in ``environ``. Without a ``server`` all are asked
    to come again.
    """

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings, self._environ = settings, environ
        self.counters = Counters(settings.home / FILE)
        self.server: Server | None = None
        self._was_open = False  # since the last failure

    async def take(
        self,
        service: str,
        project: str,
        headers: Mapping[str, str],
        address: str,
        parts: AsyncIterator[bytes],
    ) -> Answer:
        """The answer to a delivery of one of ``SERVICES``: 202 only when the log has it.

        ``parts`` are its body, and raise ConnectionError when the sender goes away; ``address`` is
        where it comes from.
        """
        if self.server is None:
            answer = refusal_answer("broker_away")
            self.counters.count(service, answer.outcome)
            return answer
        from connectors.webhooks.server import Incoming

        known = cast(ConnectorService, service)
        return await self.server.take(Incoming(known, project, headers, address, parts))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Deliveries are taken during the block, whenever broker and log can be used."""
        works = [asyncio.create_task(self._keep_open()), asyncio.create_task(self._keep_written())]
        try:
            yield
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
            self.counters.write()

    async def _keep_open(self) -> None:
        told = ""  # a broker that is away for an hour is one line
        while True:
            try:
                await self._open()
            except Exception as error:
                reason = type(error).__name__
                if reason != told or self._was_open:
                    log.warning("webhooks.closed", error_class=reason, again_in_s=PAUSE_S)
                told, self._was_open = reason, False
            await asyncio.sleep(PAUSE_S)

    async def _open(self) -> None:
        """Take deliveries until something fails, and raise that."""
        from connectors.bound_secrets import Secrets
        from connectors.directory import follow_connectors
        from connectors.runner import open_publish
        from connectors.webhooks.receiver import Receiver
        from connectors.webhooks.server import Server

        settings, clock = self._settings, SystemClock()
        secrets = Secrets(self._environ, settings.home)
        async with (
            follow_connectors(settings) as connected,
            open_publish(settings, clock, redactor_of(settings)) as publish,
        ):

            def endpoint(service: ConnectorService, project: str) -> Endpoint | None:
                return connected.endpoint(service, project, secrets)

            receiver = Receiver(endpoint, make_seal(settings), publish, clock)
            self.server, self._was_open = Server(receiver, self.counters), True
            try:
                await self.server.until_broken()
            finally:
                self.server = None

    async def _keep_written(self) -> None:
        while True:
            with suppress(OSError):  # tried again, and nobody waits for a count
                self.counters.write()
            await asyncio.sleep(WRITE_EVERY_S)


def make_seal(settings: Settings) -> Seal:
    """Make what encrypts a delivery: a chat message for its author, all else for the project."""
    from connectors.testimony import pseudonym_of
    from infra.platform.vault import vault_of

    vault = vault_of(settings)

    def seal(project_id: str, content: bytes, author: str) -> tuple[str, bytes]:
        service, _, member = author.partition(":")
        subject = pseudonym_of(vault.mark, project_id, service, member) if author else ""
        return vault.encrypt(project_id, content, subject)

    return seal
