"""Fetches the projects, measures recall on each, and reads and writes the record."""

from __future__ import annotations

import json
from pathlib import Path

from infra.measure.recall import Recall, measure
from tests.reading.recall.sources import fetch_documents, read_source

LISTS = Path(__file__).parent
FILE = LISTS / "figures.json"
COMMAND = "python -m tests.reading.recall"
ALL = "all"  # rows of all projects together
Figures = dict[str, dict[str, float]]  # by project


def projects() -> list[Path]:
    return sorted(path.parent for path in LISTS.glob("*/source.json"))


def measure_projects(cache: Path) -> Figures:
    """The figures of each project and of all. Raises Unfetched."""
    total = Recall()
    found: Figures = {}
    for lists in projects():
        one = measure(lists, fetch_documents(read_source(lists), cache))
        found[lists.name] = one.figures
        total.add(one)
    return {ALL: total.figures} | found


def read_figures() -> Figures:
    figures: Figures = json.loads(FILE.read_text())
    return figures


def write_figures(figures: Figures) -> None:
    FILE.write_text(json.dumps(figures, indent=1) + "\n")
