"""`cairn contradictions`: pairs of statements that cannot both hold."""

from typing import Any

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def contradictions(
        project: str = PROJECT_OPTION,
        status: str = typer.Option("open", help="open, resolved, dismissed, escalated or all."),
        cards: bool = typer.Option(
            False, "--cards", help="With quotes, affected artifacts and what can be decided."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List contradictions, the gravest first."""
        from projections.read import people, queries

        wanted = None if status == "all" else status
        with queries.reading(connect().conninfo) as connection:
            project_id = queries.project_of(connection, project)
            look = people.cards if cards else queries.contradictions
            found = look(connection, project_id, wanted)
        if as_json:
            as_lines(found)
        elif cards:
            for card in found:
                answer().print("\n".join(card_lines(card)), markup=False, soft_wrap=True)
            if not found:
                answer().print("No contradiction.")
        else:
            _table(found)


def _table(found: list[dict[str, Any]]) -> None:
    table(
        ("severity", "status", "one says", "the other says", "id"),
        (
            (
                pair["severity"],
                pair["status"],
                cell(pair["title_a"]),
                cell(pair["title_b"]),
                pair["contradiction_id"],
            )
            for pair in found
        ),
        "No contradiction.",
    )


def card_lines(card: dict[str, Any]) -> list[str]:
    """One contradiction as a person reads it before deciding."""
    head = f"{card['severity']} · {card['status']} · {card['contradiction_id']}"
    lines = [head, f"  {card['explanation']}"]
    for name in ("a", "b"):
        side = card[name]
        pinned = ", verified" if side["verified_by"] else ""
        lines.append(
            f"  {name}) {side['title']}  ({side['kind']}, {side['confidence']:.2f}{pinned})"
        )
        lines += [
            f"       {row['path']}:{row['line_start']}  “{cell(row['snippet'])}”"
            for row in side["evidence"]
        ]
    for artifact in card["affected_artifacts"]:
        sections = ", ".join(artifact["section_ids"])
        lines.append(f"  affects {artifact['number']} ({artifact['artifact_state']}): {sections}")
    if card["allowed_actions"]:
        lines.append(f"  can be decided: {', '.join(card['allowed_actions'])}")
    return [*lines, ""]
