"""What of a project had been read at a moment, as far as it is kept.

Each change set names the chunk that was read for it, and each atom has its history: both are exact.
How many chunks there were to be read then is not kept: sources are revised and removed, and their
chunks are cut anew. So a share of the past is not known, and none is told.
"""

from __future__ import annotations

from projections.read.coverage import NO_AREA
from projections.read.session import Conn, ReadModel, rows
from schemas.areas import AREAS
from schemas.events.ledger import LIVE

READ = """
    SELECT area, sum(n)::bigint AS n FROM (
        SELECT c.areas, count(*) AS n FROM chunks c WHERE c.chunk_id IN (
            SELECT s.chunk_id FROM ledger_change_sets s
            WHERE s.project_id = %s AND s.ledger_seq <= %s AND s.outcome = 'extracted')
        GROUP BY c.areas
    ) r, unnest(CASE WHEN cardinality(areas) > 0 THEN areas ELSE ARRAY['none'] END) area
    GROUP BY area
"""
ATOMS = """
    SELECT area, count(*) AS n FROM (
        SELECT DISTINCT ON (atom_id) area, status FROM ledger_atom_history
        WHERE project_id = %s AND ledger_seq <= %s ORDER BY atom_id, ledger_seq DESC
    ) h WHERE status = ANY(%s) GROUP BY area
"""


class PastAreaCounts(ReadModel):
    """A chunk of two areas counts in both; areas are those that the chunk has today."""

    area: str
    chunks_read: int
    live_atoms: int


class PastCoverage(ReadModel):
    """The areas after change set ``as_of_seq``."""

    as_of_seq: int
    areas: list[PastAreaCounts]


def read_coverage_as_of(connection: Conn, project_id: str, ledger_seq: int) -> PastCoverage:
    """What had been read, and what the ledger held, after a change set that is there."""
    read = {row["area"]: row["n"] for row in rows(connection, READ, project_id, ledger_seq)}
    held = rows(connection, ATOMS, project_id, ledger_seq, sorted(LIVE))
    atoms = {row["area"]: row["n"] for row in held}
    return PastCoverage(
        as_of_seq=ledger_seq,
        areas=[
            PastAreaCounts(area=area, chunks_read=read.get(area, 0), live_atoms=atoms.get(area, 0))
            for area in (*AREAS, NO_AREA)
        ],
    )
