"""One statement each: which kind the reader takes it for, and how surely."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.offline.recognise.statements import classify
from infra.measure.rows import Options, Row


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """The first kind is the label; ``other`` when nothing is worth recording."""
    for row in rows:
        verdict = classify(row["text"])
        yield {
            "id": row["id"],
            "label": verdict.label,
            "score": verdict.score,
            "kinds": [{"kind": kind, "confidence": sure} for kind, sure in verdict.kinds],
            "attributes": verdict.attributes,
        }
