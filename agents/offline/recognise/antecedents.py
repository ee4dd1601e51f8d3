"""Whether «this feature» stands for something that the sentence itself names.

A sentence that speaks of «this option» without an option before is understood on its page only.
"""

from __future__ import annotations

import re

from agents.offline.recognise.noise import word_set

FAR = 90  # characters after which a sentence has said enough for «this» to stand for it
_STEM = 5
_POINTING = frozenset({"this", "these", "those"})
_DEICTIC = re.compile(
    r"\b(?:this|these|those) (?P<noun>(?:feature|functionalit|setting|option|parameter|flag|"
    r"behaviou?r|command|method|function|class|field|value|attribute|argument|extension|"
    r"middleware|error|problem|issue|mechanism|api|endpoint|request|response|message|event|table|"
    r"column|key|metric|rule|plugin|component|mode|process|information|design|scheme|algorithm|"
    r"property|properties|constraint|limitation|restriction|policy|policies|config\w*|type|"
    r"structure|format|data|variable|object|call|check|test|group|role|stage|phase|level|"
    r"condition|situation|scenario)(?:s|y|ies)?)\b",
    re.IGNORECASE,
)


def lacks_antecedent(text: str) -> bool:
    """Whether an early «this option» follows no word of its own kind."""
    if _POINTING.isdisjoint(word_set(text)):
        return False
    for match in _DEICTIC.finditer(text, 0, FAR):
        before = text[: match.start()].lower()
        if match.group("noun").lower()[:_STEM] not in before:
            return True
    return False
