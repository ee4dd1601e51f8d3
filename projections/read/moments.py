"""Two moments of a ledger: the batches that moments snap to, and what differs between two of them.

A moment is a change set. The difference is net, as in `changes`, over any number of change sets:
everything is counted, and the first of each kind are told.
"""

from __future__ import annotations

from datetime import datetime

from projections.read.atoms import list_quotes, read_head
from projections.read.changes import COMPARED, ChangedAtom, Group, build_change, difference
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.ledger import LIVE

BATCHES = """
    SELECT ledger_seq, max(committed_at) AS committed_at FROM ingestion_batches
    WHERE project_id = %s AND committed_at IS NOT NULL AND NOT withdrawn
    GROUP BY ledger_seq ORDER BY ledger_seq DESC LIMIT %s
"""
NEAREST = """
    SELECT ledger_seq FROM ingestion_batches
    WHERE project_id = %s AND committed_at IS NOT NULL AND NOT withdrawn
    ORDER BY abs(ledger_seq - %s), ledger_seq LIMIT 1
"""
# Which atoms differ is told by places and states alone; only the records that are shown, or have to
# be compared, are read.
DIFFERENCE = """
    WITH touched AS (
        SELECT DISTINCT ON (atom_id) atom_id, ledger_seq, status FROM ledger_atom_history
        WHERE project_id = %(project)s AND ledger_seq > %(since)s AND ledger_seq <= %(to)s
        ORDER BY atom_id, ledger_seq DESC
    ), earlier AS (
        SELECT DISTINCT ON (h.atom_id) h.atom_id, h.ledger_seq, h.status
        FROM touched t JOIN ledger_atom_history h ON h.project_id = %(project)s
            AND h.atom_id = t.atom_id AND h.ledger_seq <= %(since)s
        ORDER BY h.atom_id, h.ledger_seq DESC
    ), pairs AS (
        SELECT t.atom_id, t.ledger_seq, b.ledger_seq AS before_seq,
            t.status = ANY(%(live)s) AS is_live,
            coalesce(b.status = ANY(%(live)s), false) AS was_live
        FROM touched t LEFT JOIN earlier b USING (atom_id)
    ), grouped AS (
        SELECT *, CASE WHEN is_live AND NOT was_live THEN 'came' WHEN was_live AND NOT is_live
            THEN 'went' ELSE 'changed' END AS change
        FROM pairs p WHERE is_live <> was_live OR (is_live AND EXISTS (
            SELECT 1 FROM ledger_atom_history a, ledger_atom_history b,
                unnest(%(compared)s::text[]) name
            WHERE (a.atom_id, a.ledger_seq) = (p.atom_id, p.ledger_seq)
                AND (b.atom_id, b.ledger_seq) = (p.atom_id, p.before_seq)
                AND b.record->name IS DISTINCT FROM a.record->name))
    )
    SELECT g.atom_id,
        (SELECT b.record FROM ledger_atom_history b
            WHERE (b.atom_id, b.ledger_seq) = (g.atom_id, g.before_seq)) AS before,
        (SELECT a.record FROM ledger_atom_history a
            WHERE (a.atom_id, a.ledger_seq) = (g.atom_id, g.ledger_seq)) AS after,
        g.ledger_seq, c.change, c.n
    FROM (SELECT change, count(*) AS n FROM grouped GROUP BY change) c CROSS JOIN LATERAL (
        SELECT * FROM grouped WHERE grouped.change = c.change
        ORDER BY ledger_seq DESC, atom_id LIMIT %(shown)s) g
    ORDER BY c.change, g.ledger_seq DESC, g.atom_id
"""


class CommittedBatch(ReadModel):
    """The ledger that a batch left behind."""

    ledger_seq: int
    committed_at: datetime


class ChangedAtoms(ReadModel):
    """``count`` of them; ``first`` those that changed last."""

    count: int = 0
    first: list[ChangedAtom] = []


class LedgerDifference(ReadModel):
    came: ChangedAtoms
    went: ChangedAtoms
    changed: ChangedAtoms


def list_committed_batches(connection: Conn, project_id: str, limit: int) -> list[CommittedBatch]:
    """The last ``limit`` ones, oldest first."""
    return select(connection, CommittedBatch, BATCHES, project_id, limit)[::-1]


def snap_to_batch(connection: Conn, project_id: str, ledger_seq: int) -> int:
    """The nearest end of a batch; the beginning and the end of the ledger count as ends, too."""
    last = read_head(connection, project_id)
    if ledger_seq >= last:
        return last
    records = rows(connection, NEAREST, project_id, ledger_seq)
    nearest: int = records[0]["ledger_seq"] if records else 0
    return nearest if abs(nearest - ledger_seq) <= ledger_seq else 0


def compare_ledgers(
    connection: Conn, project_id: str, since_seq: int, to_seq: int, shown: int
) -> LedgerDifference:
    """What differs between two change sets; of each kind at most ``shown`` are told."""
    asked = {
        "project": project_id,
        "since": since_seq,
        "to": to_seq,
        "live": sorted(LIVE),
        "compared": list(COMPARED),
        "shown": shown,
    }
    # Planned for these two moments: a plan for any two takes three times as long for distant ones.
    records = connection.execute(DIFFERENCE, asked, prepare=False).fetchall()
    quotes = list_quotes(connection, [row[0] for row in records])
    groups: dict[Group, ChangedAtoms] = {
        "came": ChangedAtoms(),
        "went": ChangedAtoms(),
        "changed": ChangedAtoms(),
    }
    for atom_id, before, after, ledger_seq, change, count in records:
        group: Group = change
        fields = difference(before, after)[1]
        atom = build_change(after, ledger_seq, group, fields, quotes.get(atom_id, []))
        groups[group] = ChangedAtoms(count=count, first=[*groups[group].first, atom])
    return LedgerDifference(**groups)
