"""How far the log is folded in: a row a partition, moved only with the rows it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from infra.platform.placement import check_place
from projections.rows import as_json
from schemas.codec import decode
from schemas.envelope import Envelope

PLACES = "json_to_recordset(%s) AS n(topic text, partition int, first bigint, next bigint)"


@dataclass(frozen=True, slots=True)
class Record:
    """A record as the broker holds it. ``topic`` is without the installation's prefix."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()

    @property
    def event_type(self) -> str:
        """What the headers say that it is; empty when they do not."""
        return dict(self.headers).get("event-type", b"").decode("utf-8", "replace")


def fact_in(record: Record, partitions: int) -> Envelope:
    """The fact of a record that stands where it belongs. Raises InvalidRecord."""
    fact = decode(record.value or b"")
    check_place(record.topic, record.partition, record.key, fact, partitions)
    return fact


@dataclass(frozen=True, slots=True)
class Span:
    """What a transaction folds in of one partition: from ``first`` up to, without, ``next``."""

    topic: str
    partition: int
    first: int
    next: int


class StaleProjector(Exception):
    """Somebody else has moved a checkpoint since it was read; re-read it and go on from there."""


def spans_of(records: Iterable[Record]) -> list[Span]:
    """The spans of ``records``; within a partition their offsets ascend."""
    bounds: dict[tuple[str, int], tuple[int, int]] = {}
    for record in records:
        place = (record.topic, record.partition)
        first, _ = bounds.get(place, (record.offset, 0))
        bounds[place] = (first, record.offset + 1)
    return [Span(*place, *bound) for place, bound in bounds.items()]


def read_checkpoint(
    connection: Connection[tuple[Any, ...]],
    projection: str,
    places: Iterable[tuple[str, int]] = (),
) -> dict[tuple[str, int], int]:
    """The next offset of every known partition; those in ``places`` are known from now on."""
    for topic, partition in places:
        connection.execute(
            "INSERT INTO projection_offsets (projection, topic, partition) VALUES (%s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            (projection, topic, partition),
        )
    rows = connection.execute(
        "SELECT topic, partition, next_offset FROM projection_offsets WHERE projection = %s",
        (projection,),
    )
    return {(topic, partition): offset for topic, partition, offset in rows}


def move_checkpoint(
    connection: Connection[tuple[Any, ...]], projection: str, spans: Sequence[Span]
) -> None:
    """The checkpoint stands behind ``spans``, by compare-and-set. Raises StaleProjector.

    Part of the transaction that writes their rows: a crash can repeat a batch, never halve it.
    """
    rows = [
        {"topic": span.topic, "partition": span.partition, "first": span.first, "next": span.next}
        for span in spans
    ]
    moved = connection.execute(
        f"UPDATE projection_offsets o SET next_offset = n.next FROM {PLACES}"
        " WHERE o.projection = %s AND o.topic = n.topic AND o.partition = n.partition"
        " AND o.next_offset <= n.first",
        (as_json(rows), projection),
    )
    if moved.rowcount != len(rows):
        raise StaleProjector(f"checkpoint moved by another projector: {spans}")
