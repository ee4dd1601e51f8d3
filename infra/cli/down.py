"""`cairn down`: nothing runs any more."""

import typer

from infra.cli.context import load, say
from infra.runtime import supervisor


def register(app: typer.Typer) -> None:
    @app.command()
    def down() -> None:
        """Stop everything that `cairn up` started; data is kept."""
        settings = load()
        stopped = supervisor.stop_running(settings)
        say("Cairn is stopped." if stopped else f"Cairn is not running in {settings.home}.")
