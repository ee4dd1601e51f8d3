"""The history of onboarding pipelines: one row for each change."""

from __future__ import annotations

from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.pipeline import PIPELINE_FACTS, PipelineChanged


def fold_change(rows: Rows, fact: Envelope, event: PipelineChanged) -> None:
    rows.add(
        fact,
        "onboarding_events",
        {
            "pipeline_id": event.pipeline.pipeline_id,
            "seq": event.pipeline.version,
            "event": event.type_name,
            "data": event.model_dump(mode="json"),
            "actor": f"{fact.actor.type}:{fact.actor.id}",
            "occurred_at": fact.occurred_at,
        },
    )


FOLDS: dict[type[Event], Any] = dict.fromkeys(PIPELINE_FACTS, fold_change)
