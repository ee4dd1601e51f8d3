"""`cairn verify`, `cairn unverify`: pin an atom, or withdraw that."""

import typer

from infra.cli.calls import Cairn
from infra.cli.deciding import Deciding, by_person
from infra.client.models.decisions import Reasons, Verification

ATOM = typer.Argument(help="Id of the atom, see `cairn atoms --json`.")


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def verify(
        atom: str = ATOM,
        floor: float | None = typer.Option(
            None,
            min=0.0,
            max=1.0,
            help="Lowest confidence (default: 0.90, or what it has if that is higher).",
        ),
    ) -> Deciding:
        """Pin an atom: no run removes it or lowers its confidence."""
        return Deciding(atom, Cairn.verify_atom, Verification(floor=floor))

    @app.command()
    @by_person
    def unverify(atom: str = ATOM) -> Deciding:
        """Withdraw a verification."""
        return Deciding(atom, Cairn.unverify_atom, Reasons())
