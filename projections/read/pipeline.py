"""How many facts of a project there are at each step of their way, and what was given up there."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, rows
from schemas.inflection import noun

COUNTS = """
    SELECT
        (SELECT count(*) FROM sources WHERE project_id = %(project)s AND state <> 'removed')
            AS sources,
        c.chunks, c.chunks_read, c.chunks_scheduled, a.quotes, a.live_atoms,
        (SELECT count(*) FROM ledger_rejections
            WHERE project_id = %(project)s AND rejected = 'candidate') AS refused,
        (SELECT count(*) FROM artifacts
            WHERE project_id = %(project)s AND version IS NOT NULL
            AND (number <> '' OR artifact_type = 'prd')) AS artifacts,
        (SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets
            WHERE project_id = %(project)s) AS change_sets
    FROM
        (SELECT count(*) AS chunks, count(*) FILTER (WHERE state = 'extracted') AS chunks_read,
            count(*) FILTER (WHERE state = 'scheduled') AS chunks_scheduled
            FROM chunks WHERE project_id = %(project)s AND state <> 'obsolete') c,
        (SELECT coalesce(sum(evidence_count), 0) AS quotes,
            count(*) FILTER (WHERE status IN ('active', 'draft')) AS live_atoms
            FROM ledger_atoms WHERE project_id = %(project)s) a
"""
DEAD_LETTERS = """
    SELECT stage, count(*) AS n FROM dead_letters WHERE project_id = %s GROUP BY stage
    ORDER BY stage
"""


class Count(ReadModel):
    """``of`` names what is counted, as it follows ``n``."""

    n: int
    of: str


class PipelineCounts(ReadModel):
    """Counts by step, the main one first; dead letters by stage, of those that have any."""

    steps: dict[str, list[Count]]
    dead_letters: dict[str, int]


def count_pipeline(connection: Conn, project_id: str) -> PipelineCounts:
    """What there is of the project at each step."""
    cursor = connection.execute(COUNTS, {"project": project_id})
    names = [column.name for column in cursor.description or ()]
    n = dict(zip(names, cursor.fetchone() or (), strict=True))
    steps = {
        "sources": [Count(n=n["sources"], of="read or to be read")],
        "chunks": [Count(n=n["chunks"], of="of their texts")],
        "candidates": [
            _count(n["chunks_read"], "chunk read", "chunks read"),
            Count(n=n["chunks_scheduled"], of="being read"),
        ],
        "atoms": [
            _count(n["quotes"], "quote kept", "quotes kept"),
            Count(n=n["refused"], of="refused"),
        ],
        "ledger": [_count(n["live_atoms"], "live atom")],
        "artifacts": [Count(n=n["artifacts"], of="written")],
        "tables": [_count(n["change_sets"], "change set shown", "change sets shown")],
    }
    return PipelineCounts(
        steps=steps,
        dead_letters={row["stage"]: row["n"] for row in rows(connection, DEAD_LETTERS, project_id)},
    )


def _count(n: int, singular: str, many: str = "") -> Count:
    return Count(n=n, of=noun(n, singular, many))
