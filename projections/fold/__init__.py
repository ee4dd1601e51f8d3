"""Event to rows, one module an area; events that ``FOLDS`` does not name are passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from projections.fold import artifacts, dead_letters, ingestion, ledger, people, sources
from projections.rows import Rows
from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES
from schemas.topics import TOPICS

Fold = Callable[[Rows, Envelope, Any], None]

FOLDS: dict[str, Fold] = {
    event.type_name: fold
    for event, fold in (
        *sources.FOLDS.items(),
        *ingestion.FOLDS.items(),
        *ledger.FOLDS.items(),
        *people.FOLDS.items(),
        *artifacts.FOLDS.items(),
        *dead_letters.FOLDS.items(),
    )
}
PASSED_OVER = frozenset(EVENT_TYPES) - frozenset(FOLDS)
PROJECTED_TOPICS: tuple[str, ...] = tuple(
    topic.name for topic in TOPICS if any(name in FOLDS for name in topic.events)
)
# A compacted topic forgets its earlier records, so a repeat on it is known by nothing but its key.
FORGETFUL = frozenset(
    event for topic in TOPICS if topic.cleanup == "compact" for event in topic.events
)
