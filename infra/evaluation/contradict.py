"""Two statements each: whether both can hold, why not, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.evaluation.rows import Options, Row
from streams.ledger.opposition import opposition


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """``severity`` high is said only where the rules are sure."""
    for row in rows:
        found = opposition(row["a"], row["b"])
        yield {
            "id": row["id"],
            "label": "contradiction" if found.is_contradiction else "neutral",
            "score": found.score,
            "type": found.kind,
            "severity": found.severity,
            "explanation": found.explanation,
        }
