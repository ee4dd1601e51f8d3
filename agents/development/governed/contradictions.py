"""Requirements that contradict each other, before anything is spent on them.

Two sentences about the same thing contradict each other when one says what the other denies, sets
another limit in the same unit, or asks for the opposite. The rule is narrow on purpose: it stops a
run, so it must be right where it speaks. What the ledger knows comes by a port.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from agents.development.workflow_ports import Contradiction

MOST_COMPARED = 200
LEAST_SHARED = 0.6
_ASKS = re.compile(
    r"\b(?:must|shall|should|will|may not|cannot|can not|never|always|only|required?|has to)\b",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>|\|)*\s*(?:\[[ xX]\]\s*)?[*_`]*"
    r"(?:[A-Z][A-Z0-9]{0,9}-?\d[\d.]*[*_`]*\s*[:.)|—–-]*\s*)?"
)
_NOT = re.compile(
    r"\b(?:not|never|no|cannot|can't|mustn't|won't|shouldn't|without|forbidden|prohibited)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|ms|milliseconds?|s|sec|seconds?|minutes?|hours?|days?"
    r"|weeks?|months?|years?|kb|mb|gb|characters?|users?|items?|rows?|requests?|times|attempts?"
    r"|retries)(?![a-z])",
    re.IGNORECASE,
)
_UNITS = {"ms": "millisecond", "s": "second", "sec": "second", "retries": "retry"}
_WORD = re.compile(r"[a-z][a-z'-]+", re.IGNORECASE)
_LEFT_OUT_WORDS = """
a an and any are as at be by can cannot do does each every for from has have in is it its may must
never always not of on only or shall should that the their then this to when which will with within
without most least than more less no system user users up under over required forbidden prohibited
"""
_LEFT_OUT = frozenset(_LEFT_OUT_WORDS.split())
_OPPOSITES = (
    ("allow", "deny"),
    ("allow", "forbid"),
    ("enabled", "disabled"),
    ("public", "private"),
    ("synchronous", "asynchronous"),
    ("required", "optional"),
    ("ascending", "descending"),
    ("encrypted", "unencrypted"),
    ("include", "exclude"),
    ("keep", "delete"),
    ("accept", "refuse"),
    ("accept", "reject"),
)
_OPPOSITE_WORDS = {word: pair for pair in _OPPOSITES for word in pair}


@dataclass(frozen=True, slots=True)
class _Claim:
    text: str
    words: frozenset[str]
    opposites: frozenset[str]
    is_negative: bool
    limits: dict[str, str]


def list_requirements(*texts: str) -> list[str]:
    """The lines of the texts that ask for something, each once, in their order."""
    lines = (_MARK.sub("", line).strip(" |*_") for text in texts for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if _ASKS.search(line)))[:MOST_COMPARED]


def find_contradictions(requirements: Sequence[str]) -> list[Contradiction]:
    """The pairs of requirements that cannot both hold."""
    claims = [_read(each) for each in requirements[:MOST_COMPARED]]
    pairs = []
    for one, other in combinations(claims, 2):
        if reason := _compare(one, other):
            pairs.append(Contradiction(one=one.text, other=other.text, reason=reason))
    return pairs


def _read(text: str) -> _Claim:
    words = [match[0].lower() for match in _WORD.finditer(_LIMIT.sub(" ", text))]
    opposites = frozenset(word for word in words if word in _OPPOSITE_WORDS)
    kept = frozenset(_stem(word) for word in words if word not in _LEFT_OUT | opposites)
    limits = {_name_unit(match["unit"]): match["number"] for match in _LIMIT.finditer(text)}
    return _Claim(text, kept, opposites, len(_NOT.findall(text)) % 2 == 1, limits)


def _compare(one: _Claim, other: _Claim) -> str:
    """Why the two contradict each other; empty where they do not."""
    shared, together = one.words & other.words, one.words | other.words
    if len(shared) < 2 or len(shared) / len(together) < LEAST_SHARED:
        return ""
    if _are_opposite(one.opposites, other.opposites):
        return "" if one.is_negative != other.is_negative else "They ask for opposites."
    if one.is_negative != other.is_negative:
        return "" if one.opposites != other.opposites else "One denies what the other asks for."
    for unit in sorted(one.limits.keys() & other.limits.keys()):
        if float(one.limits[unit]) != float(other.limits[unit]):
            return f"They set different limits: {one.limits[unit]} and {other.limits[unit]} {unit}."
    return ""


def _are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(
        (first in one and second in other) or (second in one and first in other)
        for first, second in _OPPOSITES
    )


def _name_unit(unit: str) -> str:
    name = unit.lower()
    return _UNITS.get(name, name.rstrip("s") or name)


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 4 else word
