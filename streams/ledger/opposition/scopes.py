"""Whether two statements speak of the same: subject, object, condition and scope.

Two statements contradict each other by one difference: a denial, a pair of opposites, a figure.
Where two such differences meet, one is the condition of the other («requests with a token are
accepted, those without are rejected») or undoes it («not enabled» is «disabled»). Where each side
has words of its own besides, another subject, object or scope takes the place of the first.

Only rules are held to that. What is told of an occasion («a man is sitting on a bench») is meant of
the same things in other words: there the learnt weights decide alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from streams.ledger.figures.quantities import quantities_of
from streams.ledger.likeness.lexicon import FUNCTION_WORDS, SIDE_BY_SIDE
from streams.ledger.likeness.terms import root
from streams.ledger.opposition.alignment import Aligned
from streams.ledger.opposition.contrast import exclude, find_unmatched, is_opposed, sentence_of
from streams.ledger.opposition.roles import exchange_roles
from streams.ledger.opposition.traits import Traits, traits_of
from streams.lexicons import load_words

LAST_OF_SUBJECT = 3  # a word further behind is rarely the subject
_TOKENS = re.compile(r"[\w.-]*\w|,")
_ARTICLES = load_words("pairs", "articles")
_CONDITIONS = load_words("pairs", "conditions")
_RESTRICTIONS = _CONDITIONS | load_words("pairs", "relatives") | load_words("pairs", "scoping")


def find_opposed(alone: Sequence[str], alone_too: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of opposites, or of values of which one holds; each word in one pair at most."""
    left = list(alone_too)
    pairs = []
    for word in alone:
        for other in left:
            if is_opposed(word, other) or exclude(word, other):
                pairs.append((word, other))
                left.remove(other)
                break
    return pairs


def speak_of_different(pair: Aligned) -> bool:
    """Whether two rules differ in more than one thing, or one of them holds in fewer cases."""
    apart = sentence_of(pair.one).negated != sentence_of(pair.other).negated
    ours, theirs = traits_of(pair.one), traits_of(pair.other)
    if apart and ((ours.is_partial and theirs.is_partial) or _leave_open(ours, theirs)):
        return True
    if not (ours.is_rule and theirs.is_rule):
        return False
    return (apart and exchange_roles(pair.one, pair.other)) or _differ_in_more(pair, apart)


def _differ_in_more(pair: Aligned, apart: bool) -> bool:
    ours, theirs = sentence_of(pair.one), sentence_of(pair.other)
    alone, alone_too = find_unmatched(ours, theirs), find_unmatched(theirs, ours)
    opposed = find_opposed(alone, alone_too)
    differences = apart + len(opposed) + pair.differences
    if differences > 1 or (not differences and ours.negated):
        return True
    rest = [word for word in alone if word not in {one for one, _ in opposed}]
    rest_too = [word for word in alone_too if word not in {other for _, other in opposed}]
    if (rest and rest_too) or ((rest or rest_too) and differences and not apart):
        return True
    if opposed and not apart and _list_objects(pair):
        return not is_opposed(*opposed[0])
    return any(
        is_restricted(text, words, _RESTRICTIONS if sentence.negated else _CONDITIONS)
        for text, sentence, words in ((pair.one, ours, rest), (pair.other, theirs, rest_too))
        if words
    )


def _list_objects(pair: Aligned) -> bool:
    return traits_of(pair.one).lists and traits_of(pair.other).lists


def of_different_scopes(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether each stands under a scope of its own: staging and production, phase 1 and phase 2."""
    ours, theirs = one.context, other.context
    if not ours or not theirs or norm_text(ours) == norm_text(theirs):
        return False
    sides, sides_too = _list_sides(ours), _list_sides(theirs)
    if any(sides[at] != sides_too[at] for at in sides.keys() & sides_too.keys()):
        return True
    names, names_too = _list_names(ours), _list_names(theirs)
    return any(names[noun] != names_too[noun] for noun in names.keys() & names_too.keys())


def _list_sides(context: str) -> dict[int, str]:
    words = norm_text(context).split()
    return {SIDE_BY_SIDE[word]: word for word in words if word in SIDE_BY_SIDE}


def _list_names(context: str) -> dict[str, str]:
    return {each.noun: each.name for each in quantities_of(context) if each.is_scope}


def is_restricted(text: str, words: Sequence[str], markers: frozenset[str]) -> bool:
    """Whether one of these roots stands in a condition, right behind a word that restricts, or
    names a part («a division of»)."""
    marked = in_condition = False
    found = _TOKENS.findall(text.lower())
    for at, token in enumerate(found):
        if token == ",":
            marked = in_condition = False
        elif token in markers:
            marked, in_condition = True, token in _CONDITIONS
        elif token in FUNCTION_WORDS and token not in _ARTICLES:
            marked = False
        elif root(token) in words and (marked or in_condition or _names_part(found, at)):
            return True
    return False


def _names_part(found: Sequence[str], at: int) -> bool:
    """Whether the word opens a subject as a part of it: «the division of»."""
    return at <= LAST_OF_SUBJECT and found[at + 1 : at + 2] == ["of"]


def _leave_open(ours: Traits, theirs: Traits) -> bool:
    """What nobody is bound to can still be done: «need not confirm» beside «may confirm»."""
    return (ours.is_not_bound and theirs.is_left_open) or (
        theirs.is_not_bound and ours.is_left_open
    )
