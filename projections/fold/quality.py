"""Runs of the quality gate: how each one stands, and its events one to one."""

from __future__ import annotations

from typing import Any

from projections.rows import Row, Rows
from schemas.envelope import Envelope, Event
from schemas.events.quality import (
    DimensionScored,
    IterationCompleted,
    QualityEvent,
    QualityRunFinished,
    QualityRunStarted,
    SectionRevised,
)

PLACE = {"quality_run_id", "artifact_id", "seq"}


def run_started(rows: Rows, fact: Envelope, event: QualityRunStarted) -> None:
    _keep(rows, fact, event)
    row: Row = event.model_dump(exclude={"seq", "dimensions"})
    row |= {"assessed": event.dimensions, "started_at": fact.recorded_at}
    rows.add(fact, "quality_runs", row)


def run_finished(rows: Rows, fact: Envelope, event: QualityRunFinished) -> None:
    _keep(rows, fact, event)
    row: Row = event.run.model_dump() | {"finished_at": fact.recorded_at}
    row["dimension_tiers"] = {dimension.name: dimension.tier for dimension in event.run.dimensions}
    rows.add(fact, "quality_runs", row)


def keep_event(rows: Rows, fact: Envelope, event: QualityEvent) -> None:
    _keep(rows, fact, event)


def _keep(rows: Rows, fact: Envelope, event: QualityEvent) -> None:
    rows.add(
        fact,
        "quality_run_events",
        {
            "quality_run_id": event.quality_run_id,
            "seq": event.seq,
            "event_type": event.type_name,
            "payload": event.model_dump(mode="json", exclude=PLACE),
            "occurred_at": fact.occurred_at,
        },
    )


FOLDS: dict[type[Event], Any] = {
    QualityRunStarted: run_started,
    DimensionScored: keep_event,
    IterationCompleted: keep_event,
    SectionRevised: keep_event,
    QualityRunFinished: run_finished,
}
