"""Who does what to whom, and what comes first: whether a statement has turned its quote around.

The words of «A reports to B» and of «B reports to A» are the same, so that counting them finds
nothing. «A before B» says the same as «B after A», and «not A before B» as «first B».
"""

from __future__ import annotations

from dataclasses import dataclass

from streams.ledger.likeness.terms import root
from streams.ledger.opposition.roles import PASSIVE, Place, places_of
from streams.lexicons import load_words
from streams.reflection.sense import NEGATORS, Sense

MOST_OF_CLAUSE = 6  # words behind «before» that belong to it
_EITHER_WAY = frozenset(root(word) for word in load_words("reflection", "either_way"))
_BEFORE = frozenset(("before", "until"))
ORDER = _BEFORE | {"after"}


@dataclass(frozen=True, slots=True)
class Order:
    """``clause``: what stands behind «before» or «after»; ``rest``: what is said of it."""

    is_before: bool
    clause: frozenset[str]
    rest: frozenset[str]


def find_exchanged(ours: Sense, theirs: Sense) -> tuple[str, str] | None:
    """Two words of which each stands in the other's place, before and behind the same verb.

    Only simple sentences are compared: clauses may change places and say the same.
    """
    if ours.is_joined or theirs.is_joined:
        return None
    mine, other = places_of(ours.text), places_of(theirs.text)
    passive, passive_too = PASSIVE.says(ours.text), PASSIVE.says(theirs.text)
    if passive != passive_too:
        return None
    for at in range(1, len(mine) - 1):
        verb = mine[at].word
        if verb in _EITHER_WAY:
            continue
        for place in range(1, len(other) - 1):
            if other[place].word == verb and (exchange := _exchange_at(mine, at, other, place)):
                return exchange
    return None


def _exchange_at(
    mine: tuple[Place, ...], at: int, other: tuple[Place, ...], place: int
) -> tuple[str, str] | None:
    """The subjects, where each of them is named behind the verb by the other, and led in alike."""
    one, two = mine[at - 1].word, other[place - 1].word
    before, before_too = {it.word for it in mine[:at]}, {it.word for it in other[:place]}
    if not before.isdisjoint(before_too) or mine[0].preposition or other[0].preposition:
        return None
    led, led_too = _find_lead(mine, at, two), _find_lead(other, place, one)
    return (one, two) if led is not None and led == led_too else None


def _find_lead(places: tuple[Place, ...], verb: int, word: str) -> str | None:
    """The preposition before the words that ``word`` belongs to; None where it is not there."""
    found = next((at for at in range(verb + 1, len(places)) if places[at].word == word), None)
    if found is None:
        return None
    leads = (places[at].preposition for at in range(found, verb, -1))
    return next((it for it in leads if it), "")


def order_of(sense: Sense) -> Order | None:
    """What the first «before» or «after» parts."""
    at = next((number for number, it in enumerate(sense.words) if it in ORDER), None)
    if at is None:
        return None
    end = next((pause for pause in sense.pauses if pause > at + 1), len(sense.roots))
    end = min(end, at + 1 + MOST_OF_CLAUSE)
    clause = frozenset(sense.roots[at + 1 : end])
    rest = frozenset((*sense.roots[:at], *sense.roots[end:]))
    return Order(sense.words[at] in _BEFORE, clause, rest) if clause and rest else None


def is_turned(ours: Order, theirs: Order) -> bool:
    """Whether each has behind its «before» or «after» what the other says of it."""
    across = len(ours.clause & theirs.rest), len(theirs.clause & ours.rest)
    along = len(ours.clause & theirs.clause), len(ours.rest & theirs.rest)
    return min(across) > 0 and sum(across) > sum(along)


def compare_order(ours: Sense, theirs: Sense) -> bool | None:
    """Whether both put the same first; None where one of them says nothing of it.

    What is not done before something, or until then, is done behind it.
    """
    one, other = order_of(ours), order_of(theirs)
    if one is None or other is None:
        return None
    same = one.is_before == other.is_before
    if _is_denied(ours) != _is_denied(theirs):
        same = not same
        return True if (same != is_turned(one, other)) and _has_until(ours, theirs) else None
    return same != is_turned(one, other)


def _is_denied(sense: Sense) -> bool:
    return not NEGATORS.isdisjoint(sense.text.split())


def _has_until(ours: Sense, theirs: Sense) -> bool:
    denied = ours if _is_denied(ours) else theirs
    return any(it in _BEFORE for it in denied.words)
