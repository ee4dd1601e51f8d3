"""What every command begins with: the settings, and a service to talk to."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from infra.cli import service
from infra.cli.hints import with_hint
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Invalid, Unavailable
from infra.platform.settings import Settings
from infra.runtime.starting import start_detached

# People read standard error, programs read standard output: answers alone go there.
console = Console(stderr=True, highlight=False)

JSON_OPTION = typer.Option(False, "--json", help="One JSON object per line on standard output.")


def say(line: str) -> None:
    """One line for the person who waits, without secrets: it may stand in a log."""
    from streams.hygiene.redaction.strings import redact_text

    console.print(redact_text(line), markup=False, soft_wrap=True)


def say_note(note: service.Note) -> None:
    """A step of work that takes long, and what to do about it."""
    say(with_hint(note))


def load() -> Settings:
    """The settings of the environment, not connected to anything. Raises SettingsError."""
    return Settings.from_env(os.environ)


def connect(*, start: bool = True) -> Settings:
    """Settings with the addresses of a service that runs.

    Where CAIRN_URL is set, that one is called over HTTP. Where nothing runs and nothing is set, and
    with ``start``, the embedded one is started detached and said so. Raises Unavailable when
    nothing runs and nothing may be started.
    """
    settings = load()
    if settings.url is not None:
        return settings
    try:
        return service.connect(settings)
    except Unavailable:
        if not start:
            raise
    say("Cairn is not running: starting it in the background (`cairn down` stops it).")
    start_detached(settings, ("up",), os.environ, say)
    return service.connect(settings)


@contextmanager
def resumable(key: str | None) -> Iterator[str]:
    """The key of a request, ``key`` or a new one; whoever is interrupted is told a new one."""
    drawn = key or service.draw_key()
    try:
        yield drawn
    except (KeyboardInterrupt, BrokerUnavailable, DatabaseUnavailable):
        if key is None:
            say(f"To continue from here, add --idempotency-key {drawn} to the same command.")
        raise


@contextmanager
def explain_wrong_use() -> Iterator[None]:
    """What a use case finds invalid is wrong use of the command line (exit 2)."""
    try:
        yield
    except Invalid as error:
        from streams.hygiene.redaction.strings import redact_text

        raise typer.BadParameter(redact_text(str(error))) from error


def login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "unknown"


def person_of(settings: Settings, name: str | None) -> str:
    """Who acts: ``name``, or who is logged in here. Over HTTP it is the person of the token.

    Raises typer.BadParameter for a name there.
    """
    if settings.url is not None and name is not None:
        raise typer.BadParameter("over HTTP the token says who acts: leave --as out")
    return name or login_name()
