"""Event to rows, one module an area; events that ``FOLDS`` does not name are passed over."""

from __future__ import annotations

from projections.fold import (
    agents,
    artifacts,
    audit,
    dead_letters,
    development_talk,
    ingestion,
    jobs,
    ledger,
    memories,
    model_calls,
    onboarding,
    people,
    quality,
    schedules,
    sources,
    streams,
    team,
    webhooks,
    workflows,
)
from projections.projection import Fold
from schemas.topics import TOPICS

FOLDS: dict[str, Fold] = {
    event.type_name: fold
    for event, fold in (
        *sources.FOLDS.items(),
        *ingestion.FOLDS.items(),
        *ledger.FOLDS.items(),
        *people.FOLDS.items(),
        *artifacts.FOLDS.items(),
        *quality.FOLDS.items(),
        *jobs.FOLDS.items(),
        *onboarding.FOLDS.items(),
        *team.FOLDS.items(),
        *model_calls.FOLDS.items(),
        *schedules.FOLDS.items(),
        *agents.FOLDS.items(),
        *memories.FOLDS.items(),
        *workflows.FOLDS.items(),
        *development_talk.FOLDS.items(),
        *dead_letters.FOLDS.items(),
        *streams.FOLDS.items(),
        *audit.FOLDS.items(),
        *webhooks.FOLDS.items(),
    )
}
FOLDS |= {
    event.type_name: webhooks.with_messages(FOLDS[event.type_name]) for event in webhooks.TELLING
}
PROJECTED_TOPICS: tuple[str, ...] = tuple(
    topic.name for topic in TOPICS if any(name in FOLDS for name in topic.events)
)
