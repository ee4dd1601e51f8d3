"""What every command begins with: the settings, and a service to talk to."""

import os

import typer
from rich.console import Console

from infra import supervisor
from infra.errors import Refusal
from infra.local.runtime import Runtime, origins, read_runtime
from infra.settings import Settings

# People read standard error, programs read standard output: answers alone go there.
console = Console(stderr=True, highlight=False)


def say(line: str) -> None:
    """One line for the person who waits."""
    console.print(line, markup=False, soft_wrap=True)


def load() -> Settings:
    """The settings of the environment, not connected to anything. Raises SettingsError."""
    return Settings.from_env(os.environ)


def connect(*, start: bool = True) -> Settings:
    """Settings with the addresses of a service that runs.

    In this order: broker and database named in the environment; the running installation of
    CAIRN_HOME; else, with ``start``, the embedded one is started detached and said so. Raises
    Refusal when nothing runs and nothing may be started.
    """
    settings = load()
    if runtime := read_runtime(settings.home):
        return runtime.reached(settings)
    if settings.kafka_bootstrap and settings.database_url:
        return settings
    if not start:
        raise Refusal(
            f"Cairn is not running in {settings.home}: start it with `cairn up --detach`."
        )
    say("Cairn is not running: starting it in the background (`cairn down` stops it).")
    supervisor.start_detached(settings, ("up",), os.environ)
    return connected(settings).reached(settings)


def connected(settings: Settings) -> Runtime:
    """The running installation. Raises Refusal when there is none."""
    if runtime := read_runtime(settings.home):
        return runtime
    reasons = "; ".join(reason for _, reason in origins(settings))
    raise Refusal(
        f"Cairn is not running in {settings.home} ({reasons}): start it with `cairn up --detach`."
    )


JSON_OPTION = typer.Option(False, "--json", help="One JSON object per line on standard output.")
