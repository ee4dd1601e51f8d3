"""`cairn projector`: the process that keeps the tables up to date with the log."""

import asyncio
import os
import signal
from functools import partial

import typer

from infra.cli.context import locate
from infra.platform import loop
from infra.platform.findings import remember_damage
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.runtime.watchdog import SoleReader, watch_readers


def register(app: typer.Typer) -> None:
    @app.command()
    def projector() -> None:
        """Fold the topics into the database's tables (run by `cairn up`)."""
        settings = locate()
        with supervisor.named(settings, os.environ, "projector"), remember_damage(settings):
            loop.run(follow(settings))


async def follow(settings: Settings) -> None:
    from projections.core import CORE
    from projections.projector import run

    stop = asyncio.Event()
    offsets: dict[tuple[str, int], int] = {}
    topics = [settings.topic(name) for name in CORE.topics]
    reader = SoleReader(settings.group("projector"), topics, int, offsets)
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    with watch_readers(settings, "projector", [reader]):
        ready = partial(supervisor.tell_ready, settings, os.environ)
        await run(CORE, settings, ready, stop, offsets=offsets)
