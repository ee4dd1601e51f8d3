"""`cairn resolve`, `cairn escalate`: decide a contradiction, or hand it on."""

from __future__ import annotations

from typing import Literal

import typer

from infra.cli.calls import Cairn
from infra.cli.deciding import Deciding, by_person
from infra.client.models.decisions import ContradictionDecision

Resolution = Literal["a_wins", "b_wins", "both_valid", "reworded"]
CONTRADICTION = typer.Argument(help="Id of the contradiction, see `cairn contradictions`.")


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def resolve(
        contradiction: str = CONTRADICTION,
        a_wins: bool = typer.Option(False, "--a-wins", help="The first side is right."),
        b_wins: bool = typer.Option(False, "--b-wins", help="The second side is right."),
        both_valid: bool = typer.Option(False, "--both-valid", help="Both sides are right."),
        reworded: bool = typer.Option(False, "--reworded", help="Only the wording conflicts."),
    ) -> Deciding:
        """Resolve a contradiction; --rationale is needed."""
        options: dict[Resolution, bool] = {
            "a_wins": a_wins,
            "b_wins": b_wins,
            "both_valid": both_valid,
            "reworded": reworded,
        }
        chosen = [resolution for resolution, wanted in options.items() if wanted]
        if len(chosen) != 1:
            raise typer.BadParameter(
                "Say how: one of --a-wins, --b-wins, --both-valid, --reworded."
            )
        resolved = ContradictionDecision(decision="resolve", resolution_kind=chosen[0])
        return Deciding(contradiction, Cairn.decide_contradiction, resolved)

    @app.command()
    @by_person
    def escalate(
        contradiction: str = CONTRADICTION,
        to: str | None = typer.Option(None, "--to", help="Who should decide."),
    ) -> Deciding:
        """Escalate a contradiction; it blocks artifacts until it is decided."""
        escalated = ContradictionDecision(decision="escalate", escalated_to=to)
        return Deciding(contradiction, Cairn.decide_contradiction, escalated)
