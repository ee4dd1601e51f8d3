"""A record as the log hands it to a stage, and the order in which stages acknowledge them.

Faust keeps its own list of acknowledgements, which lets the committed offset pass the first
outstanding record; so nothing is acknowledged to it out of offset order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Delivery:
    """One record on loan from the log. ``topic`` is without prefix; ``acknowledge`` gives it back.

    ``generation`` counts the assignments of the consumer group: the same record may come again
    under another one.
    """

    topic: str
    partition: int
    offset: int
    generation: int
    key: bytes
    value: bytes
    headers: Sequence[tuple[str, bytes]]
    timestamp_s: float
    acknowledge: Callable[[], None]

    @property
    def place(self) -> str:
        return f"{self.topic}|{self.partition}|{self.offset}"

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.timestamp_s, UTC)


def make_unowned(topic: str, record: Any) -> Delivery:
    """A record that was read by no group: nobody waits for its acknowledgement."""
    return Delivery(
        topic=topic,
        partition=record.partition,
        offset=record.offset,
        generation=0,
        key=record.key or b"",
        value=record.value or b"",
        headers=record.headers,
        timestamp_s=record.timestamp / 1000,
        acknowledge=lambda: None,
    )


@dataclass(slots=True)
class DeliveryInWork:
    """A delivery in work."""

    delivery: Delivery
    done: bool = False


@dataclass
class Progress:
    """Acknowledges the finished prefix of each partition, in offset order, and nothing beyond."""

    _held: dict[tuple[str, int, int], deque[DeliveryInWork]] = field(default_factory=dict)
    count: int = 0

    def begin(self, delivery: Delivery) -> DeliveryInWork:
        held = DeliveryInWork(delivery)
        self._queue(delivery).append(held)
        self.count += 1
        return held

    def finish(self, held: DeliveryInWork) -> None:
        held.done = True
        queue = self._queue(held.delivery)
        while queue and queue[0].done:
            queue.popleft().delivery.acknowledge()
            self.count -= 1

    def forget(self) -> None:
        """After a revocation: what is still in work belongs to somebody else now."""
        self._held.clear()
        self.count = 0

    def _queue(self, delivery: Delivery) -> deque[DeliveryInWork]:
        place = (delivery.topic, delivery.partition, delivery.generation)
        return self._held.setdefault(place, deque())
