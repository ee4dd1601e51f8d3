"""How bad a risk is and what it leads to, read from its strongest consequence term.

Reflection judges by a wider list of its own (``streams/reflection/words.py``): who proposes and who
checks share no code. A test holds that reflection knows every term here.
"""

from __future__ import annotations

import functools
import re

from agents.offline.lexicons import Wording, load_words
from schemas.events.atom import AtomSeverity

_LEVELS: tuple[AtomSeverity, ...] = ("critical", "high", "medium", "low")
_COMPILED = tuple((level, Wording("severity", level)) for level in _LEVELS)
_ANY = Wording("severity", *_LEVELS)
_BURDENS = Wording("severity", "burdens")
_CLAUSES = re.compile(r"[,;:()]\s+|\s[—–-]\s|\s(?:which|because|but|although|while|so that)\s")
_CONJUNCTION = Wording("severity", "conjunction")
_NO_RISK = Wording("severity", "averted")


# Words of the terms that are more than one word: only beside one of them the patterns must run.
_PARTS = load_words("severity", "parts")
_PHRASE = re.compile(
    r"\b(?:(?:data|los\w+|leak\w*|double|single|security|blocks|race|undefined|lock|technical)\W|"
    r"(?:can|could|may|might|will|would|to) block\b)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")


def severity_of(text: str) -> AtomSeverity | None:
    """The level of the strongest consequence term in ``text``; None when there is none.

    Most terms are one word, and a word's level is remembered: ten times cheaper than the patterns.
    """
    words = _WORDS.findall(text.lower())
    if not _PARTS.isdisjoint(words) and _PHRASE.search(text):
        return next((level for level, terms in _COMPILED if terms.search(text)), None)
    strongest = min(map(_rank_of, words), default=len(_COMPILED))
    return _COMPILED[strongest][0] if strongest < len(_COMPILED) else None


@functools.lru_cache(maxsize=32_768)
def _rank_of(word: str) -> int:
    """The place of a word's level, 0 for the worst; one too many for a word without one."""
    ranks = (rank for rank, (_, terms) in enumerate(_COMPILED) if terms.fullmatch(word))
    return next(ranks, len(_COMPILED))


def impact_of(text: str) -> str:
    """The clause around the strongest consequence term, or nothing."""
    level = severity_of(text)
    if level is None:
        return ""
    return _clause(text, dict(_COMPILED)[level])


def burden_of(text: str) -> str:
    """The clause that says what a drawback costs, or nothing."""
    return _clause(text, _BURDENS) if _BURDENS.says(text) else ""


def _clause(text: str, terms: Wording) -> str:
    for clause in _CLAUSES.split(text):
        if terms.search(clause):
            clause = _CONJUNCTION.sub("", clause)
            return clause.strip(" .,;:") if clause.count(" ") >= 2 else text.strip(" .,;:")
    return text.strip(" .,;:")


def is_averted(text: str) -> bool:
    """Whether the first consequence is named only as something avoided or absent."""
    first = _ANY.search(text)
    return bool(first and _NO_RISK.says(text[max(0, first.start() - 70) : first.start()]))
