"""`cairn verify`, `cairn unverify`: an atom is pinned by a person, or not any more."""

from typing import Any

import typer

from infra.cli.context import JSON_OPTION
from infra.cli.deciding import (
    AS_OPTION,
    KEY_OPTION,
    RATIONALE_OPTION,
    REVISION_OPTION,
    ROLE_OPTION,
    Person,
    Role,
    decide,
)

ATOM = typer.Argument(help="Id of the atom, see `cairn atoms --json`.")


def register(app: typer.Typer) -> None:
    @app.command()
    def verify(
        atom: str = ATOM,
        floor: float | None = typer.Option(
            None, min=0.0, max=1.0, help="Never less sure than this; else 0.90 or as it is."
        ),
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Pin an atom: no run takes it away or makes it less sure."""
        from schemas.events.hitl import AtomVerified

        def event(known_id: str, shared: dict[str, Any]) -> AtomVerified:
            return AtomVerified(atom_id=known_id, floor=floor, **shared)

        decide(atom, Person(name, role, rationale, expected_revision, key, as_json), event)

    @app.command()
    def unverify(
        atom: str = ATOM,
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Withdraw a verification."""
        from schemas.events.hitl import AtomUnverified

        def event(known_id: str, shared: dict[str, Any]) -> AtomUnverified:
            return AtomUnverified(atom_id=known_id, **shared)

        decide(atom, Person(name, role, rationale, expected_revision, key, as_json), event)
