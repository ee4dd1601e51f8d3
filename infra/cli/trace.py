"""`cairn trace`: from an id down to the source, and up to the artifacts that cite it."""

from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.tree import Tree

from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table

if TYPE_CHECKING:
    from infra.client.models.ledger import Node
    from infra.client.models.views import Reason

ID_OF = typer.Argument(
    metavar="ID", help="A statement, artifact, atom, evidence row, chunk, source or run."
)
WHY = typer.Option(
    False, "--why", help="Show the decisions about it, and the rule or code of each."
)


def register(app: typer.Typer) -> None:
    @app.command()
    def trace(known_id: str = ID_OF, explain: bool = WHY, as_json: bool = JSON_OPTION) -> None:
        """Show the evidence behind an id, down to the log; with --why, the decisions about it.

        With --why: why it was chosen, read, refused, merged, downgraded or blocked.
        """
        cairn = connect()
        known = cairn.project_with(known_id)
        if explain:
            reasons = list(cairn.list_reasons(known, known_id))
            if as_json:
                as_lines(reason.model_dump() for reason in reasons)
            else:
                show_reasons(reasons)
            return
        node = cairn.trace(known, known_id)
        if as_json:
            as_lines([flat(node)])
        else:
            answer().print(tree_of(node), soft_wrap=True)


def flat(node: "Node") -> dict[str, Any]:
    """For programs: the facts stand beside the rest."""
    return {
        "what": node.what,
        "id": node.id,
        **node.facts,
        "events": [event.model_dump() for event in node.events],
        "children": [flat(child) for child in node.children],
    }


def show_reasons(reasons: "list[Reason]") -> None:
    table(
        ("seq", "by", "what", "because", "detail", "about"),
        (
            (
                reason.ledger_seq,
                reason.step,
                reason.what,
                reason.because,
                cell(reason.detail),
                reason.about,
            )
            for reason in reasons
        ),
    )


def tree_of(node: "Node") -> Tree:
    """A node, its facts, the places of its records, and what it rests on."""
    tree = Tree(f"[bold]{escape(node.what)}[/] {escape(node.id)}")
    for name, value in node.facts.items():
        if value not in (None, "", [], {}):
            tree.add(f"[dim]{name}[/] {escape(cell(value))}")
    for event in node.events:
        place = f"{event.topic}/{event.partition}@{event.offset}"
        tree.add(f"[dim]{event.event_type}[/] {place} {event.event_id}")
    for child in node.children:
        tree.children.append(tree_of(child))
    return tree
