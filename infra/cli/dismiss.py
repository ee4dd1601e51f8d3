"""`cairn dismiss`, `cairn reinclude`: what does not count, and what counts again."""

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


def register(app: typer.Typer) -> None:
    @app.command()
    def dismiss(
        target: str = typer.Argument(help="Id of an atom or of a contradiction."),
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Dismiss an atom (with --rationale), or a contradiction that is none."""
        from schemas.events.hitl import AtomDismissed, ContradictionDecided, PersonDecided

        def event(known_id: str, shared: dict[str, Any]) -> PersonDecided:
            if known_id.startswith("ctr_"):
                return ContradictionDecided(contradiction_id=known_id, decision="dismiss", **shared)
            return AtomDismissed(atom_id=known_id, **shared)

        decide(target, Person(name, role, rationale, expected_revision, key, as_json), event)

    @app.command()
    def reinclude(
        atom: str = typer.Argument(help="Id of a dismissed atom."),
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Let a dismissed atom count again, as it did before."""
        from schemas.events.hitl import AtomReincluded

        def event(known_id: str, shared: dict[str, Any]) -> AtomReincluded:
            return AtomReincluded(atom_id=known_id, **shared)

        decide(atom, Person(name, role, rationale, expected_revision, key, as_json), event)
