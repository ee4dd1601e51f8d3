"""`cairn search`: what the project says about something."""

from typing import TYPE_CHECKING

import typer

from infra.cli.atoms import check_known
from infra.cli.calls import unchecked
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import answer as answer_console
from infra.cli.output import cell
from schemas.answering import NOT_ANSWERED

if TYPE_CHECKING:
    from infra.client.models.ledger import Answer
    from infra.client.models.ledger_parts import Hit

LONGEST_QUOTE = 300
NOT_COVERED = {
    "none": "No text of the project speaks of it.",
    "weak": f"{NOT_ANSWERED} The nearest places:",
}


def register(app: typer.Typer) -> None:
    @app.command()
    def search(
        query: str = typer.Argument(
            help="A question, words, names of entities, kinds, areas or tags."
        ),
        project: str = PROJECT_OPTION,
        kind: list[str] = typer.Option([], help="Only atoms of these kinds."),
        area: list[str] = typer.Option([], help="Only atoms of these areas."),
        status: list[str] = typer.Option(
            [], help="Only atoms of these statuses, instead of the live ones."
        ),
        limit: int = typer.Option(10, min=1, max=100, help="Maximum number of results."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Answer a question with passages and atoms, each with the places it comes from."""
        if not query.strip():
            raise typer.BadParameter("The query is empty: give words, a kind, an area or a tag.")
        for each in kind:
            check_known("kind", each)
        for each in status:
            check_known("status", each)
        cairn = connect()
        answer = cairn.search(
            cairn.project_of(project),
            q=query,
            kind=kind,
            area=area,
            status=unchecked(status),
            limit=limit,
        )
        if as_json:
            print(answer.model_dump_json())
            return
        show(answer)


def _about(hit: "Hit") -> str:
    """What an atom is; a passage is what it says."""
    if hit.atom_id is None:
        return ""
    status = "" if hit.status == "active" else f"{hit.status}, "
    return f"  ({hit.kind}, {status}{hit.confidence:.2f}, {hit.atom_id})"


def show(answer: "Answer") -> None:
    """The sentence that answers, then each hit with its title and its places: path, line and what
    stands there.
    """
    out = answer_console()
    if said := NOT_COVERED.get(answer.coverage):
        out.print(said)
    elif answer.sentences:
        best = answer.sentences[0]
        out.print(f"{best.snippet}  [{best.path}:{best.line_start}]\n", markup=False)
    for hit in answer.hits:
        out.print(f"{hit.title}{_about(hit)}", markup=False)
        for quote in hit.evidence:
            place = f"{quote.path}:{quote.line_start}"
            out.print(f"    {place}  {cell(quote.snippet, LONGEST_QUOTE)}", markup=False)
