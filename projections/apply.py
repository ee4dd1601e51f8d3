"""Records into tables: the one function that live projector, rebuild and tests all go through.

A batch may hold several partitions: one transaction a poll costs the database far less than one a
partition. Order is kept within a partition; between partitions none is promised, and none shows,
since tables fed by several topics keep each one's part in columns of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection

from infra.platform.log import get
from infra.platform.placement import is_tombstone
from projections.checkpoint import Record, StaleProjector, fact_in, move_checkpoint, spans_of
from projections.fold.dead_letters import unreadable
from projections.left_out import LeftOut
from projections.projection import Projection
from projections.rows import Rows, as_json
from projections.sequence import out_of_sequence
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope
from schemas.topics import TOPICS

Conn = Connection[tuple[Any, ...]]
Placed = tuple[Record, Envelope]

REMEMBER_PLACES = (
    "INSERT INTO event_places"
    ' (event_id, project_id, event_type, topic, partition, "offset", recorded_at)'
    ' SELECT event_id, project_id, event_type, topic, partition, "offset", recorded_at'
    " FROM json_populate_recordset(NULL::event_places, %s)"
    " ON CONFLICT DO NOTHING RETURNING event_id"
)
# A compacted topic forgets its earlier records, so a repeat on it is known by nothing but its key.
FORGETFUL = frozenset(
    event for topic in TOPICS if topic.cleanup == "compact" for event in topic.events
)

log = get("projector")


def apply_batch(
    projection: Projection,
    connection: Conn,
    records: Sequence[Record],
    partitions: int,
    left_out: LeftOut | None = None,
) -> None:
    """Rows and checkpoint of ``records`` commit together; a repeat of an event changes nothing.

    The connection's search path names the schema: the projection's own, or its twin in a rebuild.
    ``records``: offsets ascend within a partition, not empty; ``partitions``: how many every topic
    has. A record that cannot be read, stands where it does not belong, or that the tables refuse,
    becomes a row of ``dead_letters``; ``left_out`` is told of each. Raises StaleProjector when
    another process has moved the checkpoint; psycopg.OperationalError when the database cannot be
    reached.
    """
    left_out = left_out or LeftOut()
    try:
        _apply(projection, connection, records, partitions, left_out)
    except (StaleProjector, psycopg.InterfaceError):
        raise
    except Exception as error:
        if isinstance(error, psycopg.OperationalError) and not _is_about_a_row(error):
            raise
        if len(records) > 1:
            half = len(records) // 2
            apply_batch(projection, connection, records[:half], partitions, left_out)
            apply_batch(projection, connection, records[half:], partitions, left_out)
        else:
            left_out.add_refused(records[0], error)
            _give_up(projection, connection, records[0], error, partitions)


def _is_about_a_row(error: psycopg.OperationalError) -> bool:
    """Whether the database works and has refused what it was given: it is too large for it."""
    return (error.sqlstate or "").startswith("54")  # program limits, among them an index row's


def _apply(
    projection: Projection,
    connection: Conn,
    records: Sequence[Record],
    partitions: int,
    left_out: LeftOut,
) -> None:
    rows = Rows(projection.tables)
    placed = list(_readable(projection, rows, records, partitions, left_out))
    with connection.transaction():
        move_checkpoint(connection, projection.name, spans_of(records))
        for fact in _accept(connection, rows, placed, left_out):
            projection.folds[fact.event.type_name](rows, fact, fact.event)
        rows.write(connection)


def _readable(
    projection: Projection,
    rows: Rows,
    records: Iterable[Record],
    partitions: int,
    left_out: LeftOut,
) -> Iterable[Placed]:
    for record in records:
        if projection.passes_over(record.event_type) or is_tombstone(record.topic, record.value):
            continue
        try:
            fact = fact_in(record, partitions)
        except InvalidRecord as error:
            left_out.unreadable(record, error)
            unreadable(rows, record, error)
            continue
        if fact.event.type_name in projection.folds:
            yield record, fact


def _accept(
    connection: Conn, rows: Rows, placed: list[Placed], left_out: LeftOut
) -> Iterable[Envelope]:
    """The facts among the records: first with their id, in a numbered log next in sequence."""
    ignored = out_of_sequence(connection, rows, placed)
    for record, fact in placed:
        if id(fact) in ignored:
            left_out.add_ignored(record, fact)
    first = {
        fact.event_id: (record, fact)
        for record, fact in reversed(placed)
        if id(fact) not in ignored and fact.event.type_name not in FORGETFUL
    }
    places = as_json([_place(record, fact) for record, fact in first.values()])
    new = {event_id for (event_id,) in connection.execute(REMEMBER_PLACES, (places,))}
    return [
        fact
        for record, fact in placed
        if fact.event.type_name in FORGETFUL
        or (fact.event_id in new and first[fact.event_id][0] is record)
    ]


def _place(record: Record, fact: Envelope) -> dict[str, Any]:
    return {
        "event_id": fact.event_id,
        "project_id": fact.project_id,
        "event_type": fact.event.type_name,
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "recorded_at": fact.recorded_at,
    }


def _give_up(
    projection: Projection, connection: Conn, record: Record, error: Exception, partitions: int
) -> None:
    """A bug or a row the tables refuse must not stop the partition: kept, said, passed over.

    In a numbered log it keeps its number, or no record behind it would be the next one.
    """
    log.error(
        "projector.record_given_up",
        projection=projection.name,
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        error_class=type(error).__name__,
    )
    rows = Rows(projection.tables)
    unreadable(rows, record, error)
    with connection.transaction():
        move_checkpoint(connection, projection.name, spans_of([record]))
        with suppress(InvalidRecord):
            out_of_sequence(connection, rows, [(record, fact_in(record, partitions))])
        rows.write(connection)
