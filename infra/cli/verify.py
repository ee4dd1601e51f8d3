"""`cairn verify`, `cairn unverify`: an atom is pinned by a person, or not any more."""

from typing import Any

import typer

from infra.cli.deciding import Person, by_person, decide

ATOM = typer.Argument(help="Id of the atom, see `cairn atoms --json`.")


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def verify(
        person: Person,
        atom: str = ATOM,
        floor: float | None = typer.Option(
            None, min=0.0, max=1.0, help="Never less sure than this; else 0.90 or as it is."
        ),
    ) -> None:
        """Pin an atom: no run takes it away or makes it less sure."""
        from schemas.events.hitl import AtomVerified

        def event(known_id: str, shared: dict[str, Any]) -> AtomVerified:
            return AtomVerified(atom_id=known_id, floor=floor, **shared)

        decide(atom, person, event)

    @app.command()
    @by_person
    def unverify(
        person: Person,
        atom: str = ATOM,
    ) -> None:
        """Withdraw a verification."""
        from schemas.events.hitl import AtomUnverified

        def event(known_id: str, shared: dict[str, Any]) -> AtomUnverified:
            return AtomUnverified(atom_id=known_id, **shared)

        decide(atom, person, event)
