"""What of a project has been read and what not, and what is to be read next and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from projections.read.queries import Conn, Row, rows
from schemas.areas import AREAS

NO_AREA = "none"
TIERS = (1, 2, 3)
STATUSES = ("active", "draft")
# Chunks that count: of today's revisions of sources that are there. Those of a copy are skipped.
CHUNKS = """
    SELECT c.priority_tier AS tier,
        CASE WHEN cardinality(c.areas) > 0 THEN c.areas ELSE ARRAY['none'] END AS areas,
        CASE WHEN s.duplicate_of IS NOT NULL AND c.state <> 'extracted' THEN 'skipped'
            WHEN c.state = 'scheduled' THEN 'pending' ELSE c.state END AS state,
        CASE WHEN s.duplicate_of IS NOT NULL THEN 'duplicate' ELSE c.skip_reason END AS skip_reason
    FROM chunks c JOIN sources s USING (source_id)
    WHERE c.project_id = %s AND c.state <> 'obsolete' AND s.state <> 'removed'
"""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Rows of ``tiers`` and ``areas``: ``total, extracted, pending, skipped`` (reason → count).

    An area also has its live atoms; a chunk of two areas counts in both. ``gaps`` are the areas
    about which the ledger holds too little.
    """

    tiers: list[Row]
    areas: list[Row]
    gaps: list[str]


def coverage(connection: Conn, project_id: str) -> Coverage:
    """How far the project's sources are read."""
    found = rows(
        connection,
        f"SELECT tier, areas, state, skip_reason, count(*) AS n FROM ({CHUNKS}) c"
        " GROUP BY tier, areas, state, skip_reason",
        project_id,
    )
    atoms: dict[str, dict[str, int]] = {}
    for row in rows(
        connection,
        "SELECT area, status, count(*) AS n FROM ledger_atoms WHERE project_id = %s"
        " AND status IN ('active', 'draft') GROUP BY area, status",
        project_id,
    ):
        atoms.setdefault(row["area"], {})[row["status"]] = row["n"]
    summary = rows(
        connection,
        "SELECT summary->'gaps' AS gaps FROM project_working_summary WHERE project_id = %s",
        project_id,
    )
    return Coverage(
        tiers=[
            {"tier": tier} | _counted([row for row in found if row["tier"] == tier])
            for tier in TIERS
        ],
        areas=[
            {"area": area}
            | _counted([row for row in found if area in row["areas"]])
            | {f"{status}_atoms": atoms.get(area, {}).get(status, 0) for status in STATUSES}
            for area in (*AREAS, NO_AREA)
        ],
        gaps=list(summary[0]["gaps"]) if summary else list(AREAS),
    )


def _counted(found: list[Row]) -> dict[str, Any]:
    skipped: dict[str, int] = {}
    counts = {"total": 0, "extracted": 0, "pending": 0}
    for row in found:
        counts["total"] += row["n"]
        if row["state"] == "skipped":
            skipped[row["skip_reason"]] = skipped.get(row["skip_reason"], 0) + row["n"]
        else:
            counts[row["state"]] += row["n"]
    return counts | {"skipped": dict(sorted(skipped.items()))}


def last_batches(connection: Conn, project_id: str, run_id: str | None = None) -> list[Row]:
    """The hint of the batch each run planned last, the newest run first; withdrawn ones left out.

    ``basis_seq`` is the ledger it was chosen from, ``candidate_chunks`` have their place added.
    """
    found = rows(
        connection,
        "SELECT DISTINCT ON (r.started_at, r.run_id) r.run_id, r.lane, r.trigger, r.status,"
        " b.batch_no, b.basis_seq, b.committed_at IS NOT NULL AS committed, b.hint"
        " FROM ingestion_runs r JOIN ingestion_batches b USING (run_id)"
        " WHERE r.project_id = %s AND r.run_id = coalesce(%s, r.run_id) AND NOT b.withdrawn"
        " AND b.hint IS NOT NULL ORDER BY r.started_at DESC, r.run_id, b.batch_no DESC",
        *(project_id, run_id),
    )
    shown = [chunk["chunk_id"] for batch in found for chunk in batch["hint"]["candidate_chunks"]]
    places = {
        row["chunk_id"]: row
        for row in rows(
            connection,
            "SELECT chunk_id, path, line_start, line_end FROM chunks WHERE chunk_id = ANY(%s)",
            shown,
        )
    }
    for batch in found:
        selected = set(batch["hint"]["selected_chunk_ids"])
        for chunk in batch["hint"]["candidate_chunks"]:
            chunk |= places.get(chunk["chunk_id"], {})
            chunk["selected"] = chunk["chunk_id"] in selected
    return found
