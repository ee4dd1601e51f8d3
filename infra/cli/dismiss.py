"""`cairn dismiss`, `cairn reinclude`: exclude an atom or contradiction, or restore an atom."""

import typer

from infra.cli import service
from infra.cli.deciding import Deciding, by_person


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def dismiss(
        target: str = typer.Argument(help="Id of an atom or of a contradiction."),
    ) -> Deciding:
        """Dismiss an atom (needs --rationale) or a false contradiction."""
        if target.startswith("ctr_"):
            return lambda settings, by: service.dismiss_contradiction(settings, target, by)
        return lambda settings, by: service.dismiss_atom(settings, target, by)

    @app.command()
    @by_person
    def reinclude(atom: str = typer.Argument(help="Id of a dismissed atom.")) -> Deciding:
        """Restore a dismissed atom."""
        return lambda settings, by: service.reinclude_atom(settings, atom, by)
