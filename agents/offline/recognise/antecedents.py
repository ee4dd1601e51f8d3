"""Whether «this feature» stands for something that the sentence itself names.

A sentence that speaks of «this option» without an option before is understood on its page only.
"""

from __future__ import annotations

from agents.offline.lexicons import Wording
from agents.offline.recognise.noise import word_set

FAR = 90  # characters after which a sentence has said enough for «this» to stand for it
_STEM = 5
_POINTING = frozenset({"this", "these", "those"})
_DEICTIC = Wording("fragments", "deictic")


def lacks_antecedent(text: str) -> bool:
    """Whether an early «this option» follows no word of its own kind."""
    if _POINTING.isdisjoint(word_set(text)):
        return False
    for match in _DEICTIC.finditer(text, 0, FAR):
        before = text[: match.start()].lower()
        if match.group("noun").lower()[:_STEM] not in before:
            return True
    return False
