"""Whether two texts say the same, and whether so surely that they become one without a person.

Two questions, two answers. How alike is learnt from rows (``statement`` for sentences, ``ticket``
for texts with a title line). What merges by itself is decided by rule, as in the ledger: spec'd
similarity at the upper threshold, and nothing of substance or name in which the two differ. All
else waits for a person, however alike it looks.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from streams.ledger.opposition import opposition
from streams.ledger.pair_features import statement_features, ticket_features
from streams.ledger.similarity import (
    AUTO_MERGE_THRESHOLD,
    MERGE_REVIEW_THRESHOLD,
    differ_in_names,
    differ_in_substance,
    similarity,
    statement_text,
)
from streams.ledger.weighing import load_weights, weigh

LABEL_THRESHOLD = 0.5
NO_DUPLICATE = 0.49  # of two that cannot both hold, however alike
MANY_CHARS = 280  # more is no single sentence
_STATEMENT, _TICKET = load_weights("statement"), load_weights("ticket")
Fate = Literal["merge", "review", "apart"]


class Likeness(NamedTuple):
    """``score`` orders pairs; at the upper threshold and above is what merges by itself."""

    score: float
    fate: Fate

    @property
    def is_duplicate(self) -> bool:
        return self.score >= LABEL_THRESHOLD


def likeness(one: str, other: str) -> Likeness:
    """How alike two texts are; with a line break in one of them, first lines are titles."""
    is_ticket = "\n" in one.strip() + other.strip() or max(len(one), len(other)) > MANY_CHARS
    if is_ticket:
        learnt = weigh(ticket_features(one, other), _TICKET)
    else:
        learnt = weigh(statement_features(one, other), _STATEMENT)
    if opposition(one, other).is_sure:
        learnt = min(learnt, NO_DUPLICATE)
    alike = similarity(statement_text(one, ""), statement_text(other, ""))
    if merges(one, other, alike):
        return Likeness(max(alike, learnt), "merge")
    is_asked = max(alike, learnt) >= MERGE_REVIEW_THRESHOLD
    return Likeness(min(learnt, AUTO_MERGE_THRESHOLD - 0.000001), "review" if is_asked else "apart")


def merges(one: str, other: str, alike: float) -> bool:
    """Whether two raw texts of this similarity become one without a person."""
    if alike < AUTO_MERGE_THRESHOLD or differ_in_names(one, other):
        return False
    return not differ_in_substance(statement_text(one, ""), statement_text(other, ""))
