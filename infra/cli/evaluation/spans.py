"""How well evidence spans meet the units of labelled sections.

A span meets a unit of its kind when they share half of the shorter and the span is not far longer.
A span mostly inside a unit of another kind is wrong; elsewhere nobody can judge it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from infra.cli.evaluation.rows import Row

KINDS = ("action_item", "decision", "requirement", "risk", "unknown")


def spans_macro(units: Iterable[Row], said: Iterable[Row]) -> float:
    """The mean F1 of the five kinds: recall over strong units, precision over judged spans."""
    known: dict[str, list[Row]] = defaultdict(list)
    told: dict[str, list[Row]] = defaultdict(list)
    for unit in units:
        known[unit["doc_id"]].append(unit)
    for span in said:
        told[span["doc_id"]].append(span)
    return sum(_f1(kind, known, told) for kind in KINDS) / len(KINDS)


def _f1(kind: str, known: dict[str, list[Row]], told: dict[str, list[Row]]) -> float:
    strong = met = right = wrong = 0
    for doc, units in known.items():
        mine = [unit for unit in units if unit["kind"] == kind]
        others = [unit for unit in units if unit["kind"] != kind and unit["grade"] == "strong"]
        spans = [span for span in told.get(doc, ()) if span["kind"] == kind]
        sought = [unit for unit in mine if unit["grade"] == "strong"]
        strong += len(sought)
        met += sum(any(_meets(span, unit) for span in spans) for unit in sought)
        for span in spans:
            if any(_meets(span, unit) for unit in mine):
                right += 1
            elif 2 * _shared(span, others) >= _length(span):
                wrong += 1
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = met / strong if strong else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _length(span: Row) -> int:
    return int(span["char_end"] - span["char_start"])


def _shared(span: Row, units: Sequence[Row]) -> int:
    return sum(
        max(
            0,
            min(span["char_end"], unit["char_end"]) - max(span["char_start"], unit["char_start"]),
        )
        for unit in units
    )


def _meets(span: Row, unit: Row) -> bool:
    shared = _shared(span, [unit])
    long_enough = 2 * shared >= min(_length(span), _length(unit)) and shared > 0
    return long_enough and _length(span) <= 4 * _length(unit) + 80
