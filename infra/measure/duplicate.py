"""Two texts each: whether they say the same, and what the ledger would do with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.measure.rows import Options, Row
from streams.ledger.opposition.duplicates import likeness


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """``fate`` is merge, review or apart; what merges by itself has a score of 0.92 or more."""
    for row in rows:
        found = likeness(row["a"], row["b"])
        yield {
            "id": row["id"],
            "label": "duplicate" if found.is_duplicate else "neutral",
            "score": found.score,
            "fate": found.fate,
        }
