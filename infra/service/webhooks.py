"""Take deliveries of webhooks over HTTP."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from infra.clock import SystemClock
from infra.errors import Unavailable
from infra.service.publishing import redactor_of
from infra.settings import Settings
from infra.supervisor import tell_ready

if TYPE_CHECKING:
    from connectors.webhooks.receiver import Seal
    from connectors.webhooks.server import Server
    from schemas.events.connector import ConnectorService


async def run_webhooks(settings: Settings, address: str, environ: Mapping[str, str]) -> None:
    """Answer deliveries until SIGTERM or SIGINT.

    Raises Unavailable (``address_unusable``) when nothing can listen there, and what the producer
    raised when it gave up for good.
    """
    from connectors.directory import follow_connectors
    from connectors.runner import open_publish
    from connectors.webhooks.counters import FILE, Counters
    from connectors.webhooks.receiver import Endpoint, Receiver
    from connectors.webhooks.server import Server

    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    clock = SystemClock()
    counters = Counters(settings.home / FILE)
    async with (
        follow_connectors(settings) as connected,
        open_publish(settings, clock, redactor_of(settings)) as publish,
    ):

        def endpoint(service: ConnectorService, project: str) -> Endpoint | None:
            return connected.endpoint(service, project, environ)

        server = Server(Receiver(endpoint, make_seal(settings), publish, clock), counters)
        try:
            async with AsyncExitStack() as stack:
                counters.set_address(await open_server(stack, server, address))
                tell_ready(settings, environ)
                await _wait_for_first(stop.wait(), server.until_broken())
        finally:
            counters.write()


async def open_server(stack: AsyncExitStack, server: Server, address: str) -> str:
    """Serve until the stack ends, and return the address. Raises Unavailable."""
    from connectors.webhooks.server import listen

    host, _, port = address.rpartition(":")
    try:
        return await stack.enter_async_context(listen(server, host.strip("[]"), int(port)))
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"Nothing can listen at {address} ({error}): choose another address in CAIRN_WEBHOOKS.",
            code="address_unusable",
            detail={"address": address},
        ) from error


def make_seal(settings: Settings) -> Seal:
    """Make what encrypts a delivery: a chat message for its author, all else for the project."""
    from connectors.testimony import pseudonym_of
    from infra.vault import vault_of

    vault = vault_of(settings)

    def seal(project_id: str, content: bytes, author: str) -> tuple[str, bytes]:
        service, _, member = author.partition(":")
        subject = pseudonym_of(vault.mark, project_id, service, member) if author else ""
        return vault.encrypt(project_id, content, subject)

    return seal


async def _wait_for_first(*waiting: object) -> None:
    """Wait for the first to end, and raise what it raised."""
    tasks = [asyncio.ensure_future(each) for each in waiting]  # type: ignore[call-overload]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    for task in done:
        task.result()
