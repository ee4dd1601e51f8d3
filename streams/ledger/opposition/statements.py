"""Subject, relation and value of a terse statement: what the contradiction rules compare.

Only a statement that is nothing but subject, relation and value is taken apart: a condition, a list
or a subordinate clause makes two values compatible that look opposed. What is missed here is left
to a person or a model; what is found should be worth a person's time.

``is`` counts only with a number, a version or a name as its value: adjectives and classes
(«is a broker», «is fast») do not exclude each other. A relation noun (default, limit, port, …) is
part of its subject: «default port is 80» speaks of the subject «default port». So is a role that
only one thing has: «uses PostgreSQL as its database» speaks of what is used as the database.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import CONTEXT
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from streams.ledger.likeness.similarity import AUXILIARIES
from streams.lexicons import Wording, list_ids, load_words

MAX_SUBJECT_WORDS = 6
MAX_VALUE_WORDS = 4
RELATIONS = [  # the first one that is found counts
    (relation, Wording("ledger", "relations", entry=relation))
    for relation in list_ids("ledger", "relations")
]
_OF_VERSION = re.compile(r"(?:^|, )(v?\d+\.\d+[\w.-]*)$")
NOUN_VALUE = Wording("ledger", "noun_value")
ROLE_VALUE = Wording("ledger", "role_value")
ARTICLES = frozenset(("a", "an", "the", "our", "this", "that", "its", "their"))
GENERIC = load_words("pairs", "generic_subjects")
OPEN_ENDS = load_words("pairs", "open_ends")


@dataclass(frozen=True, slots=True)
class Statement:
    """``value`` is normalised; two statements with the same ``key`` speak of the same thing."""

    subject: str
    relation: str
    value: str

    @property
    def key(self) -> str:
        return f"{self.relation}|{self.subject}"

    def excludes(self, other: Statement) -> bool:
        """Whether both cannot hold: same subject and relation, neither value within the other."""
        if self.key != other.key:
            return False
        ours, theirs = set(self.value.split()), set(other.value.split())
        return not ours <= theirs and not theirs <= ours


def of_different_versions(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether each stands under a version of its own: what 0.34 needs may be otherwise in 1.0."""
    ours, theirs = (_OF_VERSION.findall(it.attributes.get(CONTEXT, "")) for it in (one, other))
    return bool(ours and theirs) and ours != theirs


@bounded_cache(2 * MIB, 3)
def statement_of(title: str) -> Statement | None:
    """What a terse title states, or None for all others."""
    text = title.strip().rstrip(".!")
    if any(mark in text for mark in ",;?(") or "\n" in text:
        return None
    if match := NOUN_VALUE.match(text):
        return _statement(match.group("subject"), "is", match.group("value"))
    if match := ROLE_VALUE.match(text):
        role = norm_text(match.group("role"))
        if OPEN_ENDS.isdisjoint(role.split()):
            return _statement(match.group("subject"), f"uses as {role}", match.group("value"))
    for relation, pattern in RELATIONS:
        if match := pattern.search(text):
            return _statement(text[: match.start()], relation, text[match.end() :])
    return None


def same_assertion(one: Statement | None, other: Statement | None) -> bool:
    """Whether two statements say the same of the same subject, their polarity left aside."""
    return bool(one and other and one.key == other.key and not one.excludes(other))


def _statement(subject: str, relation: str, value: str) -> Statement | None:
    subject_words = [word for word in norm_text(subject).split() if word not in ARTICLES]
    value_words = norm_text(value).split()
    while value_words and value_words[0] in ARTICLES:
        if relation == "is":
            return None
        value_words = value_words[1:]
    if not 1 <= len(subject_words) <= MAX_SUBJECT_WORDS or not _is_specific(subject_words):
        return None
    if not 1 <= len(value_words) <= MAX_VALUE_WORDS or not OPEN_ENDS.isdisjoint(value_words):
        return None
    if relation == "is" and not _names_something(value):
        return None
    return Statement(" ".join(subject_words), relation, " ".join(value_words))


def _is_specific(subject: list[str]) -> bool:
    if not AUXILIARIES.isdisjoint(subject) or not OPEN_ENDS.isdisjoint(subject[:1]):
        return False
    return not all(word in GENERIC for word in subject)


def _names_something(value: str) -> bool:
    """Whether a value is a number, a version or a name, by the way it is written."""
    bare = value.strip().strip("`\"'*")
    return bool(bare) and (any(char.isdigit() for char in bare) or bare[0].isupper())
