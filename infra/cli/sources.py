"""`cairn sources`: every source of a project; with --skipped, what is not read and why.

`cairn role`: what a document is to the product, where its names tell it wrongly.
"""

import typer

from infra.cli.calls import Cairn, unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.deciding import Deciding, by_person
from infra.cli.output import as_lines, cell, table
from infra.client.models.sources import RoleDecision, RolesDecision, SourceState
from schemas.document_roles.public import DOCUMENT_ROLES, ROLE_NAMES

AS_TOLD = "as-told"


def register(app: typer.Typer) -> None:
    @app.command()
    def sources(
        project: str = PROJECT_OPTION,
        skipped: bool = typer.Option(False, "--skipped", help="Only what is not read."),
        reason: str | None = typer.Option(
            None, help="Only skipped for this reason, e.g. no_reader."
        ),
        source: str | None = typer.Option(None, help="Only paths that match, e.g. 'docs/*'."),
        role: str | None = typer.Option(
            None, help=f"Only documents with this role: {', '.join(DOCUMENT_ROLES)}."
        ),
        limit: int | None = typer.Option(None, min=1, help="Maximum number of results."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List sources by path; --skipped: those that are not read, each with its reason.

        Of a document its role, what tells it, and its status. Of a source that is read and nearly a
        copy of another the detail says so.
        """
        cairn = connect()
        known = cairn.project_of(project)
        listed = cairn.list_sources(
            known, skipped=skipped, reason=reason, path=source, role=unchecked(role)
        )
        found = listed.take(limit)
        near = () if skipped else cairn.list_near_copies(known)
        told = {
            one.source_id: f"nearly a copy of {one.original_path}: {one.share:.0%} is the same"
            for one in near
        }
        rows = [
            row.model_copy(update={"detail": told.get(row.source_id or "", row.detail)})
            for row in found
        ]
        if as_json:
            as_lines(row.model_dump() for row in rows)
            return
        _show(rows, "Nothing was skipped." if skipped else "No sources.")

    @app.command()
    @by_person
    def role(
        source: str = typer.Argument(help="Id of a source, as `cairn sources` lists it."),
        document_role: str = typer.Argument(
            metavar="ROLE",
            help=f"One of {', '.join(DOCUMENT_ROLES)}, or {AS_TOLD}: what its names tell.",
        ),
    ) -> Deciding:
        """Say what a document is to the product, whatever its names tell.

        Its statements count as of such a document at once; nothing is read again.
        """
        body = RoleDecision(role=None if document_role == AS_TOLD else unchecked(document_role))
        return Deciding(source, Cairn.decide_document_role, body)

    app.command()(roles)


def roles(
    path: str = typer.Argument(help="Paths of documents, e.g. 'docs/how-we-work/*'."),
    document_role: str = typer.Argument(metavar="ROLE", help="As for `cairn role`."),
    project: str = PROJECT_OPTION,
    rationale: str = typer.Option("", "--rationale", "-r", help="Reason for the decision."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Say what all documents at some paths are: one decision each."""
    cairn = connect()
    role = None if document_role == AS_TOLD else unchecked(document_role)
    body = RolesDecision(path=path, role=role, rationale=rationale)
    with asking(idempotency_key) as key:
        made = cairn.decide_document_roles(cairn.project_of(project), body, key=key)
    if as_json:
        as_lines(each.model_dump() for each in made)
        return
    table(
        ("path", "source", "decision"),
        ((each.path, each.source_id, each.code or "recorded") for each in made),
        "All of them have this role already.",
    )


def _show(rows: list[SourceState], without_rows: str) -> None:
    headings = ("root", "path", "state", "role", "told by", "status", "reason", "detail", "source")
    table(
        headings,
        (
            (
                *(row.root, row.path, row.state),
                *(ROLE_NAMES.get(row.role or ""), cell(row.role_reason), row.document_status),
                *(row.reason, cell(row.detail), row.source_id),
            )
            for row in rows
        ),
        without_rows,
    )
