"""`cairn contradictions`: pairs of statements that cannot both hold."""

from typing import TYPE_CHECKING

import typer

from infra.cli.atoms import AS_OF, AS_OF_SEQ, place_of
from infra.cli.calls import moment_of, unchecked
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.client.models.ledger import ContradictionCard, PastContradiction
    from infra.client.models.views import Contradiction


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
        cairn, wanted = connect(), unchecked(status)
        known = cairn.project_of(project)
        if moment is not None:
            stood = cairn.list_past_contradictions(known, **moment_of(moment), status=wanted)
            show_pairs(stood, as_json=as_json)
        elif cards:
            found = list(cairn.list_contradictions(known, status=wanted))
            show_cards(found, as_json=as_json)
        else:
            show_pairs(cairn.list_contradiction_pairs(known, status=wanted), as_json=as_json)


def show_cards(found: "list[ContradictionCard]", *, as_json: bool) -> None:
    if as_json:
        as_lines(card.model_dump() for card in found)
        return
    for card in found:
        answer().print("\n".join(card_lines(card)), markup=False, soft_wrap=True)
    if not found:
        answer().print("No contradiction.")


def show_pairs(found: "Iterable[Contradiction | PastContradiction]", *, as_json: bool) -> None:
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
