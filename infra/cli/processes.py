"""What each process of `cairn up` is built of. Whoever wants to know what runs where reads this."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from functools import partial

import typer
from pydantic import TypeAdapter, ValidationError

from infra.cli.context import load, locate, quiet_clients
from infra.platform import loop
from infra.platform.findings import remember_damage
from infra.platform.settings import WANTED, Listening, Settings
from infra.runtime.local.http_address import choose_address
from infra.runtime.supervisor import named, tell_ready
from infra.runtime.watchdog import SoleReader, watch_readers


def register(app: typer.Typer) -> None:
    for command in (worker, projector, web, intake, model_worker):
        app.command()(command)


def worker(
    stages: str = typer.Option(
        "all", "--stages", help="`reading`, `deciding`, `all`, or names with commas between."
    ),
) -> None:
    """Run stages of the pipeline. `cairn up` starts workers by itself."""
    from infra.service.models.late_model import open_late_model
    from streams.app import run_worker, select

    settings = locate()
    name = os.environ.get("CAIRN_PROCESS_NAME") or None
    chosen = select([each.strip() for each in stages.split(",")], settings)
    ready = partial(tell_ready, settings, os.environ)

    async def run() -> None:
        async with open_late_model(settings) as model:
            await run_worker(settings, chosen, name, ready, model)

    with named(settings, os.environ), remember_damage(settings):
        loop.run(run())


def projector() -> None:
    """Fold the topics into the database's tables (run by `cairn up`)."""
    settings = locate()
    with named(settings, os.environ, "projector"), remember_damage(settings):
        loop.run(_follow(settings))


async def _follow(settings: Settings) -> None:
    from projections.core import CORE
    from projections.projector import run

    stop = asyncio.Event()
    offsets: dict[tuple[str, int], int] = {}
    topics = [settings.topic(name) for name in CORE.topics]
    reader = SoleReader(settings.group("projector"), topics, int, offsets)
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    with watch_readers(settings, "projector", [reader]):
        ready = partial(tell_ready, settings, os.environ)
        await run(CORE, settings, ready, stop, offsets=offsets)


def web(
    listen: str | None = typer.Option(
        None, "--listen", help="host:port (default: CAIRN_HTTP, or a free loopback port)."
    ),
) -> None:
    """Serve the HTTP API and webhooks. `cairn up` starts it by itself."""
    settings = locate()
    address = check_address(listen) if listen else choose_address(settings)
    quiet_clients()
    with named(settings, os.environ, "web"):
        serve_api(settings, os.environ, address, partial(tell_ready, settings, os.environ))


def serve_api(
    settings: Settings,
    environ: Mapping[str, str],
    address: str,
    tell_ready: Callable[[], None],
) -> None:
    """Serve at ``address`` until told to stop; also for a process of the bench."""
    from infra.http.serve import serve

    serve(settings, environ, address, tell_ready)


def check_address(written: str) -> str:
    """``written`` if it is host:port, as the setting has to be. Raises typer.BadParameter."""
    try:
        return TypeAdapter(Listening).validate_python(written)
    except ValidationError:
        raise typer.BadParameter(f"{written!r} is no address: {WANTED['http']}.") from None


def intake() -> None:
    """Process delivered webhooks. `cairn up` starts it by itself."""
    from infra.service.connecting.intake import run_intake

    settings = locate()
    quiet_clients()
    with named(settings, os.environ, "intake"):
        asyncio.run(run_intake(settings, os.environ))


def poll() -> None:
    """Read every connector when it is due."""
    from infra.service.connecting.polling import run_poller

    settings = locate()
    quiet_clients()
    with named(settings, os.environ, "poller"):
        asyncio.run(run_poller(settings, os.environ))


def run_jobs() -> None:
    """Do jobs, and publish what becomes of them."""
    from infra.service.jobs import jobs
    from infra.service.jobs.agent_jobs import ALL_JOB_KINDS

    settings = locate()
    quiet_clients()
    with named(settings, os.environ, "jobs"):
        asyncio.run(jobs.run_jobs(settings, os.environ, kinds=ALL_JOB_KINDS))


def model_worker(
    recycle_after: int = typer.Option(
        5_000, min=1, help="Calls after which it loads itself anew, to give back memory."
    ),
) -> None:
    """Make the calls of model providers. `cairn up` starts it where one is configured."""
    from infra.service.models.worker import run_model_worker

    settings = load()
    with named(settings, os.environ, "model-worker"):
        ready = partial(tell_ready, settings, os.environ)
        run_model_worker(settings, os.environ, ready, recycle_after)
