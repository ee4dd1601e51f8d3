"""`cairn dismiss`, `cairn reinclude`: exclude an atom or contradiction, or restore an atom."""

import typer

from infra.cli.calls import Cairn
from infra.cli.deciding import Deciding, by_person
from infra.client.models.decisions import ContradictionDecision, Reasons


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def dismiss(
        target: str = typer.Argument(help="Id of an atom or of a contradiction."),
    ) -> Deciding:
        """Dismiss an atom (needs --rationale) or a false contradiction."""
        if target.startswith("ctr_"):
            dismissal = ContradictionDecision(decision="dismiss")
            return Deciding(target, Cairn.decide_contradiction, dismissal)
        return Deciding(target, Cairn.dismiss_atom, Reasons())

    @app.command()
    @by_person
    def reinclude(atom: str = typer.Argument(help="Id of a dismissed atom.")) -> Deciding:
        """Restore a dismissed atom."""
        return Deciding(atom, Cairn.reinclude_atom, Reasons())
