"""`cairn contradictions`: pairs of statements that cannot both hold."""

import asyncio
from typing import TYPE_CHECKING

import typer

from infra.cli import service
from infra.cli.atoms import AS_OF, AS_OF_SEQ, PROJECT_OPTION, place_of
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projections.read.contradictions import Contradiction, ContradictionCard
    from projections.read.past import PastContradiction


def register(app: typer.Typer) -> None:
    @app.command()
    def contradictions(
        project: str = PROJECT_OPTION,
        status: str = typer.Option("open", help="open, resolved, dismissed, escalated or all."),
        cards: bool = typer.Option(
            False, "--cards", help="Show quotes, affected artifacts and possible decisions."
        ),
        as_of_seq: int | None = AS_OF_SEQ,
        as_of: str | None = AS_OF,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List contradictions, most severe first."""
        moment = place_of(as_of_seq, as_of)
        if moment is not None and cards:
            raise typer.BadParameter("give a moment or --cards, not both")
        settings, wanted = connect(), None if status == "all" else status
        if moment is not None:
            stood = service.list_past_contradictions(settings, project, moment, wanted)
            show_pairs(asyncio.run(stood), as_json=as_json)
        elif cards:
            found = asyncio.run(service.list_contradictions(settings, project, wanted))
            show_cards(found, as_json=as_json)
        else:
            pairs = asyncio.run(service.list_contradiction_pairs(settings, project, wanted))
            show_pairs(pairs, as_json=as_json)


def show_cards(found: "list[ContradictionCard]", *, as_json: bool) -> None:
    if as_json:
        as_lines(card.model_dump() for card in found)
        return
    for card in found:
        answer().print("\n".join(card_lines(card)), markup=False, soft_wrap=True)
    if not found:
        answer().print("No contradiction.")


def show_pairs(found: "Sequence[Contradiction | PastContradiction]", *, as_json: bool) -> None:
    if as_json:
        as_lines(pair.model_dump() for pair in found)
        return
    table(
        ("severity", "status", "one says", "the other says", "id"),
        (
            (
                pair.severity,
                pair.status,
                cell(pair.title_a),
                cell(pair.title_b),
                pair.contradiction_id,
            )
            for pair in found
        ),
        "No contradiction.",
    )


def card_lines(card: "ContradictionCard") -> list[str]:
    """One contradiction as a person reads it before deciding."""
    head = f"{card.severity} · {card.status} · {card.contradiction_id}"
    lines = [head, f"  {card.explanation}"]
    for name, side in (("a", card.a), ("b", card.b)):
        pinned = ", verified" if side.verified_by else ""
        lines.append(f"  {name}) {side.title}  ({side.kind}, {side.confidence:.2f}{pinned})")
        lines += [
            f"       {quote.path}:{quote.line_start}  “{cell(quote.snippet)}”"
            for quote in side.evidence
        ]
    for artifact in card.affected_artifacts:
        sections = ", ".join(artifact.section_ids)
        lines.append(f"  affects {artifact.number} ({artifact.artifact_state}): {sections}")
    if card.allowed_actions:
        lines.append(f"  can be decided: {', '.join(card.allowed_actions)}")
    return [*lines, ""]
