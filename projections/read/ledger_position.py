"""How far the ledger of a project is, by its own count and by the clock of the log."""

from __future__ import annotations

from datetime import datetime

from projections.read.session import Conn, ReadModel, select

POSITION = """
    SELECT coalesce(max(ledger_seq), 0) AS ledger_seq, max(recorded_at) AS recorded_at
    FROM ledger_change_sets WHERE project_id = %s
"""


class LedgerPosition(ReadModel):
    """The last change set, and when it was recorded; 0 and None before the first."""

    ledger_seq: int
    recorded_at: datetime | None


def ledger_position(connection: Conn, project_id: str) -> LedgerPosition:
    (found,) = select(connection, LedgerPosition, POSITION, project_id)
    return found
