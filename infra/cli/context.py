"""What every command begins with: the settings, and a service that is asked over HTTP."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import typer
from rich.console import Console

from infra.platform.errors import Invalid, Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.http_address import find_served_address
from infra.runtime.local.process import wait_until

if TYPE_CHECKING:
    from infra.cli.calls import Cairn

# People read standard error, programs read standard output: answers alone go there.
console = Console(stderr=True, highlight=False)

JSON_OPTION = typer.Option(False, "--json", help="One JSON object per line on standard output.")
PROJECT_OPTION = typer.Option(..., "--project", "-p", help="Name or id of the project.")
OPTIONAL_PROJECT = typer.Option(None, "--project", "-p", help="Name or id of the project.")
KEY_OPTION = typer.Option(
    None, "--idempotency-key", help="A repeated request with the same key is done once."
)
WEB_ANSWERS_WITHIN_S = 60.0  # beside a supervisor that runs


def say(line: str) -> None:
    """One line for the person who waits, without secrets: it may stand in a log."""
    from streams.hygiene.redaction.strings import redact_text

    console.print(redact_text(line), markup=False, soft_wrap=True)


def quiet_clients() -> None:
    """No log line for each request, nor for each retry: an absent or starting broker is told by us,
    in a sentence. At debug the lines are shown.
    """
    if logging.getLogger("cairn").isEnabledFor(logging.DEBUG):
        return
    for name, level in (("aiokafka", logging.CRITICAL), ("httpx", logging.WARNING)):
        logging.getLogger(name).setLevel(level)


def load() -> Settings:
    """The settings of the environment, not connected to anything. Raises SettingsError."""
    return Settings.from_env(os.environ)


def connect(*, start: bool = True, speaks_for: str | None = None, role: str | None = None) -> Cairn:
    """The service that commands ask: of CAIRN_URL, or the one of CAIRN_HOME on this machine.

    Where neither runs, the one of CAIRN_HOME is started detached and said so. With ``speaks_for``
    or ``role`` it is asked on behalf of another person, which the owner's token of an installation
    may do. Raises Unavailable when nothing runs and it may not be started (``start``).
    """
    url, token, is_here = find_service(start=start)
    from infra.cli.calls import Cairn  # not where nobody is asked

    quiet_clients()
    cairn = Cairn(url, token, on_behalf_of=speaks_for, in_role=role)
    cairn.is_here = is_here
    if context := click.get_current_context(silent=True):
        context.call_on_close(cairn.close)
    return cairn


def find_service(*, start: bool = True) -> tuple[str, str, bool]:
    """Address and token of the service, and whether it is that of CAIRN_HOME. Raises Unavailable,
    Invalid.
    """
    settings = load()
    if settings.url is not None:
        url, token = settings.url, _read_token(settings)
    else:
        url = find_served_address(settings) or _start(settings, start=start)
        token = _read_file(settings.home / "token")
    for unused in ("httpx._main", "h2"):  # its own command line, and HTTP/2: a third of its weight
        sys.modules.setdefault(unused, None)  # type: ignore[arg-type]
    return url, token, settings.url is None


def locate(*, start: bool = False) -> Settings:
    """For what runs beside the servers: settings with the addresses of broker and database.

    Raises Unavailable when nothing runs and it may not be started.
    """
    from infra.runtime.local.runtime import find_running

    settings = load()
    try:
        return find_running(settings)
    except Unavailable:
        if not start:
            raise
    _start(settings, start=True)
    return find_running(settings)


def _start(settings: Settings, *, start: bool) -> str:
    """The address of the service of CAIRN_HOME, which is waited for where it runs already."""
    from infra.runtime.local.runtime import not_running
    from infra.runtime.starting import start_detached
    from infra.runtime.supervisor import read_state

    if not start:
        raise not_running(settings)
    if read_state(settings) is None:
        say("Cairn is not running: starting it in the background (`cairn down` stops it).")
    start_detached(settings, ("up",), os.environ, say)
    wait_until(lambda: find_served_address(settings) is not None, timeout_s=WEB_ANSWERS_WITHIN_S)
    address = find_served_address(settings)
    if address is None:
        raise Unavailable("The web server of Cairn does not run.", code="not_ready")
    return address


def _read_token(settings: Settings) -> str:
    """The token of CAIRN_TOKEN, or of the file of CAIRN_TOKEN_FILE. Raises Invalid."""
    if settings.token is not None:
        return settings.token.get_secret_value()
    if settings.token_file is None:
        raise Invalid(
            "CAIRN_URL names a service, but there is no token for it: set CAIRN_TOKEN, or"
            " CAIRN_TOKEN_FILE to a file that holds one.",
            code="token_missing",
        )
    return _read_file(settings.token_file, ": check CAIRN_TOKEN_FILE")


def _read_file(path: Path, advice: str = "") -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(
            f"The token cannot be read from {path}{advice}.", code="token_missing"
        ) from error


@contextmanager
def resumable(key: str | None) -> Iterator[str]:
    """The key of a request, ``key`` or a new one; whoever is interrupted is told a new one."""
    drawn = key or secrets.token_hex(16)
    try:
        yield drawn
    except (KeyboardInterrupt, Unavailable):
        if key is None:
            say(f"To continue from here, add --idempotency-key {drawn} to the same command.")
        raise


@contextmanager
def asking(key: str | None) -> Iterator[str]:
    """The same, where what the service finds invalid is wrong use of the command line (exit 2)."""
    with resumable(key) as drawn, explain_wrong_use():
        yield drawn


@contextmanager
def explain_wrong_use() -> Iterator[None]:
    """What the service finds invalid is wrong use of the command line (exit 2)."""
    try:
        yield
    except Invalid as error:
        from streams.hygiene.redaction.strings import redact_text

        raise typer.BadParameter(redact_text(str(error))) from error
