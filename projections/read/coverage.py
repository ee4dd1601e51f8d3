"""What of a project has been read and what not, and what is to be read next and why."""

from __future__ import annotations

from typing import Any

from projections.read.owed import count_owed_chunks
from projections.read.session import Conn, ReadModel, Row, rows
from schemas.areas import AREAS

NO_AREA = "none"
TIERS = (1, 2, 3)
# Chunks that count: of today's revisions of sources that are there. They are grouped by columns as
# they are: how few groups an expression has PostgreSQL does not know, and would sort all chunks.
CHUNKS = """
    SELECT c.priority_tier, c.areas, c.state, c.skip_reason, s.duplicate_of IS NOT NULL AS is_copy,
        count(*) AS n
    FROM chunks c JOIN sources s USING (source_id)
    WHERE c.project_id = %s AND c.state <> 'obsolete' AND s.state <> 'removed'
    GROUP BY c.priority_tier, c.areas, c.state, c.skip_reason, is_copy
"""
# Chunks of a copy are skipped.
COUNTS = f"""
    SELECT priority_tier AS tier,
        CASE WHEN cardinality(areas) > 0 THEN areas ELSE ARRAY['none'] END AS areas,
        CASE WHEN is_copy AND state <> 'extracted' THEN 'skipped'
            WHEN state = 'scheduled' THEN 'pending' ELSE state END AS state,
        CASE WHEN is_copy THEN 'duplicate' ELSE skip_reason END AS skip_reason, n
    FROM ({CHUNKS}) c
"""


class Counts(ReadModel):
    """Chunks; ``skipped`` counts by reason."""

    total: int
    extracted: int
    pending: int
    skipped: dict[str, int]


class TierCounts(Counts):
    tier: int


class AreaCounts(Counts):
    """A chunk of two areas counts in both."""

    area: str
    active_atoms: int
    draft_atoms: int


class Coverage(ReadModel):
    """``gaps`` are the areas about which the ledger holds too little. ``by_rules`` counts the
    chunks that rules have read in place of a model, by the cause.
    """

    tiers: list[TierCounts]
    areas: list[AreaCounts]
    gaps: list[str]
    by_rules: dict[str, int] = {}


def read_coverage(connection: Conn, project_id: str) -> Coverage:
    """How far the project's sources are read."""
    records = rows(connection, COUNTS, project_id)
    atoms = _live_atoms(connection, project_id)
    summary = rows(
        connection,
        "SELECT summary->'gaps' AS gaps FROM project_working_summary WHERE project_id = %s",
        project_id,
    )
    return Coverage(
        tiers=[
            TierCounts(tier=tier, **_count([row for row in records if row["tier"] == tier]))
            for tier in TIERS
        ],
        areas=[
            AreaCounts(
                area=area,
                active_atoms=atoms.get((area, "active"), 0),
                draft_atoms=atoms.get((area, "draft"), 0),
                **_count([row for row in records if area in row["areas"]]),
            )
            for area in (*AREAS, NO_AREA)
        ],
        gaps=list(summary[0]["gaps"]) if summary else list(AREAS),
        by_rules=count_owed_chunks(connection, project_id),
    )


def _live_atoms(connection: Conn, project_id: str) -> dict[tuple[str, str], int]:
    """How many there are by area and status."""
    counted = rows(
        connection,
        "SELECT area, status, count(*) AS n FROM ledger_atoms WHERE project_id = %s"
        " AND status IN ('active', 'draft') GROUP BY area, status",
        project_id,
    )
    return {(row["area"], row["status"]): row["n"] for row in counted}


def _count(records: list[Row]) -> dict[str, Any]:
    skipped: dict[str, int] = {}
    counts = {"total": 0, "extracted": 0, "pending": 0}
    for row in records:
        counts["total"] += row["n"]
        if row["state"] == "skipped":
            skipped[row["skip_reason"]] = skipped.get(row["skip_reason"], 0) + row["n"]
        else:
            counts[row["state"]] += row["n"]
    return counts | {"skipped": dict(sorted(skipped.items()))}
