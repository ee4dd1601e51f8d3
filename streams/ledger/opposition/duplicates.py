"""Whether two texts say the same, and whether so surely that they become one without a person.

Two questions, two answers. How alike is learnt from rows (``statement`` for sentences, ``ticket``
for texts with a title line). What merges by itself is decided by rule, as in the ledger: similarity
at the upper threshold, and the same said with the words (``agreement.py``). All else waits for a
person, however alike it looks; but nobody is asked about two sentences that contradict each other,
or that name or count something else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from streams.ledger.likeness.agreement import agreement
from streams.ledger.likeness.pair_features import statement_features, ticket_features
from streams.ledger.likeness.similarity import (
    AUTO_MERGE_THRESHOLD,
    MERGE_REVIEW_THRESHOLD,
    similarity,
    statement_text,
)
from streams.ledger.likeness.weighing import load_weights, weigh
from streams.ledger.opposition.opposition import opposition

LABEL_THRESHOLD = 0.5
NO_DUPLICATE = 0.49  # of two that cannot both hold, however alike
MANY_CHARS = 280  # more is no single sentence
_STATEMENT, _TICKET = load_weights("statement"), load_weights("ticket")
Outcome = Literal["merge", "review", "apart"]


class Likeness(NamedTuple):
    """``score`` orders pairs; at the upper threshold and above is what merges by itself."""

    score: float
    fate: Outcome

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
    is_contrary = opposition(one, other).is_sure
    if is_contrary:
        learnt = min(learnt, NO_DUPLICATE)
    alike = similarity(statement_text(one, ""), statement_text(other, ""))
    agreed = agreement(one, other)
    if alike >= AUTO_MERGE_THRESHOLD and agreed == "same":
        return Likeness(max(alike, learnt), "merge")
    is_other = is_contrary or (agreed == "apart" and not is_ticket)
    is_asked = max(alike, learnt) >= MERGE_REVIEW_THRESHOLD and not is_other
    return Likeness(min(learnt, AUTO_MERGE_THRESHOLD - 0.000001), "review" if is_asked else "apart")
