"""`cairn search`: what the ledger knows about something."""

import typer

from infra.cli.atoms import PROJECT_OPTION, check_known
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer as answer_console
from infra.cli.output import cell


def register(app: typer.Typer) -> None:
    @app.command()
    def search(
        query: str = typer.Argument(help="Words, names of entities, kinds, areas or tags."),
        project: str = PROJECT_OPTION,
        kind: list[str] = typer.Option([], help="Only these kinds."),
        area: list[str] = typer.Option([], help="Only these areas."),
        status: list[str] = typer.Option([], help="These statuses instead of the live ones."),
        limit: int = typer.Option(10, min=1, max=100, help="Maximum number of results."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Find atoms by entity, metadata or words, with the places they come from."""
        from projections.read import projects, session
        from projections.read.search import Filters, search_ledger

        if not query.strip():
            raise typer.BadParameter("The query is empty: give words, a kind, an area or a tag.")
        for each in kind:
            check_known("kind", each)
        for each in status:
            check_known("status", each)
        filters = Filters(kinds=tuple(kind), areas=tuple(area), statuses=tuple(status))
        with session.reading(connect().conninfo) as connection:
            answer = search_ledger(
                connection, projects.project_of(connection, project), query, filters, limit
            )
        if as_json:
            print(answer.model_dump_json())
            return
        out = answer_console()
        if not answer.hits:
            out.print("The ledger knows nothing about it.")
        for hit in answer.hits:
            out.print(
                f"{hit.title}  ({hit.kind}, {hit.confidence:.2f}, {hit.atom_id})",
                markup=False,
            )
            for quote in hit.evidence:
                place = f"{quote.path}:{quote.line_start}"
                out.print(f"    {place}  {cell(quote.snippet)}", markup=False)
