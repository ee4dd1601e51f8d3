"""What a fact of a numbered list says something of, so that another fact about it is found.

Two facts are about one thing where they agree up to a word that joins a value to what it is said
of («is», «of», «by»), and both go on with a value: a name, or words without another such word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.ledger import EvidenceRow
from schemas.fingerprint import norm_text
from schemas.ids import sha256_hex
from schemas.numbered_facts import list_numbered_facts
from streams.lexicons import load_words

FRAME_DIGITS = 16
SERIAL_DIGITS = 10
LONGEST_VALUE = 12  # words
_JOINS = load_words("ledger", "joins")
_WITHIN_NAMES = load_words("ledger", "within_names")
_PREPOSITIONS = frozenset(("of", "in", "by", "to", "for", "with", "at", "from", "on", "into"))
_ARTICLES = frozenset(("the", "a", "an"))
_WORD = re.compile(r"\S+")


def frames_of(row: EvidenceRow) -> tuple[str, ...]:
    """What a fact says something of, once for each place where its value may begin."""
    return _frames_in(row.snippet)


@bounded_cache(MIB, 10)
def _frames_in(snippet: str) -> tuple[str, ...]:
    return tuple(_find_frames(snippet))


def _find_frames(snippet: str) -> Iterator[str]:
    line = next(list_numbered_facts(snippet), None)
    fact = snippet[line.at :] if line else snippet
    words = _WORD.findall(fact.strip().rstrip("."))
    for at in range(2, len(words)):
        before, value = words[at - 1].lower(), words[at:]
        if before in _PREPOSITIONS and value[0].lower() in _ARTICLES:
            value = value[1:]
        if before in _JOINS and 0 < len(value) <= LONGEST_VALUE and _is_value(value):
            subject = norm_text(" ".join(words[:at]))
            yield sha256_hex(subject)[:FRAME_DIGITS]


def newer_fact_keys(project: str, row: EvidenceRow) -> Iterator[str]:
    """The places of a row among the facts of its list, oldest first within a frame."""
    if row.serial is None:
        return
    for frame in frames_of(row):
        yield (
            f"{project}|{row.source_id}|{frame}|{row.serial:0{SERIAL_DIGITS}d}"
            f"|{row.atom_id}|{row.evidence_id}"
        )


def _is_value(words: list[str]) -> bool:
    """Whether the words name a value: no word joins another one to it, but within a name."""
    if words[0].lower() in _ARTICLES:
        return False
    for at, word in enumerate(words):
        small = word.lower()
        if small not in _JOINS:
            continue
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        after = words[at + 2] if after.lower() in _ARTICLES and at + 2 < len(words) else after
        if small not in _WITHIN_NAMES or not (before[:1].isupper() and after[:1].isupper()):
            return False
    return True
