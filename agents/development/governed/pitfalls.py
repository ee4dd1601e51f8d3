"""What blocked the work on earlier issues like this one, so that it need not block it again.

Issues are compared by their words, rare ones first: no store, no model, the same answer each time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from agents.development.workflow_ports import EarlierFindings

MOST_PITFALLS = 5
LEAST_SIMILARITY = 0.1
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON_WORDS = """
and are but can for from has have into its may must not one our shall should that the their them
then there they this was were when which will with would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def find_pitfalls(issue: str, earlier: Sequence[EarlierFindings]) -> list[str]:
    """The findings of the earlier issues that are most like this one, at most five, each once."""
    words = [_words(each.issue) for each in earlier]
    count = Counter(word for one in words for word in one)
    ranked = sorted(
        ((_compare(_words(issue), one, count, len(words)), at) for at, one in enumerate(words)),
        key=lambda pair: (-pair[0], pair[1]),
    )
    texts = [
        text
        for similarity, at in ranked
        if similarity >= LEAST_SIMILARITY
        for text in earlier[at].findings
    ]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))[
        :MOST_PITFALLS
    ]


def _words(text: str) -> frozenset[str]:
    """The words of a text without their commonest endings."""
    words = (match[0].lower() for match in _WORD.finditer(text))
    return frozenset(_stem(word) for word in words if word not in _COMMON)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _compare(one: frozenset[str], other: frozenset[str], count: Counter[str], total: int) -> float:
    """How much of the weight of both is shared, from 0 to 1."""

    def weigh(words: frozenset[str]) -> float:
        return sum(math.log(1 + (total + 1) / (1 + count[word])) for word in sorted(words))

    together = weigh(one | other)
    return weigh(one & other) / together if together else 0.0
