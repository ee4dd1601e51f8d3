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
from streams.ledger.alignment import Aligned
from streams.ledger.contrast import exclude, find_unmatched, is_opposed, sentence_of
from streams.ledger.lexicon import FUNCTION_WORDS, SIDE_BY_SIDE
from streams.ledger.quantities import quantities_of
from streams.ledger.roles import exchange_roles
from streams.ledger.terms import root

_OCCASION = re.compile(
    r"(?i)^\W*(?:an?|some|two|three|four|five|six|seven|several|many|there|people|few)\b"
    r"|\b(?:is|are|was|were)\s+(?:not\s+)?\w+ing\b"
    r"|^\W*(?:[\w-]+\s+)?\w+s\s+(?:not\s+)?\w+ing\b(?!.*\b(?:is|are|was|were|do|does|has|have)\b)"
)
_MODAL = re.compile(r"(?i)\b(?:must|shall|should|can|cannot|may|will)\b|n['\u2019]t\b")
_CONDITION_TEXT = """
    if when whenever unless until till except while once during provided otherwise wenn falls sofern
    sobald solange außer
"""
_RELATIVE_TEXT = "that which who whom whose where"
_SCOPING_TEXT = """
    for in on at under with without within via per across between besides für bei unter mit ohne
"""
LAST_OF_SUBJECT = 3  # a word further behind is rarely the subject
_ARTICLE_TEXT = "a an the our their its this these all any each every other another new old own"
_TOKENS = re.compile(r"[\w.-]*\w|,")
_ARTICLES = frozenset(_ARTICLE_TEXT.split())
_CONDITIONS = frozenset(_CONDITION_TEXT.split())
_RESTRICTIONS = _CONDITIONS | frozenset(_RELATIVE_TEXT.split()) | frozenset(_SCOPING_TEXT.split())
_PARTIAL = re.compile(
    r"(?i)^\W*(?:some|many|several|few|most|manche|einige|viele)\b"
    r"|\b(?:sometimes|often|usually|mostly|partly|occasionally|rarely|teils|manchmal|oft|meistens)\b"
)
_LISTING = re.compile(  # more than one object at a time: «supports English», «supports French»
    r"(?i)\b(?:supports?|accepts?|includes?|contains?|covers?|offers?|provides?|handles?|knows?"
    r"|imports?|exports?|speaks?|reads?|writes?|parses?|unterstützt|enthält|umfasst|bietet)\b"
)
_NOT_ALL = re.compile(
    r"(?i)\bnot\s+(?:all|every|always|necessarily|entirely)\b|\bnicht\s+(?:alle|immer|jede)"
)
_NOT_BOUND = re.compile(
    r"(?i)(?:\bnot|n['\u2019]t)\s+(?:(?:be\s+)?(?:have|need|required|necessary|obliged|mandatory)\b)"
)
_LEFT_OPEN = re.compile(r"(?i)\b(?:may|can|could|might|optional|optionally)\b")


def is_rule(text: str) -> bool:
    return bool(_MODAL.search(text)) or not _OCCASION.search(text)


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
    ours, theirs = sentence_of(pair.one), sentence_of(pair.other)
    apart = ours.negated != theirs.negated
    if apart and (_is_partly(pair.one) and _is_partly(pair.other) or _leaves_open(pair)):
        return True
    if not (is_rule(pair.one) and is_rule(pair.other)):
        return False
    if apart and exchange_roles(pair.one, pair.other):
        return True
    alone, alone_too = find_unmatched(ours, theirs), find_unmatched(theirs, ours)
    opposed = find_opposed(alone, alone_too)
    differences = apart + len(opposed) + len(pair.conflicts)
    if differences > 1 or (not differences and ours.negated):
        return True
    rest = [word for word in alone if word not in {one for one, _ in opposed}]
    rest_too = [word for word in alone_too if word not in {other for _, other in opposed}]
    if rest and rest_too:
        return True
    if opposed and not apart and _LISTING.search(pair.one) and _LISTING.search(pair.other):
        return not is_opposed(*opposed[0])
    return any(
        is_restricted(text, words, _CONDITIONS if apart and not sentence.negated else _RESTRICTIONS)
        for text, sentence, words in ((pair.one, ours, rest), (pair.other, theirs, rest_too))
        if words
    )


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


def _is_partly(text: str) -> bool:
    """Whether it is said of some only: «some calls are cached», «not all calls are»."""
    return bool(_PARTIAL.search(text) or _NOT_ALL.search(text))


def _leaves_open(pair: Aligned) -> bool:
    """What nobody is bound to can still be done: «need not confirm» beside «may confirm»."""
    return any(
        _NOT_BOUND.search(one) and _LEFT_OPEN.search(other)
        for one, other in ((pair.one, pair.other), (pair.other, pair.one))
    )
