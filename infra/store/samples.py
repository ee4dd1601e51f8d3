"""The counts of the tables that `/metrics` shows."""

from __future__ import annotations

from collections.abc import Iterator

from infra.platform import metrics
from infra.platform.metrics import Metric, Sample
from projections.read.session import Conn, rows

COUNTS: tuple[tuple[Metric, str, tuple[str, ...]], ...] = (
    (metrics.SOURCES, "sources WHERE state IS NOT NULL", ("state",)),
    (metrics.ATOMS, "ledger_atoms", ("kind", "status")),
    (metrics.REJECTIONS, "ledger_rejections WHERE rejected = 'candidate'", ("kind",)),
    (metrics.MERGES, "ledger_merge_ops", ("op",)),
    (metrics.CONTRADICTIONS, "ledger_contradictions", ("severity", "status")),
    (metrics.RUNS, "ingestion_runs WHERE status IS NOT NULL", ("status",)),
    (
        metrics.ARTIFACTS,
        "artifacts WHERE version IS NOT NULL",
        ("artifact_type", "artifact_state"),
    ),
    (metrics.DEAD_LETTERS, "dead_letters", ("stage",)),
    (metrics.JOBS, "orchestration_jobs", ("job_type", "status")),
    (metrics.MODEL_CALLS, "llm_calls", ("agent", "outcome")),
)
SINGLE: tuple[tuple[Metric, str], ...] = (
    (
        metrics.JOB_WAIT,
        "SELECT coalesce(extract(epoch FROM now() - min(run_after)), 0)::float8 AS n"
        " FROM orchestration_jobs WHERE status IN ('queued', 'failed') AND run_after <= now()",
    ),
    (
        metrics.LEASE_EXPIRIES,
        "SELECT count(*) AS n FROM job_history WHERE event_type = 'job.lease_expired'",
    ),
    (
        metrics.AUDIT_WRITES,  # since this database was made
        "SELECT coalesce(last_value - start_value + 1, 0) AS n FROM pg_sequences"
        " WHERE schemaname = 'cairn' AND sequencename = 'audit_ids'",
    ),
)

MODEL_USE = b"""
    SELECT agent, sum(input_tokens)::float8, sum(output_tokens)::float8,
           coalesce(sum(cost_usd), 0)::float8
    FROM llm_calls GROUP BY agent ORDER BY agent
"""


def check_tables(connection: Conn) -> None:
    """Raises DatabaseUnavailable, or what the database says where the tables are not there."""
    rows(connection, "SELECT 1 FROM projection_offsets LIMIT 1")


def count_samples(connection: Conn) -> Iterator[Sample]:
    for metric, source, labels in COUNTS:
        names = ", ".join(labels)
        for row in rows(
            connection, f"SELECT {names}, count(*) AS n FROM {source} GROUP BY {names}"
        ):
            count = row.pop("n")
            yield Sample(metric, {name: str(value) for name, value in row.items()}, count)
    for metric, query in SINGLE:
        (row,) = rows(connection, query)
        yield Sample(metric, {}, row["n"])
    for agent, read, written, cost_usd in connection.execute(MODEL_USE):
        yield Sample(metrics.MODEL_TOKENS, {"agent": agent, "direction": "input"}, read)
        yield Sample(metrics.MODEL_TOKENS, {"agent": agent, "direction": "output"}, written)
        yield Sample(metrics.MODEL_COST, {"agent": agent}, cost_usd)
