"""Every figure of the labelled sets as one table: what was measured, on how much, against what.

The match rules are those of the data's own scorer, written anew for the few figures needed here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.cli.evaluation.rows import BadRow, Options, Row, rows_of
from infra.cli.evaluation.spans import spans_macro
from infra.cli.evaluation.tasks import answer
from infra.errors import Refusal

Pairs = list[tuple[Row, dict[str, Any]]]
KINDS = ("action_item", "decision", "other", "requirement", "risk", "unknown")


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table; ``value`` is 0 to 1. ``baseline`` is the trivial one of spec 12 §3."""

    name: str
    data: str
    count: int
    value: float
    baseline: float | None
    target: float


def f1(gold: Sequence[bool], said: Sequence[bool]) -> float:
    """The harmonic mean of precision and recall; 0 where nothing fits."""
    right = sum(a and b for a, b in zip(gold, said, strict=True))
    asked = sum(gold) + sum(said)
    return 2 * right / asked if asked else 0.0


def _of(field: str, wanted: set[str]) -> Callable[[Pairs], float]:
    """F1 of one class: the gold ``field`` and the answer's label lie in ``wanted``, or not."""

    def measure(pairs: Pairs) -> float:
        gold = [row[field] in wanted for row, _ in pairs]
        return f1(gold, [said["label"] in wanted for _, said in pairs])

    return measure


def _macro(pairs: Pairs) -> float:
    strong = [(row["label"], said["label"]) for row, said in pairs if row["grade"] == "strong"]
    each = [f1([a == kind for a, _ in strong], [b == kind for _, b in strong]) for kind in KINDS]
    return sum(each) / len(each)


def _worth(pairs: Pairs) -> float:
    gold = [row["label"] != "other" for row, _ in pairs]
    return f1(gold, [said["label"] != "other" for _, said in pairs])


def _recall(pairs: Pairs) -> float:
    met = [said["label"] == "requirement" for _, said in pairs]
    return met.count(True) / max(1, len(met))


def _types(pairs: Pairs) -> float:
    told = [
        (row["requirement_type"], said["attributes"].get("requirement_type")) for row, said in pairs
    ]
    names = ("functional", "non_functional")
    return sum([f1([a == n for a, _ in told], [b == n for _, b in told]) for n in names]) / 2


def _debt(pairs: Pairs) -> float:
    gold = [row["label"] == "debt" for row, _ in pairs]
    return f1(gold, [said["label"] in ("risk", "action_item") for _, said in pairs])


CLASSIFY: tuple[tuple[str, str, float | None, float, Callable[[Pairs], float]], ...] = (
    ("strong units, macro-F1 of 6", "sections/units", 0.40, 0.55, _macro),
    ("decision F1", "decisions/condec_sentences", 0.40, 0.60, _of("label", {"decision"})),
    ("unknown F1", "decisions/condec_sentences", 0.91, 0.92, _of("label", {"unknown"})),
    ("worth recording F1", "decisions/condec_sentences", None, 0.85, _worth),
    ("requirement F1", "requirements/spec_rdfa", 0.83, 0.90, _of("label", {"requirement"})),
    ("requirement recall", "requirements/promise_exp", 0.86, 0.94, _recall),
    ("requirement type, macro-F1", "requirements/promise_exp", 0.36, 0.80, _types),
    ("debt as risk or action item, F1", "risks/technical_debt", 0.50, 0.65, _debt),
)


SPANS: tuple[tuple[str, bool, float, float], ...] = (
    ("spans, documents as they are, macro-F1", False, 0.39, 0.72),
    ("spans, headings masked, macro-F1", True, 0.39, 0.52),
)


def figures(data: Path) -> list[Figure]:
    """All figures whose data is in the folder. Raises Refusal when there is none at all."""
    found = []
    answered: dict[str, Pairs] = {}
    for name, source, baseline, target, measure in CLASSIFY:
        path = data / f"{source}.jsonl"
        if not path.exists():
            continue
        if source not in answered:
            answered[source] = _answered(path)
        pairs = answered[source]
        found.append(Figure(name, source, len(pairs), measure(pairs), baseline, target))
    documents, gold = data / "sections" / "docs.jsonl", data / "sections" / "gold.jsonl"
    if documents.exists() and gold.exists():
        docs, units = _read(documents), _read(gold)
        for name, masked, baseline, target in SPANS:
            given = [_masked(doc) for doc in docs] if masked else docs
            said = list(answer("extract", given, Options(format="spans")))
            value = spans_macro(units, said)
            found.append(Figure(name, "sections/gold", len(docs), value, baseline, target))
    if not found:
        raise Refusal(f"There is no labelled set in {data}; --data names the folder.")
    return found


def _read(path: Path) -> list[Row]:
    with path.open("rb") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _masked(doc: Row) -> Row:
    """The document with its telling headings hidden, at the same offsets."""
    text = list(doc["text"])
    for start, end in doc.get("masks", []):
        hidden = "Section".ljust(end - start)[: end - start] if end - start >= 7 else "x"
        text[start:end] = hidden if len(hidden) == end - start else "x" * (end - start)
    return doc | {"text": "".join(text)}


def _answered(path: Path) -> Pairs:
    with path.open("rb") as lines:
        rows = [row for row in rows_of(lines, ("text",)) if not isinstance(row, BadRow)]
    return list(zip(rows, answer("classify", rows, Options()), strict=True))


def as_markdown(found: Iterable[Figure]) -> str:
    """The table, one figure a line."""
    lines = ["| Figure | Data | Rows | Baseline | Target | Measured |", "|---|---|---|---|---|---|"]
    for one in found:
        baseline = "–" if one.baseline is None else f"{one.baseline:.2f}"
        lines.append(
            f"| {one.name} | {one.data} | {one.count} | {baseline} | {one.target:.2f} |"
            f" {one.value:.3f} |"
        )
    return "\n".join(lines) + "\n"
