"""The list of metrics that `/metrics` shows, and their text form (Prometheus, version 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """``name`` has its unit in it."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str


LAG = Metric("cairn_lag_records", "gauge", "Records that a consumer group has not read yet.")
SOURCES = Metric("cairn_sources", "gauge", "Sources by state.")
ATOMS = Metric("cairn_atoms", "gauge", "Atoms by kind and status.")
REJECTIONS = Metric("cairn_rejections", "gauge", "Refused candidates by kind.")
MERGES = Metric("cairn_merges", "gauge", "Merge operations by kind.")
CONTRADICTIONS = Metric("cairn_contradictions", "gauge", "Contradictions by severity and status.")
RUNS = Metric("cairn_runs", "gauge", "Ingestion runs by status.")
ARTIFACTS = Metric("cairn_artifacts", "gauge", "Artifacts by type and state.")
DEAD_LETTERS = Metric("cairn_dead_letters", "gauge", "Records that could not be processed.")
JOBS = Metric("cairn_jobs", "gauge", "Jobs by type and status.")
JOB_WAIT = Metric(
    "cairn_job_oldest_wait_seconds", "gauge", "How long the oldest job that is due has waited."
)
LEASE_EXPIRIES = Metric(
    "cairn_job_lease_expiries_total", "counter", "Leases that their workers did not renew."
)
REQUESTS = Metric(
    "cairn_http_requests_total", "counter", "Answered HTTP requests by route and status."
)
AUDIT_WRITES = Metric(
    "cairn_audit_writes_total", "counter", "Writes over HTTP that the audit log has noted."
)
MODEL_CALLS = Metric("cairn_model_calls_total", "counter", "Calls of models by agent and outcome.")
MODEL_TOKENS = Metric(
    "cairn_model_tokens_total", "counter", "Tokens that models have read or written, by agent."
)
MODEL_COST = Metric(
    "cairn_model_cost_dollars_total", "counter", "What models have cost, where prices are known."
)
STREAM_CLIENTS = Metric("cairn_stream_clients", "gauge", "Clients that follow a live stream.")
METRICS = (
    LAG, SOURCES, ATOMS, REJECTIONS, MERGES, CONTRADICTIONS, RUNS, ARTIFACTS, DEAD_LETTERS,
    JOBS, JOB_WAIT, LEASE_EXPIRIES, REQUESTS, AUDIT_WRITES, STREAM_CLIENTS,
    MODEL_CALLS, MODEL_TOKENS, MODEL_COST,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    metric: Metric
    labels: Mapping[str, str]
    value: float


def render(samples: Iterable[Sample]) -> str:
    """Samples of one metric stand together, below its help and type."""
    by_metric: dict[str, list[Sample]] = {}
    for sample in samples:
        by_metric.setdefault(sample.metric.name, []).append(sample)
    lines: list[str] = []
    for metric in METRICS:
        if found := by_metric.get(metric.name):
            lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
            lines += [_line(sample) for sample in found]
    return "\n".join([*lines, ""])


def _line(sample: Sample) -> str:
    labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
    return f"{sample.metric.name}{{{labels}}} {sample.value:g}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
