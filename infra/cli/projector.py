"""`cairn projector`: the process that keeps the tables up to date with the log."""

import asyncio
import os
import signal

import typer

from infra import loop, supervisor
from infra.cli.context import connect
from infra.findings import remembering
from infra.settings import Settings


def register(app: typer.Typer) -> None:
    @app.command()
    def projector() -> None:
        """Fold the topics into the database's tables (run by `cairn up`)."""
        settings = connect(start=False)
        with supervisor.named(settings, os.environ, "projector"), remembering(settings):
            loop.run(follow(settings))


async def follow(settings: Settings) -> None:
    from projections.projector import run

    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    await run(settings, lambda: supervisor.tell_ready(settings, os.environ), stop)
