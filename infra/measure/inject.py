"""One text each: what in it tries to change a model's behaviour, as stage 0 annotates it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.measure.rows import Options, Row
from streams.hygiene.prompt_injection.marks import find_prompt_injection

SCORES = {"high": 0.9, "medium": 0.75, "low": 0.6}


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """``injection`` when an annotation makes evidence count less, else ``benign``."""
    for row in rows:
        telling = find_prompt_injection(row["text"])
        yield {
            "id": row["id"],
            "label": "injection" if telling else "benign",
            "score": max((SCORES[it.severity] for it in telling), default=0.0),
            "spans": [
                {
                    "start": it.char_start,
                    "end": it.char_end,
                    "type": it.annotation_type,
                    "rule_id": it.rule_id,
                    "severity": it.severity,
                }
                for it in telling
            ],
        }
