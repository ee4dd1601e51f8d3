"""`cairn atoms`: what the ledger holds, with the words it rests on, now or as of a moment."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import typer

from infra.cli.calls import moment_of, unchecked
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import as_lines, cell, table

if TYPE_CHECKING:
    from infra.client.connection import Pages
    from infra.client.models.ledger import Atom, PastAtom

AS_OF_SEQ = typer.Option(None, min=0, help="Show the ledger as of this sequence number.")
AS_OF = typer.Option(
    None, metavar="TIME", help="Show it as of this time, e.g. 2026-05-01T12:00 (UTC)."
)


def register(app: typer.Typer) -> None:
    app.command()(atoms)


def atoms(
    project: str = PROJECT_OPTION,
    kind: str | None = typer.Option(None, help="Only this kind, e.g. decision."),
    status: str | None = typer.Option(None, help="Only this status, or `all`."),
    source: str | None = typer.Option(None, help="Only from paths that match, e.g. 'docs/*'."),
    tag: str | None = typer.Option(None, help="Only with this tag, e.g. dependency."),
    min_confidence: float | None = typer.Option(
        None, min=0, max=1, help="Only with at least this confidence, e.g. 0.8."
    ),
    order: Literal["worth", "age"] = typer.Option(
        "worth", help="worth: most valuable first; age: oldest first."
    ),
    limit: int | None = typer.Option(None, min=1, help="Maximum number of results."),
    as_of_seq: int | None = AS_OF_SEQ,
    as_of: str | None = AS_OF,
    as_json: bool = JSON_OPTION,
) -> None:
    """List atoms with their evidence, most valuable first; live ones by default.

    As of a moment: the records as they were, without their quotes.
    """
    check_known("kind", kind)
    check_known("status", status, "all")
    then = place_of(as_of_seq, as_of)
    if then is not None and source:
        raise typer.BadParameter("--source does not work for a past moment, which has no quotes")
    if then is not None and min_confidence is not None:
        raise typer.BadParameter("--min-confidence does not work for a past moment")
    cairn = connect()
    shared: dict[str, Any] = {
        "kind": kind,
        "status": unchecked(status),
        "tag": tag,
        "order": order,
    }
    found: Pages[Atom] | Pages[PastAtom]
    if then is not None:
        found = cairn.list_past_atoms(cairn.project_of(project), **moment_of(then), **shared)
    else:
        now = shared | {"path": source, "min_confidence": min_confidence}
        found = cairn.list_atoms(cairn.project_of(project), **now)
    if as_json:
        as_lines(atom.model_dump() for atom in found.take(limit))
        return
    table(
        ("kind", "status", "conf.", "title", "where", "id"),
        (
            (
                atom.kind,
                atom.status,
                f"{atom.confidence:.2f}",
                cell(atom.title),
                where_of(atom),
                atom.atom_id,
            )
            for atom in found.take(limit)
        ),
    )


def check_known(what: Literal["kind", "status"], given: str | None, *also: str) -> None:
    """Raises typer.BadParameter for a kind or status that no atom can have."""
    from schemas.events.atom import KINDS
    from schemas.events.ledger import AtomStatus

    known = (*(KINDS if what == "kind" else get_args(AtomStatus)), *also)
    if given is not None and given not in known:
        raise typer.BadParameter(f"There is no {what} {given!r}: there are {', '.join(known)}.")


def place_of(as_of_seq: int | None, as_of: str | None) -> int | datetime | None:
    """The moment that is asked for; None: now. Raises typer.BadParameter."""
    if as_of_seq is not None and as_of:
        raise typer.BadParameter("give --as-of-seq or --as-of, not both")
    return time_of(as_of) if as_of else as_of_seq


def time_of(text: str) -> datetime:
    """An ISO 8601 time; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no ISO 8601 time, e.g. 2026-05-01T12:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def where_of(atom: "Atom | PastAtom") -> str:
    """The first place and how many more there are; of the past, when the atom had changed."""
    from infra.client.models.ledger import PastAtom

    if isinstance(atom, PastAtom):
        return f"changed at {atom.changed_seq}"
    quotes = atom.evidence
    more = f" +{len(quotes) - 1}" if len(quotes) > 1 else ""
    return f"{quotes[0].path}:{quotes[0].line_start}{more}" if quotes else "–"
