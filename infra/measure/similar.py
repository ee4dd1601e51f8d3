"""Every row's nearest neighbours among the rows of the same file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.measure.rows import Options, Row
from streams.ledger.likeness.nearest import Neighbours

MAX_RANKED = 20


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """The ids of at most 20 other rows, nearest first, with their scores beside them."""
    held = list(rows)
    neighbours = Neighbours([row["text"] for row in held])
    for position, row in enumerate(held):
        found = neighbours.rank(position, MAX_RANKED)
        yield {
            "id": row["id"],
            "ranked": [held[other]["id"] for other, _ in found],
            "scores": [score for _, score in found],
        }
