"""Records that were given up."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, select

COLUMNS = (
    "d.dead_letter_id, d.project_id, d.stage, d.origin_topic, d.origin_partition, d.origin_offset,"
    " d.error_class, d.error, d.attempts, d.recorded_at"
)
DEAD_LETTERS = Listing(
    "dead letters",
    COLUMNS,
    "dead_letters d",
    {
        "d.origin_topic": "text",
        "d.origin_partition": "int",
        "d.origin_offset": "bigint",
        "d.stage": "text",
        "d.dead_letter_id": "text",
    },
)


class DeadLetter(ReadModel):
    """What was given up, with place and reason."""

    dead_letter_id: str
    project_id: str
    stage: str
    origin_topic: str
    origin_partition: int
    origin_offset: int
    error_class: str
    error: str
    attempts: int
    recorded_at: datetime | None


class WholeDeadLetter(DeadLetter):
    """The same with the record; ``value`` is None where only its place is kept."""

    origin_key: str
    value: bytes | None


def dead_letters(
    connection: Conn,
    *,
    only: Collection[str] | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DeadLetter]:
    """A page of dead letters by place, of the projects in ``only``. Raises Refusal."""
    conditions: list[Condition] = [("true",)]
    if only is not None:
        conditions.append(("d.project_id = ANY(%s)", sorted(only)))
    found, following = page_of(connection, DEAD_LETTERS, conditions, cursor, limit)
    return Page(items=[DeadLetter(**row) for row in found], next_cursor=following)


def dead_letter(connection: Conn, dead_letter_id: str) -> WholeDeadLetter | None:
    """One dead letter with its record."""
    query = f"SELECT {COLUMNS}, d.origin_key, d.value FROM dead_letters d WHERE dead_letter_id = %s"
    return next(iter(select(connection, WholeDeadLetter, query, dead_letter_id)), None)
