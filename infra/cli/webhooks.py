"""`cairn webhooks`: takes deliveries of services over HTTP until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import typer
from pydantic import TypeAdapter, ValidationError

from infra.cli.context import connect
from infra.cli.project import quiet_clients
from infra.clock import SystemClock
from infra.errors import Refusal
from infra.settings import WANTED, Listening, Settings
from infra.supervisor import named, tell_ready

if TYPE_CHECKING:
    from connectors.webhooks.receiver import Seal
    from connectors.webhooks.server import Server
    from schemas.events.connector import ConnectorService


def register(app: typer.Typer) -> None:
    @app.command()
    def webhooks(
        listen: str | None = typer.Option(
            None, "--listen", help="host:port; CAIRN_WEBHOOKS when not given."
        ),
    ) -> None:
        """Take webhooks of connected services. `cairn up` starts it when CAIRN_WEBHOOKS is set."""
        settings = connect(start=False)
        address = checked_address(listen) if listen else settings.webhooks
        if address is None:
            raise Refusal("No address to listen at: give --listen host:port or CAIRN_WEBHOOKS.")
        quiet_clients()
        with named(settings, os.environ, "webhooks"):
            asyncio.run(serve(settings, address, os.environ))


def checked_address(written: str) -> str:
    """``written`` if it is host:port, as the setting has to be. Raises typer.BadParameter."""
    try:
        return TypeAdapter(Listening).validate_python(written)
    except ValidationError:
        raise typer.BadParameter(f"{written!r} is no address: {WANTED['webhooks']}.") from None


async def serve(settings: Settings, address: str, environ: Mapping[str, str]) -> None:
    """Answers deliveries until SIGTERM or SIGINT. Raises Refusal when the address is taken, what
    the producer raised when it gave up for good.
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
    async with follow_connectors(settings) as connected, open_publish(settings, clock) as publish:

        def endpoint(service: ConnectorService, project: str) -> Endpoint | None:
            return connected.endpoint(service, project, environ)

        server = Server(Receiver(endpoint, seal_of(settings), publish, clock), counters)
        try:
            async with AsyncExitStack() as stack:
                counters.set_address(await opened(stack, server, address))
                tell_ready(settings, environ)
                await _first(stop.wait(), server.until_broken())
        finally:
            counters.write()


async def opened(stack: AsyncExitStack, server: Server, address: str) -> str:
    """Where the server takes requests until the stack ends. Raises Refusal."""
    from connectors.webhooks.server import listen

    host, _, port = address.rpartition(":")
    try:
        return await stack.enter_async_context(listen(server, host.strip("[]"), int(port)))
    except (OSError, OverflowError) as error:
        raise Refusal(
            f"Nothing can listen at {address} ({error}): choose another address in CAIRN_WEBHOOKS."
        ) from error


def seal_of(settings: Settings) -> Seal:
    """Encrypts a delivery: a chat message for its author's pseudonym, all else for the project."""
    from connectors.testimony import pseudonym_of
    from infra.vault import vault_of

    vault = vault_of(settings)

    def seal(project_id: str, content: bytes, author: str) -> tuple[str, bytes]:
        service, _, member = author.partition(":")
        subject = pseudonym_of(vault.mark, project_id, service, member) if author else ""
        return vault.encrypt(project_id, content, subject)

    return seal


async def _first(*waiting: object) -> None:
    """The first to end; raises what it raised."""
    tasks = [asyncio.ensure_future(each) for each in waiting]  # type: ignore[call-overload]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    for task in done:
        task.result()
