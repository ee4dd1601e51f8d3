"""How far the ledger of a project is, by its own count and by the clock of the log."""

from __future__ import annotations

from datetime import datetime

from projections.read.atoms import find_sequence
from projections.read.session import Conn, ReadModel, select

POSITION = """
    SELECT ledger_seq, recorded_at FROM ledger_change_sets WHERE project_id = %s
    ORDER BY ledger_seq DESC LIMIT 1
"""


class LedgerPosition(ReadModel):
    """The last change set, and when it was recorded; 0 and None before the first."""

    ledger_seq: int
    recorded_at: datetime | None


def read_position(connection: Conn, project_id: str) -> LedgerPosition:
    items = select(connection, LedgerPosition, POSITION, project_id)
    return items[0] if items else LedgerPosition(ledger_seq=0, recorded_at=None)


def read_position_at(connection: Conn, project_id: str, place: int | datetime) -> LedgerPosition:
    """The change set that a place names. Raises NotFound for a sequence that is not there."""
    seq = find_sequence(connection, project_id, place)
    query = "SELECT recorded_at FROM ledger_change_sets WHERE project_id = %s AND ledger_seq = %s"
    row = connection.execute(query, (project_id, seq)).fetchone()
    return LedgerPosition(ledger_seq=seq, recorded_at=row[0] if row else None)
