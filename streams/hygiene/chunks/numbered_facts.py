"""Whether a document is a numbered list of facts in which a larger number is the newer one.

Such a list says one thing and later the contrary without naming what it replaces. Its chunks are
read one by one, so each has to know. It is told by what the document says of its numbers, or by
its calling itself a list of facts; a list that only has numbers is none.
"""

from __future__ import annotations

import re
from itertools import pairwise

from schemas.numbered_facts import list_numbered_facts

FEWEST = 2
LEAST_SHARE = 0.6  # of the lines, where the document only calls itself a list of facts
HEAD_CHARS = 4_000  # a list says so before it begins
_NUMBER = (
    r"(?:serial |sequence |line |item |fact )?(?:numbers?|serials?|indices|index|ids?|positions?)"
)
_NEWER = r"(?:newer|newest|later|latest|more recent|most recent|current|up[- ]to[- ]date)"
_LARGER = r"(?:larger|largest|higher|highest|greater|greatest|bigger|biggest|later|last)"
_WINS = (
    r"(?:wins?|win out|overrides?|overrules?|replaces?|supersedes?|prevails?|takes? precedence|"
    r"counts?|applies|apply|is right|are right|holds?)"
)
_DECLARES = re.compile(
    rf"\b{_NEWER}\b[^.\n]{{0,40}}\b{_LARGER}\b[^.\n]{{0,20}}\b{_NUMBER}\b|"
    rf"\b{_LARGER}\b[^.\n]{{0,20}}\b{_NUMBER}\b[^.\n]{{0,60}}\b(?:{_NEWER}|{_WINS})\b|"
    rf"\b(?:{_NEWER}) (?:facts?|entries|entry|items?|statements?)\b[^.\n]{{0,40}}\b{_WINS}\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"^[ \t#>*_]*(?:(?:here|below|this|following|the following)[ \w]{0,20} )?"
    r"(?:(?:a|the|my|our|some) )?(?:\w+ )?"
    r"(?:(?:list|pool|log|ledger|sequence|collection|set|stream) of (?:\w+ )?facts\b|"
    r"(?:numbered|serial|known|all) facts\b|facts)[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)


def has_newer_facts_last(text: str) -> bool:
    """Whether of two facts of ``text`` that differ the one with the larger number holds."""
    head = text[:HEAD_CHARS]
    declares = _DECLARES.search(head) is not None
    if not declares and _CALLED.search(head) is None:
        return False
    numbers = [it.number for it in list_numbered_facts(text)]
    if len(numbers) < FEWEST or any(a >= b for a, b in pairwise(numbers)):
        return False
    lines = sum(1 for line in text.split("\n") if line.strip())
    return declares or len(numbers) >= LEAST_SHARE * lines
