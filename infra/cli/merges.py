"""`cairn merges`, `cairn unmerge`: what was taken for one, what waits for a person, and undoing."""

import typer

from infra.cli.calls import Cairn
from infra.cli.context import JSON_OPTION, OPTIONAL_PROJECT, connect
from infra.cli.deciding import Deciding, by_person
from infra.cli.output import as_lines, cell, table
from infra.client.models.decisions import DecisionRequest, MergeDecision

REVIEW = typer.Argument(help="Id of the merge review (mrg_), see `cairn merges`.")


def register(app: typer.Typer) -> None:
    reviews = typer.Typer(invoke_without_command=True)
    app.add_typer(reviews, name="merges")

    @reviews.callback()
    def merges(
        context: typer.Context,
        project: str | None = OPTIONAL_PROJECT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List merges and pairs in review; approve or reject a pair."""
        if context.invoked_subcommand is None:
            if project is None:
                raise typer.BadParameter("Name the project: --project NAME.")
            _list(project, as_json=as_json)

    @reviews.command()
    @by_person
    def approve(review: str = REVIEW) -> Deciding:
        """Merge the two atoms of the pair."""
        return Deciding(review, Cairn.decide_merge, MergeDecision(decision="approve"))

    @reviews.command()
    @by_person
    def reject(review: str = REVIEW) -> Deciding:
        """Keep the two atoms apart; the pair is not proposed again."""
        return Deciding(review, Cairn.decide_merge, MergeDecision(decision="reject"))

    @app.command()
    @by_person
    def unmerge(
        merged: str = typer.Argument(help="Id of the merge (mop_) or of the atom merged away."),
    ) -> Deciding:
        """Undo a merge: the merged atom becomes separate again."""
        return Deciding(merged, Cairn.undo_merge, DecisionRequest())


def _list(project: str, *, as_json: bool) -> None:
    cairn = connect()
    found = cairn.list_merges(cairn.project_of(project))
    if as_json:
        as_lines(merge.model_dump() for merge in found)
        return
    table(
        ("seq", "op", "state", "similarity", "kept", "merged into it", "id"),
        (
            (
                merge.ledger_seq,
                merge.op,
                merge.state,
                f"{merge.similarity:.2f}",
                cell(merge.title_a),
                cell(merge.title_b) if merge.title_b else None,
                merge.id,
            )
            for merge in found
        ),
        "No merge.",
    )
