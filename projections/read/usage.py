"""What runs have used: tokens that were read, and what models have cost."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, rows


class RunUsage(ReadModel):
    """``tokens`` were read, by rules or by a model."""

    run_id: str
    lane: str
    engine: str
    tokens: int
    cost_usd: float


class Usage(ReadModel):
    """The sums of all runs, and the newest hundred of them, newest first."""

    runs: int
    tokens: int
    cost_usd: float
    newest: list[RunUsage]


def usage(connection: Conn, project_id: str) -> Usage:
    sums = rows(
        connection,
        "SELECT count(*) AS runs, coalesce(sum(tokens), 0)::bigint AS tokens,"
        " coalesce(sum(cost_usd), 0)::float8 AS cost_usd"
        " FROM ingestion_runs WHERE project_id = %s AND status IS NOT NULL",
        project_id,
    )
    newest = rows(
        connection,
        "SELECT run_id, lane, coalesce(engine, '') AS engine, coalesce(tokens, 0) AS tokens,"
        " coalesce(cost_usd, 0)::float8 AS cost_usd FROM ingestion_runs"
        " WHERE project_id = %s AND status IS NOT NULL"
        " ORDER BY started_at DESC NULLS LAST, run_id LIMIT 100",
        project_id,
    )
    return Usage(**sums[0], newest=[RunUsage(**row) for row in newest])
