"""`cairn up`: everything in one go."""

import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module

import typer

from infra.cli import main
from infra.cli.context import console, load, quiet_clients, say
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.runtime.local.alone import since
from infra.runtime.local.http_address import read_address
from infra.runtime.local.runtime import find_running
from infra.runtime.starting import start_detached
from infra.runtime.supervisor import Program, Supervisor

PARTS = (
    *("infra.cli.processes", "streams.app", "streams.pipeline", "streams.hygiene.stage"),
    *("projections.projector", "projections.core"),
    *("infra.cli.connector", "infra.service.connecting.polling", "connectors.registry"),
    *("infra.service.connecting.intake", "connectors.intake.runner"),
    *("connectors.intake.files", "connectors.intake.source_status", "connectors.directory"),
    *("infra.cli.jobs", "infra.service.jobs.agent_jobs", "infra.service.models.late_model"),
    "infra.http.serve",
)


def register(app: typer.Typer) -> None:
    @app.command()
    def up(
        detach: bool = typer.Option(False, "--detach", help="Return once everything is ready."),
        workers: int = typer.Option(
            1, min=0, max=64, help="Pairs of workers: one reads, one decides."
        ),
    ) -> None:
        """Start broker, database, workers, projector, and keep them running."""
        settings = load()
        running = supervisor.read_state(settings)
        if running and running.state == "ready" and detach:
            say(f"Cairn is already running in {settings.home}{since(running.supervisor)}.")
            say_console(find_running(settings))
        elif detach:
            say(f"Starting Cairn in {settings.home}…")
            arguments = ("up", "--workers", str(workers))
            pid = start_detached(settings, arguments, os.environ, say)
            say(f"Cairn runs (pid {pid}): `cairn status` shows it, `cairn down` stops it.")
            if url := read_address(settings):
                say(f"The API listens at {url}; {settings.home / 'token'} holds a token for it.")
            from infra.service.upkeep.lost_database import describe_loss
            from infra.service.upkeep.setup import find_vault_problems

            located = find_running(settings)
            for line in (*find_vault_problems(located), *describe_loss(located)):
                say(line)
            say_console(located)
        else:
            quiet_clients()
            ours = programs(settings, workers)
            Supervisor(
                settings, ours, prepare, os.environ, say, say_console, load_parts, run_copy
            ).run()


def load_parts() -> None:
    """What the processes of `cairn up` import is here, for their copies of this process."""
    gc.disable()  # it would look through all of it again and again, and nothing is left behind
    for name in PARTS:
        import_module(name)
    gc.enable()


def run_copy(arguments: Sequence[str]) -> None:
    """Do a command in this process, which is a copy made for it."""
    sys.argv = ["cairn", *arguments]
    main()


def say_console(settings: Settings) -> None:
    """Print where a browser finds the console. A terminal gets a link that signs in once; what may
    stand in a log does not.
    """
    from infra.service.access.sessions import create_console_link

    if console.is_terminal and (link := create_console_link(settings)):
        words = "The console, within ten minutes without a token:"
        console.print(f"{words} {link}", markup=False, highlight=False, soft_wrap=True)
    elif url := read_address(settings):
        say(f"The console: {url}/console; {settings.home / 'token'} signs in.")


def programs(settings: Settings, workers: int) -> tuple[Program, ...]:
    """What runs beside broker and database."""
    stages = (
        Program(f"{name}-{number}", ("worker", "--stages", part))
        for number in range(1, workers + 1)
        for name, part in (("reader", "reading"), ("writer", "deciding"))
    )
    poller = Program("poller", ("connector", "poll"))
    jobs, web = Program("jobs", ("jobs", "run")), Program("web", ("web",))
    intake = Program("intake", ("intake",))
    projector, models = Program("projector", ("projector",)), model_worker(settings)
    return (*stages, projector, poller, intake, jobs, web, models)


def model_worker(settings: Settings) -> Program:
    """Runs only where a model is configured, and knows nothing of broker and database."""
    from infra.service.models.worker import is_model_configured, keep_variables

    return Program(
        "model-worker",
        ("model-worker",),
        is_wanted=partial(is_model_configured, settings),
        keep_variables=partial(keep_variables, settings),
    )


def prepare(settings: Settings) -> None:
    """Make ready what stages and projector need; say what of the log cannot be opened."""
    from infra.service.access.tokens import ensure_owner_token
    from infra.service.upkeep.lost_database import describe_loss
    from infra.service.upkeep.setup import find_vault_problems, prepare_servers

    prepare_servers(settings)
    ensure_owner_token(settings)
    for line in find_vault_problems(settings, look=True):
        say(line)
    for line in describe_loss(settings):
        say(line)
