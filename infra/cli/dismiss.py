"""`cairn dismiss`, `cairn reinclude`: what does not count, and what counts again."""

from typing import Any

import typer

from infra.cli.deciding import Person, by_person, decide


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def dismiss(
        person: Person,
        target: str = typer.Argument(help="Id of an atom or of a contradiction."),
    ) -> None:
        """Dismiss an atom (with --rationale), or a contradiction that is none."""
        from schemas.events.hitl import AtomDismissed, ContradictionDecided, PersonDecided

        def event(known_id: str, shared: dict[str, Any]) -> PersonDecided:
            if known_id.startswith("ctr_"):
                return ContradictionDecided(contradiction_id=known_id, decision="dismiss", **shared)
            return AtomDismissed(atom_id=known_id, **shared)

        decide(target, person, event)

    @app.command()
    @by_person
    def reinclude(
        person: Person,
        atom: str = typer.Argument(help="Id of a dismissed atom."),
    ) -> None:
        """Let a dismissed atom count again, as it did before."""
        from schemas.events.hitl import AtomReincluded

        def event(known_id: str, shared: dict[str, Any]) -> AtomReincluded:
            return AtomReincluded(atom_id=known_id, **shared)

        decide(atom, person, event)
