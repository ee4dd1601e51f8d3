"""What stands against what in two sentences, as figures for a weighed sum.

A sentence is cut at its negator: what stands before it, what it denies (up to the next preposition
or conjunction) and the rest, which a denial usually leaves standing: «does not run in production»
denies the running and still speaks of production. Words match when they are the same, synonyms, or
class and member. Opposites, members of one exclusive set and differing numbers count only among
the words that found no match.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from schemas.bounded_cache import MIB, bounded_cache
from streams.ledger.likeness.lexicon import (
    CLASS_OF,
    EXCLUSIVE,
    FILLERS,
    FUNCTION_WORDS,
    GERMAN_FUNCTION_WORDS,
    GERMAN_NEGATORS,
    NEGATORS,
    OPPOSITES,
)
from streams.ledger.likeness.terms import root, tokens
from streams.ledger.opposition.alignment import align
from streams.lexicons import load_words

_OMISSIONS = frozenset(("forget", "fail", "fails", "hesitate", "neglect", "omit"))
_SPELLED = {"US": "usa", "IT": "infotech", "HTTPS": "httpsecure"}  # hidden by their case or ending
_STATES = {"on": "enabled", "off": "disabled"}
_BEFORE_STATES = frozenset(("is", "are", "be", "was", "were", "not", "turned", "switched", "to"))
_BEHIND_STATES = frozenset(("", "for", "by", "in", "when", "if", "unless", "and", "or", "until"))
_COMPARATIVES = load_words("pairs", "comparatives")
_PREPOSITIONS = load_words("pairs", "ends_of_denial")
_NEGATORS = NEGATORS | GERMAN_NEGATORS | load_words("pairs", "forbidding")
_EMPTY = FUNCTION_WORDS | GERMAN_FUNCTION_WORDS | FILLERS | _NEGATORS
_OPPOSITE_ROOTS = frozenset((root(one), root(other)) for one, other in OPPOSITES)
_SET_OF = {root(word): number for word, number in EXCLUSIVE.items()}
_CLASSES: dict[str, frozenset[str]] = {}
for _word, _heads in CLASS_OF.items():
    _CLASSES[root(_word)] = _CLASSES.get(root(_word), frozenset()) | set(map(root, _heads))
_MEMBERS: dict[str, set[str]] = {}
for _member, _its_classes in _CLASSES.items():
    for _class in _its_classes:
        _MEMBERS.setdefault(_class, set()).add(_member)
SAME_BUT_NUMBERS = 0.8
_REASONS = (0, 1, 6, 7, 8, 21)  # places in _overall: denials, opposites, sets, numbers, modals
_OPEN_MODALS = frozenset(("may", "can", "could", "might", "optional", "optionally"))
_BINDING_MODALS = frozenset(("must", "shall", "required", "mandatory", "always"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """Roots of the words that say something, by where they stand to the first negator."""

    content: tuple[str, ...]
    known: frozenset[str]
    before: tuple[str, ...]
    denied: tuple[str, ...]
    left: tuple[str, ...]
    negated: bool
    open: bool
    binding: bool

    @property
    def beside(self) -> frozenset[str]:
        """What the denial does not touch."""
        return frozenset(self.before + self.left)

    @property
    def said(self) -> tuple[str, ...]:
        """The content without its first word, which is usually what it is about."""
        return self.content[1:] or self.content


@bounded_cache(2 * MIB, 15)
def sentence_of(text: str) -> Sentence:
    words = _name_states([_SPELLED.get(word) or word.lower() for word in tokens(text)])
    negators = [at for at, word in enumerate(words) if _negates(words, at, word)]
    first = negators[0] if negators else len(words)
    before = [root(word) for word in words[:first] if word not in _EMPTY]
    denied: list[str] = []
    left: list[str] = []
    region = denied
    for word in words[first + 1 :]:
        if word in _PREPOSITIONS and denied:
            region = left
        if word not in _EMPTY:
            region.append(root(word))
    content = (*before, *denied, *left)
    return Sentence(
        content=content,
        known=frozenset(content),
        before=tuple(before),
        denied=tuple(denied or left),
        left=tuple(left if denied else ()),
        negated=len(negators) % 2 == 1,
        open=not _OPEN_MODALS.isdisjoint(words),
        binding=not _BINDING_MODALS.isdisjoint(words),
    )


def has_reason(features: Sequence[float]) -> bool:
    """Whether anything known to oppose stands in the two whose `contrast_features` these are.

    Without it no weight speaks for it.
    """
    return any(features[at] for at in _REASONS)


def contrast_features(one: str, other: str) -> list[float]:
    """The second sentence seen from the first; most figures 0 to 1."""
    pair = align(one, other)
    ours, theirs = sentence_of(pair.one), sentence_of(pair.other)
    return [
        *_overall(ours, theirs, bool(pair.conflicts)),
        *_score_denied_by_second(ours, theirs),
        *_score_denied_by_first(ours, theirs),
        *_score_denied_by_both(ours, theirs),
    ]


def _overall(ours: Sentence, theirs: Sentence, conflict: bool) -> list[float]:
    apart = float(ours.negated != theirs.negated)
    both = float(ours.negated and theirs.negated)
    alone, alone_too = find_unmatched(ours, theirs), find_unmatched(theirs, ours)
    inside, inside_too = (
        measure_covered(theirs.content, ours.known),
        measure_covered(ours.content, theirs.known),
    )
    least = min(inside, inside_too)
    opposite = float(any(is_opposed(a, b) for a in alone for b in alone_too))
    exclusive = float(any(exclude(a, b) for a in alone for b in alone_too))
    numbers = float(conflict and least >= SAME_BUT_NUMBERS)
    one_word = float(len(alone) == 1 and len(alone_too) == 1)
    return [
        apart,
        both,
        apart * inside,
        apart * inside_too,
        inside,
        inside_too,
        opposite,
        exclusive,
        numbers,
        opposite * least,
        exclusive * least,
        numbers * least,
        numbers * float(least > 0.99),
        opposite * one_word,
        exclusive * one_word,
        apart * (opposite + exclusive),
        apart * min(len(alone), 8) / 8,
        apart * min(len(alone_too), 4) / 4,
        (1 - apart) * min(len(alone_too), 4) / 4,
        apart * measure_covered(theirs.content[:1], ours.known),
        apart * float(inside > 0.99) * float(inside_too > 0.99),
        float(ours.open != theirs.open and ours.binding != theirs.binding) * least,
    ]


def _score_denied_by_second(ours: Sentence, theirs: Sentence) -> list[float]:
    if not theirs.negated or ours.negated:
        return [0.0] * 8
    rest = measure_covered(theirs.denied + theirs.left, ours.known)
    subject = measure_covered(theirs.before, ours.known)
    return [
        1.0,
        measure_covered(theirs.denied, ours.known),
        measure_covered(theirs.denied[:1], ours.known),
        measure_covered(theirs.left, ours.known) if theirs.left else 0.5,
        subject,
        float(rest > 0.99),
        float(rest > 0.99 and subject > 0.99),
        min(len(theirs.content), 8) / 8,
    ]


def _score_denied_by_first(ours: Sentence, theirs: Sentence) -> list[float]:
    if not ours.negated or theirs.negated:
        return [0.0] * 10
    denied = frozenset(ours.denied)
    return [
        measure_covered(theirs.said, denied),
        measure_covered(theirs.said, ours.beside),
        measure_covered(ours.denied, theirs.known),
        float(measure_covered(ours.denied, theirs.known) > 0.99),
        measure_covered(ours.denied[:1], theirs.known),
        measure_covered(theirs.said[:1], denied),
        measure_covered(theirs.said[:1], ours.beside),
        measure_covered(ours.left, theirs.known),
        float(measure_covered(theirs.said, ours.known) > 0.99),
        min(len(ours.content), 10) / 10,
    ]


def _score_denied_by_both(ours: Sentence, theirs: Sentence) -> list[float]:
    if not ours.negated or not theirs.negated:
        return [0.0] * 6
    standing = measure_covered(theirs.denied, ours.beside)
    return [
        standing,
        measure_covered(theirs.denied, frozenset(ours.denied)),
        measure_covered(ours.denied, frozenset(theirs.denied)),
        measure_covered(theirs.said, ours.beside),
        float(standing > 0.99) * (1 - measure_covered(ours.denied, theirs.known)),
        measure_covered(theirs.content, ours.known),
    ]


def find_unmatched(ours: Sentence, theirs: Sentence) -> list[str]:
    """Our words that nothing of theirs matches, in their order."""
    return [word for word in ours.content if not measure_match(word, theirs.known)]


def measure_covered(words: Sequence[str], known: Collection[str]) -> float:
    """The share of ``words`` that ``known`` matches; 0 of none."""
    return sum(measure_match(word, known) for word in words) / len(words) if words else 0.0


def measure_match(word: str, known: Collection[str]) -> float:
    """1 for the same root, less for a class and its member or a common beginning, else 0."""
    if word in known:
        return 1.0
    if not _CLASSES.get(word, frozenset()).isdisjoint(known):
        return 0.7
    if not _MEMBERS.get(word, set()).isdisjoint(known):
        return 0.9
    if len(word) <= 5 or not word[:5].isalpha():
        return 0.0
    return 0.8 if any(other[:5] == word[:5] for other in known) else 0.0


def exclude(one: str, other: str) -> bool:
    """Whether two roots are different members of a set of which one holds."""
    return one != other and one in _SET_OF and _SET_OF[one] == _SET_OF.get(other)


def is_opposed(one: str, other: str) -> bool:
    """Opposites, also as the one part of a compound: single-threaded and multi-threaded."""
    if (one, other) in _OPPOSITE_ROOTS:
        return True
    (head, hyphen, tail), (head_too, _, tail_too) = one.partition("-"), other.partition("-")
    if not hyphen or not tail_too:
        return False
    return (tail == tail_too and (root(head), root(head_too)) in _OPPOSITE_ROOTS) or (
        head == head_too and (root(tail), root(tail_too)) in _OPPOSITE_ROOTS
    )


def _name_states(words: list[str]) -> list[str]:
    """«is on», «turned off» as what they say: alone they are prepositions."""
    ahead = zip(["", *words], words, [*words[1:], ""], strict=False)
    return [
        _STATES[word]
        if word in _STATES and before in _BEFORE_STATES and behind in _BEHIND_STATES
        else word
        for before, word, behind in ahead
    ]


def _negates(words: list[str], at: int, word: str) -> bool:
    """«no more than» sets a limit, «do not forget to» asks for something: they deny nothing."""
    follows = words[at + 1] if at + 1 < len(words) else ""
    return word in _NEGATORS and follows not in _COMPARATIVES and follows not in _OMISSIONS
