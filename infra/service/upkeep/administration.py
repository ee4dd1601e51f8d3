"""What operators of a service ask about it."""

from __future__ import annotations

from dataclasses import dataclass

from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from projections.log_reader import ends_of
from projections.read.positions import read_next_offsets


@dataclass(frozen=True, slots=True)
class Folded:
    """How far a projection has folded a partition; ``lag`` counts records."""

    projection: str
    topic: str
    partition: int
    next_offset: int
    end_offset: int | None
    lag: int | None


async def list_folded(settings: Settings, tables: Tables) -> list[Folded]:
    """Each partition that a projection reads. Raises Unavailable."""
    places = await tables.ask(read_next_offsets)
    ends = await ends_of(settings, sorted({topic for _, topic, _ in places}))
    found = []
    for (projection, topic, partition), following in sorted(places.items()):
        end = ends.get((topic, partition))
        lag = None if end is None else max(0, end - following)
        found.append(Folded(projection, topic, partition, following, end, lag))
    return found
