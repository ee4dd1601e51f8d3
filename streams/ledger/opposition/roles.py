"""Who does what to whom: whether two statements have the same words in each other's places."""

from __future__ import annotations

from typing import NamedTuple

from schemas.bounded_cache import MIB, bounded_cache
from streams.ledger.likeness.lexicon import FILLERS, FUNCTION_WORDS, NEGATORS
from streams.ledger.likeness.terms import root, tokens
from streams.lexicons import Wording, load_words

_DIRECTIONS = load_words("pairs", "directions")
_PREPOSITIONS = _DIRECTIONS | load_words("pairs", "other_prepositions")
_EMPTY = FUNCTION_WORDS | FILLERS | NEGATORS
PASSIVE = Wording("ledger", "passive")


class Place(NamedTuple):
    """A word that says something, and the preposition right before it, if any."""

    preposition: str
    word: str


def exchange_roles(one: str, other: str) -> bool:
    """«A calls B» and «B does not call A», «from A to B» and «from B to A»."""
    ours, theirs = places_of(one), places_of(other)
    if not ours or not theirs:
        return False
    if PASSIVE.says(one) == PASSIVE.says(other) and _exchange_subject(ours, theirs):
        return True
    led, led_too = _list_led(ours), _list_led(theirs)
    return any(
        led[each] != led_too[each] and led[each] in led_too.values()
        for each in led.keys() & led_too.keys()
    )


@bounded_cache(MIB, 12)
def places_of(text: str) -> tuple[Place, ...]:
    found = []
    preposition = ""
    for token in tokens(text):
        word = token.lower()
        if word in _PREPOSITIONS:
            preposition = word
        elif word not in _EMPTY:
            found.append(Place(preposition, root(word)))
            preposition = ""
    return tuple(found)


def _exchange_subject(ours: tuple[Place, ...], theirs: tuple[Place, ...]) -> bool:
    """Whether each opens with what the other names further behind."""
    if ours[0].preposition or theirs[0].preposition:
        return False
    words, words_too = [each.word for each in ours], [each.word for each in theirs]
    return words[0] in words_too[2:] and words_too[0] in words[2:] and words[0] != words_too[0]


def _list_led(places: tuple[Place, ...]) -> dict[str, str]:
    return {each.preposition: each.word for each in places if each.preposition in _DIRECTIONS}
