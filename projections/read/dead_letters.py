"""Records that were given up."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, select
from schemas.inflection import count as count_of

COLUMNS = (
    "d.dead_letter_id, d.project_id, d.stage, d.origin_topic, d.origin_partition, d.origin_offset,"
    " d.error_class, d.error, d.attempts, d.recorded_at, s.dead_letter_id IS NOT NULL AS settled"
)
TABLES = "dead_letters d LEFT JOIN settled_dead_letters s ON s.dead_letter_id = d.dead_letter_id"
DEAD_LETTERS = Listing(
    "dead letters",
    COLUMNS,
    TABLES,
    {
        "d.origin_topic": "text",
        "d.origin_partition": "int",
        "d.origin_offset": "bigint",
        "d.stage": "text",
        "d.dead_letter_id": "text",
    },
)


class DeadLetter(ReadModel):
    """What was given up, with place and reason; ``settled``: it was decided after all."""

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
    settled: bool = False


class Undecided(ReadModel):
    """How many records a stage could not decide, for the same error, and nobody has since."""

    stage: str
    error_class: str
    count: int

    def __str__(self) -> str:
        return (
            f"{count_of(self.count, 'record')} could not be decided ({self.stage},"
            f" {self.error_class}): `cairn dlq list`, `cairn dlq retry` after an upgrade."
        )


class WholeDeadLetter(DeadLetter):
    """The same with the record; ``value`` is None where only its place is kept.

    ``undecidable``: the bytes are a fact, and code raised on it.
    """

    origin_key: str
    value: bytes | None
    undecidable: bool


def list_dead_letters(
    connection: Conn,
    *,
    only: Collection[str] | None = None,
    settled: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DeadLetter]:
    """A page of dead letters by place, of the projects in ``only``, and with ``settled`` also those
    that were decided after all. Raises Refusal.
    """
    conditions: list[Condition] = [("true",) if settled else ("s.dead_letter_id IS NULL",)]
    if only is not None:
        conditions.append(("d.project_id = ANY(%s)", sorted(only)))
    records, following = page_of(connection, DEAD_LETTERS, conditions, cursor, limit)
    return Page(items=[DeadLetter(**row) for row in records], next_cursor=following)


def find_dead_letter(connection: Conn, dead_letter_id: str) -> WholeDeadLetter | None:
    """One dead letter with its record."""
    query = (
        f"SELECT {COLUMNS}, d.origin_key, d.value, d.undecidable FROM {TABLES}"
        " WHERE d.dead_letter_id = %s"
    )
    return next(iter(select(connection, WholeDeadLetter, query, dead_letter_id)), None)


def list_undecided(connection: Conn, project_id: str | None = None) -> list[Undecided]:
    """What could not be decided and is not settled, of one project or of all."""
    query = (
        "SELECT d.stage, d.error_class, count(*) AS count FROM dead_letters d WHERE d.undecidable"
        " AND NOT EXISTS (SELECT 1 FROM settled_dead_letters s"
        " WHERE s.dead_letter_id = d.dead_letter_id)"
        " AND d.project_id = coalesce(%s, d.project_id)"
        " GROUP BY d.stage, d.error_class ORDER BY d.stage, d.error_class"
    )
    return select(connection, Undecided, query, project_id)
