"""Two statements each: whether both can hold, why not, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.measure.rows import Options, Row
from schemas.events.judgement import PairJudged
from streams.ledger.opposition.opposition import opposition


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


def tell(judged: PairJudged) -> dict[str, Any]:
    """What a model's answer changes of the rules'; nothing where it gave none."""
    if judged.conflict is None:
        return {}
    return {
        "label": "contradiction" if judged.conflict else "neutral",
        "score": float(judged.conflict),
        "severity": judged.severity if judged.conflict else "low",
        "explanation": judged.explanation,
        "engine": "model",
    }
