"""Atoms of the ledger, now with the words they rest on, or as of a sequence number.

Every change of an atom left its whole record under its sequence number; the ledger as of *n* is the
last record of each atom up to *n*. Nothing is replayed for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, TypedDict, Unpack

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, like_of, rows
from schemas.events.ledger import LIVE, AtomRecord

Order = Literal["worth", "age"]

COLUMNS = ", ".join(f"a.{name}" for name in ("project_id", *AtomRecord.model_fields))
BY_AGE = {"a.first_seq": "bigint", "a.atom_id": "text"}
NOW: dict[Order, Listing] = {
    "worth": Listing("atoms/worth", COLUMNS, "ledger_atoms a", {"(-a.worth)": "float8", **BY_AGE}),
    "age": Listing("atoms/age", COLUMNS, "ledger_atoms a", BY_AGE),
}
PAST_BY_AGE = {"((h.record->>'first_seq')::bigint)": "bigint", "h.atom_id": "text"}
PAST_BY_WORTH = {"(-h.worth)": "float8", **PAST_BY_AGE}
HISTORY = ("h.ledger_seq, h.record", "ledger_atom_history h")
PAST: dict[Order, Listing] = {
    "worth": Listing("past atoms/worth", *HISTORY, PAST_BY_WORTH),
    "age": Listing("past atoms/age", *HISTORY, PAST_BY_AGE),
}
LAST_UP_TO = (
    "NOT EXISTS (SELECT 1 FROM ledger_atom_history later WHERE later.atom_id = h.atom_id"
    " AND later.ledger_seq > h.ledger_seq AND later.ledger_seq <= %s)"
)
CHANGED_AFTER = (
    "EXISTS (SELECT 1 FROM ledger_atom_history h WHERE h.atom_id = a.atom_id AND h.ledger_seq > %s)"
)
FROM_PATH = (
    "EXISTS (SELECT 1 FROM ledger_evidence e JOIN sources s USING (source_id)"
    " WHERE e.atom_id = a.atom_id AND s.path LIKE %s)"
)
QUOTES = """
    SELECT e.atom_id, e.evidence_id, s.path, e.source_id, e.sanitized_hash, e.chunk_id,
        e.char_start, e.char_end, e.line_start, e.line_end, e.snippet, e.evidence_type, e.stale,
        e.speaker, e.speaker_role, e.said_at
    FROM ledger_evidence e LEFT JOIN sources s USING (source_id) WHERE e.atom_id = ANY(%s)
    ORDER BY e.stale, s.path, e.char_start, e.evidence_id
"""


class Quote(ReadModel):
    """A row of evidence; ``path`` is None while its source is not in the tables."""

    evidence_id: str
    path: str | None
    source_id: str
    sanitized_hash: str
    chunk_id: str
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    snippet: str
    evidence_type: str
    stale: bool
    speaker: str | None
    speaker_role: str | None
    said_at: datetime | None


class Atom(AtomRecord):
    """An atom as it is now; fresh evidence first."""

    project_id: str
    evidence: list[Quote]


class PastAtom(AtomRecord):
    """An atom as it was after change set ``as_of_seq``, which ``changed_seq`` had left so."""

    as_of_seq: int
    changed_seq: int


class AtomFilter(TypedDict, total=False):
    """What an atom of a list has in common with the others; live ones unless ``status``.

    ``status`` may be ``all``. ``source`` is a glob over paths (``docs/*``); an atom is in when one
    of its evidence rows is from a source that fits. ``tag`` is one of its tags (``dependency``).
    """

    kind: str | None
    status: str | None
    source: str | None
    tag: str | None
    area: str | None
    min_confidence: float | None


def list_atoms(
    connection: Conn,
    project_id: str,
    *,
    order: Order = "worth",
    updated_since: int | datetime | None = None,
    is_slim: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
    **only: Unpack[AtomFilter],
) -> Page[Atom]:
    """A page of atoms, those to be seen first at the front.

    ``order`` ``age`` is that in which the ledger met them. ``updated_since``: only those that have
    changed after this change set or time. ``is_slim``: without their evidence, which is not read.
    Raises Refusal for a bad cursor, and for a sequence that is not there.
    """
    conditions = filter_atoms(project_id, only)
    if updated_since is not None:
        since_seq = find_sequence(connection, project_id, updated_since)
        conditions.append((CHANGED_AFTER, since_seq))
    records, following = page_of(connection, NOW[order], conditions, cursor, limit)
    quotes = {} if is_slim else list_quotes(connection, [row["atom_id"] for row in records])
    items = [Atom(**row, evidence=quotes.get(row["atom_id"], [])) for row in records]
    return Page(items=items, next_cursor=following)


def filter_atoms(project_id: str, only: AtomFilter) -> list[Condition]:
    """The conditions that the atoms of such a list meet."""
    conditions: list[Condition] = [("a.project_id = %s", project_id)]
    if kind := only.get("kind"):
        conditions.append(("a.kind = %s", kind))
    if tag := only.get("tag"):
        conditions.append(("a.tags @> ARRAY[%s]::text[]", tag))
    if area := only.get("area"):
        conditions.append(("a.area = %s", area))
    if (least := only.get("min_confidence")) is not None:
        conditions.append(("a.confidence >= %s", least))
    if (status := only.get("status")) != "all":
        conditions.append(("a.status = ANY(%s)", _statuses(status)))
    if source := only.get("source"):
        conditions.append((FROM_PATH, like_of(source)))
    return conditions


def read_revisions(connection: Conn, project_id: str, atom_ids: Sequence[str]) -> dict[str, int]:
    """The present revision of each atom of the project that there is."""
    query = "SELECT atom_id, revision FROM ledger_atoms WHERE project_id = %s AND atom_id = ANY(%s)"
    return dict(connection.execute(query, (project_id, list(atom_ids))).fetchall())


def find_quotes_of_source_alone(
    connection: Conn, project_id: str, source_id: str, atom_ids: Sequence[str]
) -> dict[str, list[str]]:
    """Those of the atoms that nothing but this source supports, with what they quote of it."""
    query = (
        "SELECT atom_id, array_agg(snippet ORDER BY char_start, evidence_id) FROM ledger_evidence"
        " WHERE project_id = %s AND atom_id = ANY(%s) AND NOT stale"
        " GROUP BY atom_id HAVING bool_and(source_id = %s)"
    )
    return dict(connection.execute(query, (project_id, list(atom_ids), source_id)).fetchall())


def list_quotes(connection: Conn, atom_ids: Sequence[str]) -> dict[str, list[Quote]]:
    """The evidence of each of these atoms, fresh rows first."""
    quotes: dict[str, list[Quote]] = {}
    for row in rows(connection, QUOTES, list(atom_ids)):
        quotes.setdefault(row.pop("atom_id"), []).append(Quote(**row))
    return quotes


def list_atoms_as_of(
    connection: Conn,
    project_id: str,
    ledger_seq: int,
    *,
    kind: str | None = None,
    status: str | None = None,
    tag: str | None = None,
    order: Order = "worth",
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[PastAtom]:
    """A page of the atoms as they stood after change set ``ledger_seq``.

    ``status`` and ``order`` as for `atoms`. Raises Refusal for a sequence that is not there, and
    for a bad cursor.
    """
    check_sequence(ledger_seq, read_head(connection, project_id))
    conditions: list[Condition] = [
        ("h.project_id = %s", project_id),
        ("h.ledger_seq <= %s", ledger_seq),
        (LAST_UP_TO, ledger_seq),
    ]
    if kind:
        conditions.append(("h.record->>'kind' = %s", kind))
    if tag:
        conditions.append(("h.record->'tags' ? %s", tag))
    if status != "all":
        conditions.append(("h.record->>'status' = ANY(%s)", _statuses(status)))
    records, following = page_of(connection, PAST[order], conditions, cursor, limit)
    items = [
        PastAtom(as_of_seq=ledger_seq, changed_seq=row["ledger_seq"], **row["record"])
        for row in records
    ]
    return Page(items=items, next_cursor=following)


def read_head(connection: Conn, project_id: str) -> int:
    """The last ``ledger_seq`` the tables hold; 0 when there is none yet."""
    row = connection.execute(
        "SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets WHERE project_id = %s",
        (project_id,),
    ).fetchone()
    return int(row[0]) if row else 0


def check_sequence(ledger_seq: int, last: int) -> None:
    """Raises NotFound for a sequence that a ledger up to ``last`` does not have."""
    if not 0 <= ledger_seq <= last:
        raise NotFound(
            f"The ledger goes from 0 to {last}: there is no sequence {ledger_seq}.",
            code="unknown_sequence",
        )


def find_sequence(connection: Conn, project_id: str, place: int | datetime) -> int:
    """The ``ledger_seq`` that a place names: itself, or the last one recorded by then.

    Raises NotFound for a sequence that is not there.
    """
    if isinstance(place, datetime):
        return find_sequence_at(connection, project_id, place)
    check_sequence(place, read_head(connection, project_id))
    return place


def find_time(connection: Conn, project_id: str, place: int | datetime) -> datetime:
    """The moment that a place names: itself, or when that change set was recorded.

    Raises NotFound for a sequence that is not there.
    """
    if isinstance(place, datetime):
        return place
    check_sequence(place, read_head(connection, project_id))
    query = "SELECT recorded_at FROM ledger_change_sets WHERE project_id = %s AND ledger_seq = %s"
    records = rows(connection, query, project_id, place)
    return records[0]["recorded_at"] if records else datetime.fromtimestamp(0, UTC)


def find_sequence_at(connection: Conn, project_id: str, at: datetime) -> int:
    """The last ``ledger_seq`` recorded at or before ``at``; 0 when there is none yet."""
    row = connection.execute(
        "SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets"
        " WHERE project_id = %s AND recorded_at <= %s",
        (project_id, at),
    ).fetchone()
    return int(row[0]) if row else 0


def _statuses(status: str | None) -> list[str]:
    return sorted(LIVE) if status is None else [status]
