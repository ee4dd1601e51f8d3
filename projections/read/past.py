"""What stood at a moment: the version of an artifact, and the contradictions that were open.

A moment is a change set or a time. A time counts by when things were recorded: a change set, or a
version that was published; of a change set there is the last version that was made of the ledger up
to it. Titles are those of that moment, too; places of citations are today's.
"""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.artifact_list import WholeVersion, read_artifact, read_version
from projections.read.atoms import Order, PastAtom, find_sequence, list_atoms_as_of
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.past_coverage import PastCoverage, read_coverage_as_of
from projections.read.session import Conn
from schemas.events.ledger import ContradictionRecord

VERSION_AT = """
    SELECT max(version) FROM artifact_versions
    WHERE project_id = %s AND artifact_id = %s AND {} <= %s
"""
TITLES = """
    SELECT DISTINCT ON (atom_id) atom_id, record->>'title' FROM ledger_atom_history
    WHERE atom_id = ANY(%s) AND ledger_seq <= %s ORDER BY atom_id, ledger_seq DESC
"""
CONTRADICTIONS = Listing(
    "past contradictions",
    "h.ledger_seq, h.record",
    "ledger_contradiction_history h",
    {
        "array_position(ARRAY['high', 'medium', 'low'], h.record->>'severity')": "int",
        "((h.record->>'opened_seq')::bigint)": "bigint",
        "h.contradiction_id": "text",
    },
)
LAST_UP_TO = (
    "NOT EXISTS (SELECT 1 FROM ledger_contradiction_history later"
    " WHERE later.contradiction_id = h.contradiction_id"
    " AND later.ledger_seq > h.ledger_seq AND later.ledger_seq <= %s)"
)


class PastContradiction(ContradictionRecord):
    """A contradiction as it stood after change set ``as_of_seq``, which ``changed_seq`` had left
    so, with the titles that its atoms had.
    """

    as_of_seq: int
    changed_seq: int
    title_a: str | None
    title_b: str | None


def read_past_version(
    connection: Conn, project_id: str, artifact_id: str, place: datetime | int
) -> WholeVersion:
    """The version that stood then. Raises NotFound, also where there was none yet."""
    if isinstance(place, int):
        place = find_sequence(connection, project_id, place)
    query = VERSION_AT.format(
        "published_at" if isinstance(place, datetime) else "input_ledger_seq"
    ).encode()
    row = connection.execute(query, (project_id, artifact_id, place)).fetchone()
    if row and row[0] is not None:
        return read_version(connection, project_id, artifact_id, int(row[0]))
    read_artifact(connection, project_id, artifact_id)
    raise NotFound("There was no version of it yet at that time.", code="no_version_yet")


def list_past_contradictions(
    connection: Conn,
    project_id: str,
    place: datetime | int,
    status: str | None = "open",
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[PastContradiction]:
    """A page of those that had the status then, the gravest first; None: all. Raises Refusal."""
    seq = find_sequence(connection, project_id, place)
    conditions: list[Condition] = [
        ("h.project_id = %s", project_id),
        ("h.ledger_seq <= %s", seq),
        (LAST_UP_TO, seq),
    ]
    if status:
        conditions.append(("h.record->>'status' = %s", status))
    records, following = page_of(connection, CONTRADICTIONS, conditions, cursor, limit)
    named = {row["record"][side] for row in records for side in ("atom_a_id", "atom_b_id")}
    titles: dict[str, str] = dict(connection.execute(TITLES, (sorted(named), seq)).fetchall())
    items = [
        PastContradiction(
            **row["record"],
            as_of_seq=seq,
            changed_seq=row["ledger_seq"],
            title_a=titles.get(row["record"]["atom_a_id"]),
            title_b=titles.get(row["record"]["atom_b_id"]),
        )
        for row in records
    ]
    return Page(items=items, next_cursor=following)


def read_past_coverage(connection: Conn, project_id: str, place: datetime | int) -> PastCoverage:
    """What had been read then, see `coverage_as_of`. Raises NotFound."""
    return read_coverage_as_of(connection, project_id, find_sequence(connection, project_id, place))


def list_past_atoms(
    connection: Conn,
    project_id: str,
    place: datetime | int,
    *,
    kind: str | None = None,
    status: str | None = None,
    tag: str | None = None,
    order: Order = "worth",
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[PastAtom]:
    """A page of the atoms as they stood at a moment or a change set, see `atoms_as_of`.

    Raises Refusal.
    """
    seq = find_sequence(connection, project_id, place)
    return list_atoms_as_of(
        connection,
        project_id,
        seq,
        kind=kind,
        status=status,
        tag=tag,
        order=order,
        cursor=cursor,
        limit=limit,
    )
