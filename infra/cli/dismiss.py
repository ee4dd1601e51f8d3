"""`cairn dismiss`, `cairn reinclude`: what does not count, and what counts again."""

import typer

from infra import service
from infra.cli.deciding import Deciding, by_person


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def dismiss(
        target: str = typer.Argument(help="Id of an atom or of a contradiction."),
    ) -> Deciding:
        """Dismiss an atom (with --rationale), or a contradiction that is none."""
        if target.startswith("ctr_"):
            return lambda settings, by: service.dismiss_contradiction(settings, target, by)
        return lambda settings, by: service.dismiss_atom(settings, target, by)

    @app.command()
    @by_person
    def reinclude(atom: str = typer.Argument(help="Id of a dismissed atom.")) -> Deciding:
        """Let a dismissed atom count again, as it did before."""
        return lambda settings, by: service.reinclude_atom(settings, atom, by)
