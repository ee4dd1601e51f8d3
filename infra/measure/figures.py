"""Every figure of the labelled sets as one table: what was measured, on how much, against what."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from infra.measure.measures.calibration import Calibration
from infra.measure.measures.counting import Pairs, interval
from infra.measure.measures.misses import Misses, misses_of
from infra.measure.measures.sections import mask, with_units
from infra.measure.measures.table import SETS, LabelledSet, Measure
from infra.measure.rows import BadRow, Row, rows_of
from infra.measure.tasks import answer
from infra.platform.errors import Refusal

HEAD = (
    "| Figure | Data | Rows | Measured | Baseline | Target | Reached | Held out |",
    "|---|---|---|---|---|---|---|---|",
)
LEGEND = """\
Measured: optimistic, since rules and weights were tuned on these sets; in brackets the 95 %
interval. Held out: on parts of them that the weights had not seen; recorded, not measured by this
command. Rows: those that the figure rests on. Floor: a trivial rule on unseen data.
`only here`: the held-out figure misses the target; a `yes` without one is of development sets only.
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. ``source`` is the data, ``count`` how many rows the value rests on."""

    measure: Measure
    source: str
    count: int
    value: float
    baseline: float

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def shown(self) -> str:
        """The value, with its interval where the figure is a precision."""
        if not self.measure.is_precision:
            return f"{self.value:.3f}"
        low, high = interval(self.value, self.count)
        return f"{self.value:.3f} ({low:.2f}–{high:.2f})"

    @property
    def reached(self) -> str:
        """``yes``, ``no``, or ``only here`` when the held-out figure does not reach the target."""
        if not self._reaches(self.value):
            return "no"
        held_out = self.measure.held_out
        return "yes" if held_out is None or self._reaches(held_out) else "only here"

    def loss_against(self, recorded: float) -> float:
        """By how much the value is worse than a recorded one; below 0 when it is better."""
        return self.value - recorded if self.measure.at_most else recorded - self.value

    def _reaches(self, value: float) -> bool:
        target = self.measure.target
        return value <= target if self.measure.at_most else value >= target


class Measured(NamedTuple):
    """What a set gives: its figures, its misses, and what was said with which confidence."""

    figures: list[Figure]
    misses: Misses
    calibration: Calibration


def figures(data: Path, one_document_in: int = 1) -> list[Figure]:
    """All figures whose data is in the folder. Raises Refusal when there is none at all.

    Of documents that are read whole only each ``one_document_in``-th is.
    """
    return [one for of_set in measure_all(data, one_document_in) for one in of_set.figures]


def measure_all(data: Path, one_document_in: int = 1) -> list[Measured]:
    """What each set gives whose data is in the folder. Raises as above."""
    found: list[Measured] = []
    for labelled in SETS:
        rows = _rows(data, labelled, one_document_in)
        if rows:
            said = answer(labelled.task, rows, labelled.options)
            pairs = list(zip(rows, said, strict=True))
            answers = Calibration(labelled.heading, list(labelled.calibrated(pairs)))
            given = list(_measure(labelled, pairs))
            found.append(Measured(given, misses_of(labelled, pairs), answers))
    if not found:
        raise Refusal(f"There is no labelled set in {data}; --data names the folder.")
    return found


def _measure(labelled: LabelledSet, pairs: Pairs) -> Iterable[Figure]:
    for measure in labelled.measures:
        rests_on = measure.over(pairs)
        baseline = measure.baseline.value
        yield Figure(
            measure,
            labelled.source,
            len(rests_on),
            measure.value(rests_on),
            baseline if isinstance(baseline, float) else baseline(pairs),
        )


def _rows(data: Path, labelled: LabelledSet, one_document_in: int) -> list[Row]:
    """The rows to answer; none when the folder lacks a file of the set."""
    rows = _read(data / f"{labelled.source}.jsonl", labelled.fields)
    if labelled.grade:
        rows = [row for row in rows if row["grade"] == labelled.grade]
    if labelled.units:
        rows = with_units(rows, _units(data / f"{labelled.units}.jsonl"))[::one_document_in]
    return [mask(row) for row in rows] if labelled.masked else rows


def _units(path: Path) -> list[Row]:
    """Units have no id of their own."""
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _read(path: Path, fields: tuple[str, ...]) -> list[Row]:
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return [row for row in rows_of(lines, fields) if not isinstance(row, BadRow)]


def as_markdown(found: Iterable[Figure], machine: str) -> str:
    """The table, one figure a line, and what its columns mean."""
    lines = [f"`cairn eval all`, {machine}.", "", *HEAD]
    for one in found:
        measure = one.measure
        held_out = "–" if measure.held_out is None else f"{measure.held_out:.3f}"
        sign = "≤" if measure.at_most else "≥"
        lines.append(
            f"| {one.name} | {one.source} | {one.count} | {one.shown} |"
            f" {one.baseline:.2f} {measure.baseline.what} | {sign} {measure.target:.2f} |"
            f" {one.reached} | {held_out} |"
        )
    return "\n".join([*lines, "", LEGEND])
