"""How much went through the stages, over the whole time of a project."""

from __future__ import annotations

from datetime import datetime, timedelta

from projections.read.session import Conn, ReadModel

MOST_SPANS = 60
SPANS = tuple(
    timedelta(minutes=minutes)
    for minutes in (1, 5, 30, 60, 6 * 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60, 365 * 24 * 60)
)
ENDS = """
    SELECT min(at) AS first, max(at) AS last FROM (
        SELECT min(recorded_at) AS at FROM ledger_change_sets WHERE project_id = %(project)s
        UNION ALL SELECT max(recorded_at) FROM ledger_change_sets WHERE project_id = %(project)s
        UNION ALL SELECT min(sanitized_at) FROM source_revisions WHERE project_id = %(project)s
        UNION ALL SELECT max(published_at) FROM artifact_versions WHERE project_id = %(project)s
    ) ends
"""
# A chunk that was read twice in a span counts once.
THROUGHPUT = """
    WITH read AS (
        SELECT date_bin(%(span)s, recorded_at, timestamptz '2001-01-01 00:00Z') AS span,
            chunk_id, outcome = 'extracted' AS is_read
        FROM ledger_change_sets WHERE project_id = %(project)s
    )
    SELECT span AS begins_at,
        coalesce(sum(n) FILTER (WHERE stage = 'hygiene'), 0)::bigint AS revisions,
        coalesce(sum(n) FILTER (WHERE stage = 'read'), 0)::bigint AS chunks,
        coalesce(sum(n) FILTER (WHERE stage = 'ledger'), 0)::bigint AS change_sets,
        coalesce(sum(n) FILTER (WHERE stage = 'reduce'), 0)::bigint AS versions
    FROM (
        SELECT 'ledger' AS stage, span, count(*) AS n FROM read GROUP BY span
        UNION ALL SELECT 'read', span, count(*) FROM (
            SELECT DISTINCT span, chunk_id FROM read WHERE is_read) once GROUP BY span
        UNION ALL SELECT 'hygiene',
            date_bin(%(span)s, sanitized_at, timestamptz '2001-01-01 00:00Z') AS span, count(*)
            FROM source_revisions WHERE project_id = %(project)s GROUP BY span
        UNION ALL SELECT 'reduce',
            date_bin(%(span)s, published_at, timestamptz '2001-01-01 00:00Z') AS span, count(*)
            FROM artifact_versions WHERE project_id = %(project)s GROUP BY span
    ) facts GROUP BY span ORDER BY span
"""


class Throughput(ReadModel):
    """What was recorded in one span: source revisions cleaned, chunks read, change sets of the
    ledger, versions of artifacts written. Spans in which nothing happened are left out.
    """

    begins_at: datetime
    revisions: int
    chunks: int
    change_sets: int
    versions: int


def read_throughput(connection: Conn, project_id: str) -> list[Throughput]:
    """In the order of time, in spans so long that there are at most 60."""
    asked: dict[str, object] = {"project": project_id}
    first, last = connection.execute(ENDS, asked).fetchone() or (None, None)
    if first is None:
        return []
    span = next((it for it in SPANS if (last - first) / it < MOST_SPANS - 1), SPANS[-1])
    records = connection.execute(THROUGHPUT, asked | {"span": span}).fetchall()
    return [Throughput(**dict(zip(Throughput.model_fields, row, strict=True))) for row in records]
