"""One atom with everything about it: evidence, links to others, and how it changed."""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.atoms import COLUMNS, Atom, PastAtom, find_sequence, list_quotes
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select

LINK_COLUMNS = "l.link_id, l.from_atom_id, l.to_atom_id, l.link_type, l.weight, l.created_by"
LINKS_OF = f"""
    SELECT {LINK_COLUMNS}, o.atom_id AS other_atom_id, o.title AS other_title
    FROM ledger_links l JOIN ledger_atoms o
        ON o.atom_id = CASE l.from_atom_id WHEN %s THEN l.to_atom_id ELSE l.from_atom_id END
    WHERE (l.from_atom_id = %s OR l.to_atom_id = %s) AND l.active
    ORDER BY l.link_type, l.link_id
"""
LINKS = Listing("links", LINK_COLUMNS, "ledger_links l", {"l.link_id": "text"})
HISTORY_OF = """
    SELECT h.ledger_seq, c.recorded_at, c.run_id, c.reason, h.record->>'status' AS status,
        (h.record->>'confidence')::float8 AS confidence, (h.record->>'revision')::int AS revision,
        h.record->>'title' AS title,
        coalesce((SELECT array_agg(DISTINCT o->>'op') FROM jsonb_array_elements(c.changes) o
            WHERE o->>'target_id' = h.atom_id OR o->>'other_id' = h.atom_id), '{}') AS operations
    FROM ledger_atom_history h JOIN ledger_change_sets c USING (project_id, ledger_seq)
    WHERE h.atom_id = %s ORDER BY h.ledger_seq
"""
AS_OF = """
    SELECT ledger_seq, record FROM ledger_atom_history
    WHERE project_id = %s AND atom_id = %s AND ledger_seq <= %s ORDER BY ledger_seq DESC LIMIT 1
"""


class Link(ReadModel):
    link_id: str
    from_atom_id: str
    to_atom_id: str
    link_type: str
    weight: float
    created_by: str


class AtomLink(Link):
    """A link as seen from one of its two atoms."""

    other_atom_id: str
    other_title: str


class AtomChange(ReadModel):
    """The atom as change set ``ledger_seq`` left it, and the operations that named it."""

    ledger_seq: int
    recorded_at: datetime
    run_id: str | None
    reason: str
    status: str
    confidence: float
    revision: int
    title: str
    operations: list[str]


class WholeAtom(Atom):
    """An atom with its links and its history, oldest change first."""

    links: list[AtomLink]
    history: list[AtomChange]


def read_atom(connection: Conn, project_id: str, atom_id: str) -> WholeAtom:
    """Raises NotFound when the project has no such atom."""
    records = rows(
        connection,
        f"SELECT {COLUMNS} FROM ledger_atoms a WHERE a.project_id = %s AND a.atom_id = %s",
        *(project_id, atom_id),
    )
    if not records:
        raise NotFound(f"There is no atom {atom_id}.", code="unknown_atom")
    return WholeAtom(
        **records[0],
        evidence=list_quotes(connection, [atom_id]).get(atom_id, []),
        links=select(connection, AtomLink, LINKS_OF, atom_id, atom_id, atom_id),
        history=select(connection, AtomChange, HISTORY_OF, atom_id),
    )


def read_past_atom(
    connection: Conn, project_id: str, atom_id: str, place: int | datetime
) -> PastAtom:
    """The record of an atom as it was at a moment. Raises NotFound, also where there was none."""
    seq = find_sequence(connection, project_id, place)
    records = rows(connection, AS_OF, project_id, atom_id, seq)
    if not records:
        read_atom(connection, project_id, atom_id)
        raise NotFound("The ledger did not hold it yet at that time.", code="no_atom_yet")
    return PastAtom(as_of_seq=seq, changed_seq=records[0]["ledger_seq"], **records[0]["record"])


def list_links(
    connection: Conn, project_id: str, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Link]:
    """A page of the project's links by id. Raises Refusal for a bad cursor."""
    conditions: list[Condition] = [("l.project_id = %s", project_id), ("l.active",)]
    records, following = page_of(connection, LINKS, conditions, cursor, limit)
    return Page(items=[Link(**row) for row in records], next_cursor=following)
