"""`cairn resolve`, `cairn escalate`: a contradiction is decided, or handed on."""

from typing import Any

import typer

from infra.cli.deciding import Person, by_person, decide

CONTRADICTION = typer.Argument(help="Id of the contradiction, see `cairn contradictions`.")


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def resolve(
        person: Person,
        contradiction: str = CONTRADICTION,
        a_wins: bool = typer.Option(False, "--a-wins", help="The first side holds."),
        b_wins: bool = typer.Option(False, "--b-wins", help="The second side holds."),
        both_valid: bool = typer.Option(False, "--both-valid", help="Both sides hold."),
        reworded: bool = typer.Option(False, "--reworded", help="It was the wording."),
    ) -> None:
        """Resolve a contradiction; --rationale is needed, with at least 10 characters."""
        from schemas.events.hitl import ContradictionDecided

        chosen = {
            "a_wins": a_wins,
            "b_wins": b_wins,
            "both_valid": both_valid,
            "reworded": reworded,
        }
        kinds = [kind for kind, wanted in chosen.items() if wanted]
        if len(kinds) != 1:
            raise typer.BadParameter(
                "Say how: one of --a-wins, --b-wins, --both-valid, --reworded."
            )

        def event(target: str, shared: dict[str, Any]) -> ContradictionDecided:
            kind = {"decision": "resolve", "resolution_kind": kinds[0]}
            return ContradictionDecided.model_validate({"contradiction_id": target} | kind | shared)

        decide(contradiction, person, event)

    @app.command()
    @by_person
    def escalate(
        person: Person,
        contradiction: str = CONTRADICTION,
        to: str | None = typer.Option(None, "--to", help="Who shall decide."),
    ) -> None:
        """Hand a contradiction on; it blocks until it is decided."""
        from schemas.events.hitl import ContradictionDecided

        def event(target: str, shared: dict[str, Any]) -> ContradictionDecided:
            return ContradictionDecided(
                contradiction_id=target, decision="escalate", escalated_to=to, **shared
            )

        decide(contradiction, person, event)
