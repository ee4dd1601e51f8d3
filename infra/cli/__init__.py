"""The `cairn` command: one file a command, each with ``register(app)``.

Only this package reads settings from the environment, and nobody imports it. Modules of commands
are imported when they are called (`commands.py`), and import what is heavy (faust, the rules of
the reader) inside their functions.
"""

import atexit
import gc
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import typer

from infra.cli.commands import WITH_LOG, Commands, add_to
from infra.platform.addresses import exempt_loopback
from infra.platform.errors import Refusal
from infra.runtime.local.process import PRIVATE_UMASK

EXIT_FAILED, EXIT_WRONG_USE, EXIT_INTERRUPTED = 1, 2, 130


def build(before: Callable[[], None] = lambda: None) -> typer.Typer:
    """The application with every command there is; ``before`` runs ahead of those with a log."""
    app = typer.Typer(
        cls=Commands,
        name="cairn",
        help="Read a project's sources into a ledger of cited statements and write plans from it.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def options(
        context: typer.Context,
        debug: bool = typer.Option(
            False, "--debug", help="Show tracebacks; accepted anywhere in the line."
        ),
    ) -> None:
        """Read a project's sources into a ledger of cited statements and write plans from it."""
        if context.invoked_subcommand in WITH_LOG:
            before()

    add_to(app)
    return app


def main() -> None:
    """Run one command. A refusal is one sentence on standard error; see --debug for more."""
    os.umask(PRIVATE_UMASK)  # first of all: also what children make is for this user alone
    exempt_loopback(os.environ)
    atexit.register(gc.freeze)  # what the system takes back is not looked through once more
    # We have no plugin of pydantic; looking for one reads the metadata of every package there is.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    debug = "--debug" in sys.argv
    arguments = [part for part in sys.argv[1:] if part != "--debug"]
    if debug:
        configure_log(debug=debug)
    try:
        build(partial(configure_log, debug=debug))(args=arguments, prog_name="cairn")
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if debug:
            raise
        from infra.platform.settings import SettingsError

        print(redact(sentence_of(error)), file=sys.stderr)
        sys.exit(EXIT_WRONG_USE if isinstance(error, SettingsError) else EXIT_FAILED)


def configure_log(*, debug: bool) -> None:
    """Log lines go to standard error, from CAIRN_LOG_LEVEL on."""
    from infra.platform import log

    level = os.environ.get("CAIRN_LOG_LEVEL", "").lower()
    chosen = "debug" if debug else level if level in log.LEVELS else "info"
    log.configure(chosen, redact=redact)


def redact(text: str) -> str:
    """``text`` without secrets; the rules are imported when there is something to say."""
    from streams.hygiene.redaction.strings import redact_text

    return redact_text(text)


def sentence_of(error: Exception) -> str:
    """What a user reads of ``error``: our own sentences as they are, a bug named as one."""
    from infra.cli.hints import with_hint
    from infra.platform.addresses import without_credentials
    from infra.platform.disk import disk_of, says_full
    from infra.platform.settings import default_home

    if isinstance(error, Refusal):
        return with_hint(error)
    if says_full(error):
        place = getattr(error, "filename", None) or os.environ.get("CAIRN_HOME") or default_home()
        disk = disk_of(Path(place))
        which = str(disk) if disk.full() else "A disk is full (`df` shows which)"
        return f"Something could not be written ({error}). {which}: make room and try again."
    reason = without_credentials(" ".join(str(error).split())) or "no message"
    return (
        f"Something went wrong that should not ({type(error).__name__}: {reason}):"
        " run the same command with --debug and report it."
    )
