"""`cairn merges`, `cairn unmerge`: what was taken for one, what waits for a person, and undoing."""

from typing import Any, Literal

import typer

from infra.cli.context import JSON_OPTION, connect
from infra.cli.deciding import (
    AS_OPTION,
    KEY_OPTION,
    RATIONALE_OPTION,
    REVISION_OPTION,
    ROLE_OPTION,
    Person,
    Role,
    decide,
)
from infra.cli.output import as_lines, cell, table

REVIEW = typer.Argument(help="Id of the merge review (mrg_), see `cairn merges`.")


def register(app: typer.Typer) -> None:
    reviews = typer.Typer(invoke_without_command=True)
    app.add_typer(reviews, name="merges")

    @reviews.callback()
    def merges(
        context: typer.Context,
        project: str | None = typer.Option(
            None, "--project", "-p", help="Name or id of the project."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List merge operations in ledger order, then the pairs in review; approve, reject."""
        if context.invoked_subcommand is None:
            if project is None:
                raise typer.BadParameter("Name the project: --project NAME.")
            _list(project, as_json=as_json)

    @reviews.command()
    def approve(
        review: str = REVIEW,
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """The two say the same: make them one atom."""
        person = Person(name, role, rationale, expected_revision, key, as_json)
        _review(review, "approve", person)

    @reviews.command()
    def reject(
        review: str = REVIEW,
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """The two say different things: never merge or propose them again."""
        person = Person(name, role, rationale, expected_revision, key, as_json)
        _review(review, "reject", person)

    @app.command()
    def unmerge(
        merged: str = typer.Argument(help="Id of the merge (mop_) or of the atom merged away."),
        rationale: str = RATIONALE_OPTION,
        name: str | None = AS_OPTION,
        role: Role = ROLE_OPTION,
        expected_revision: int | None = REVISION_OPTION,
        key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Undo a wrong merge: the atom that was merged away is one of its own again."""
        from schemas.events.hitl import MergeUndone

        def event(known_id: str, shared: dict[str, Any]) -> MergeUndone:
            return MergeUndone(atom_id=known_id, **shared)

        decide(merged, Person(name, role, rationale, expected_revision, key, as_json), event)


def _review(review: str, decision: Literal["approve", "reject"], person: Person) -> None:
    from schemas.events.hitl import MergeDecided

    def event(known_id: str, shared: dict[str, Any]) -> MergeDecided:
        return MergeDecided(merge_candidate_id=known_id, decision=decision, **shared)

    decide(review, person, event)


def _list(project: str, *, as_json: bool) -> None:
    from projections import queries

    with queries.reading(connect().conninfo) as connection:
        found = queries.merges(connection, queries.project_of(connection, project))
    if as_json:
        as_lines(found)
        return
    table(
        ("seq", "op", "state", "similarity", "kept", "merged into it", "id"),
        (
            (
                merge["ledger_seq"],
                merge["op"],
                merge["state"],
                f"{merge['similarity']:.2f}",
                cell(merge["title_a"]),
                cell(merge["title_b"]) if merge["title_b"] else None,
                merge["id"],
            )
            for merge in found
        ),
        "No merge.",
    )
