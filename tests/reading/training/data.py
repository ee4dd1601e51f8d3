"""Labelled statements from the evaluation data: what the weights are trained on.

One label set for all sources. A source that does not know a kind teaches the others only: an
argument or an alternative is a claim, a commit that owns up to debt is ``debt``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDS = 5
FILES = {
    "sections/units.jsonl": 1.0,
    "decisions/condec_sentences.jsonl": 1.0,
    "decisions/condec_docs.jsonl": 0.5,
    "requirements/spec_rdfa.jsonl": 1.25,
    "requirements/promise_exp.jsonl": 1.0,
    "risks/technical_debt.jsonl": 1.0,
}
WEAK = 0.35  # the weight of a unit whose section only hints at its kind
_AS_CLAIM = frozenset({"argument", "alternative"})


@dataclass(frozen=True, slots=True)
class Example:
    """``group`` is the project; ``fold`` the same for all of a project."""

    source: str
    text: str
    label: str
    weight: float
    group: str
    fold: int
    strong: bool
    non_functional: bool | None


def digest_of(folder: Path) -> str:
    """One hash over all files that are learned from."""
    whole = hashlib.sha256()
    for name in FILES:
        whole.update((folder / name).read_bytes())
    return whole.hexdigest()


def write_weights(path: Path, content: dict[str, Any], about: dict[str, Any]) -> None:
    """Write weights as compressed JSON; the same content gives the same bytes."""
    text = json.dumps(
        {"about": about, **content}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def examples_of(folder: Path) -> list[Example]:
    """Every labelled row, file by file, dealt to folds by project."""
    read = [
        (name, row, _group(name, row, at)) for name in FILES for at, row in _rows(folder / name)
    ]
    folds = _folds(Counter(group for _, _, group in read))
    return [_example(name, row, group, folds[group]) for name, row, group in read]


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            yield at, json.loads(line)


def _group(name: str, row: dict[str, Any], at: int) -> str:
    """The project; of sources from one project: stretches, or every fifth row."""
    if name.startswith("sections"):
        return f"{name}:{row['repo']}"
    if name.endswith("condec_sentences.jsonl"):
        return f"{name}:{at % FOLDS}"
    if name.endswith("spec_rdfa.jsonl"):
        return f"{name}:{at // 75}"
    return f"{name}:{row['doc']}"


def _folds(sizes: Counter[str]) -> dict[str, int]:
    """The largest projects first, each to the fold that holds least of its source."""
    held: Counter[tuple[str, int]] = Counter()
    folds = {}
    for group in sorted(sizes, key=lambda group: (-sizes[group], group)):
        source = group.split(":")[0]
        fold = min(range(FOLDS), key=lambda fold: (held[source, fold], fold))
        folds[group] = fold
        held[source, fold] += sizes[group]
    return folds


def _example(name: str, row: dict[str, Any], group: str, fold: int) -> Example:
    label = "claim" if row["label"] in _AS_CLAIM else row["label"]
    strong = row.get("grade", "strong") == "strong"
    kind = row.get("requirement_type")
    return Example(
        source=name,
        text=row["text"],
        label=label,
        weight=FILES[name] if strong else WEAK,
        group=group,
        fold=fold,
        strong=strong,
        non_functional=None if kind is None else kind == "non_functional",
    )
