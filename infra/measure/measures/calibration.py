"""Whether a confidence means what it says: how many of the answers given with it are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from infra.measure.measures import sections
from infra.measure.measures.counting import Pairs, share

HEAD = ("| Answers | Confidence | Count | Mean | Right |", "|---|---|---|---|---|")
LEGEND = """\
Right: of the answers with such a confidence, those that the labels agree with. Of statements, what
is said to be of a labelled kind; of documents, evidence that lies in a labelled unit. These sets
made the weights; how it is on unseen projects stands in agents/offline/models/statements.md.
"""


class Answered(NamedTuple):
    """One answer that labels can judge. ``confidence`` from 0 to 1."""

    confidence: float
    right: bool


class Calibration(NamedTuple):
    """A set's answers under the name that the table gives them."""

    heading: str
    answers: list[Answered]


def of_statements(pairs: Pairs) -> Iterator[Answered]:
    """What was said to be of a kind that labels know; right where the label is the same."""
    for row, said in pairs:
        if said["label"] in sections.KINDS:
            yield Answered(said["score"], said["label"] == row["label"])


def of_evidence(pairs: Pairs) -> Iterator[Answered]:
    """Evidence of the kinds that documents are labelled with, where a unit judges it."""
    for row, said in pairs:
        for atom in said["atoms"]:
            if atom["kind"] in sections.KINDS:
                for span in atom["evidence"]:
                    right = sections.is_right(span | {"kind": atom["kind"]}, row["units"])
                    if right is not None:
                        yield Answered(atom["confidence"], right)


def as_markdown(found: Iterable[Calibration]) -> str:
    """A table with a line for each tenth in which a set has answers."""
    lines = [line for one in found for line in _lines(one)]
    return "\n".join(["## Calibration", "", *HEAD, *lines, "", LEGEND])


def _lines(one: Calibration) -> Iterator[str]:
    for tenth, group in groupby(sorted(one.answers), key=lambda it: _tenth(it.confidence)):
        answers = list(group)
        mean = sum(it.confidence for it in answers) / len(answers)
        yield (
            f"| {one.heading} | {tenth / 10:.1f}–{(tenth + 1) / 10:.1f} | {len(answers)} |"
            f" {mean:.2f} | {share(it.right for it in answers):.2f} |"
        )


def _tenth(confidence: float) -> int:
    """0 to 9; a confidence of 1 is of the last."""
    return min(9, int(confidence * 10 + 1e-9))
