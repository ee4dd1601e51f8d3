"""Whether two texts with the same words say the same, too.

They do when their tokens stand in the same order. A few changes of order change nothing: a passive
with its agent is read as the active, a clause or place at the front as one at the end, and the two
sides of «and» in either order. Everything else is at most a question for a person, and none where
each of the two names something, or gives a number, that the other does not.

Decided against: a parser with a model (30 MB, and another answer with each version). A rule that
knows what may change is right about kinds of sentences that nobody thought of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from schemas.bounded_cache import MIB, bounded_cache
from streams.ledger.likeness.lexicon import NEGATORS
from streams.ledger.likeness.tokens import MODALS, RELATING, Token, key_of, read_tokens
from streams.lexicons import load_words

Agreement = Literal["same", "unsure", "apart"]
CLAUSE_OPENERS = frozenset(map(key_of, load_words("pairs", "clauses")))
OPENERS = frozenset(map(key_of, load_words("pairs", "places"))) | CLAUSE_OPENERS
NOUN_OPENERS = (OPENERS - CLAUSE_OPENERS - {"to"}) | {"of", "both", "all"}
BEING = frozenset(("be", "was"))
HELPERS = BEING | MODALS | NEGATORS | {"have"}
LINKS, EITHER_WAY = frozenset(("and",)), frozenset(("and", "or"))
ENDING = OPENERS | HELPERS | EITHER_WAY
PARTICULAR = frozenset(("name", "amount"))
SLOT = "…"
Row = tuple[Token, ...]


def agreement(one: str, other: str) -> Agreement:
    """What two texts with alike words are to each other."""
    if one == other:
        return "same"
    ours, theirs = read_tokens(one), read_tokens(other)
    if _keys(ours) == _keys(theirs) or _arrange(one) == _arrange(other):
        return "same"
    is_other = _names_more(ours, theirs) and _names_more(theirs, ours)
    return "apart" if is_other or _differ_in_amounts_only(ours, theirs) else "unsure"


def _keys(row: Row) -> tuple[str, ...]:
    """«No, it is» keeps its comma: without it another thing is denied."""
    return tuple(
        token.key + (token.stop if token.key in NEGATORS and token.stop == "," else "")
        for token in row
        if token.key not in LINKS
    )


def _names_more(ours: Row, theirs: Row) -> bool:
    """Whether a name or amount of ours is none of their tokens, however it is written there."""
    texts = {token.key.casefold() for token in theirs}
    return any(token.kind in PARTICULAR and token.key.casefold() not in texts for token in ours)


def _differ_in_amounts_only(ours: Row, theirs: Row) -> bool:
    """Whether token by token all is the same but one amount or more."""
    if len(ours) != len(theirs):
        return False
    unlike = [pair for pair in zip(ours, theirs, strict=True) if pair[0].key != pair[1].key]
    return bool(unlike) and all(one.kind == other.kind == "amount" for one, other in unlike)


@bounded_cache(2 * MIB, 20)
def _arrange(text: str) -> tuple[tuple[str, ...], ...]:
    """The sentences of a text in the one order of tokens that stands for all with their meaning."""
    rows = dict.fromkeys(
        _keys(_sort_sides(_make_active(_put_opening_last(row))))
        for row in _split_sentences(read_tokens(text))
    )
    return tuple(row for row in rows if not any(_opens_with(other, row) for other in rows))


def _split_sentences(row: Row) -> Iterator[Row]:
    start = 0
    for at, token in enumerate(row, 1):
        if token.stop == "." or at == len(row):
            yield row[start:at]
            start = at


def _opens_with(other: tuple[str, ...], row: tuple[str, ...]) -> bool:
    """Whether a sentence says again what another one says with more behind it, as titles do."""
    return len(other) > len(row) and other[: len(row)] == row


def _put_opening_last(row: Row) -> Row:
    """«In tests, A calls B» as «A calls B in tests»."""
    end = next((at for at, token in enumerate(row, 1) if token.stop), len(row))
    return row[end:] + row[:end] if row and row[0].key in OPENERS else row


def _make_active(row: Row) -> Row:
    """«A must be called by B at night» as «B must call A at night»."""
    passive = _find_passive(row)
    if passive is None:
        return row
    start, be, verb, by, end = passive
    subject_end = next(at for at in range(start, be + 1) if row[at].key in HELPERS)
    helpers = [token for token in row[subject_end:verb] if token.key not in BEING]
    is_past = row[be].key == "was" or any(token.key == "have" for token in helpers)
    active = row[verb].key if is_past else row[verb].key.removesuffix("ed")
    return (
        *row[:start],
        *row[by + 1 : end],
        *helpers,
        Token(active),
        *row[start:subject_end],
        *row[verb + 1 : by],
        *row[end:],
    )


def _find_passive(row: Row) -> tuple[int, int, int, int, int] | None:
    """Where the first passive with its agent has its start, «be», verb, «by» and end."""
    start = 0
    for at, token in enumerate(row):
        if token.key in BEING and at > start:
            verb = _skip_helpers(row, at + 1)
            by = _find_by(row, verb)
            if by and row[verb].key.endswith("/ed"):
                return start, at, verb, by, _end_of_phrase(row, by + 1)
        if token.stop or token.key in CLAUSE_OPENERS:
            start = at + 1
    return None


def _skip_helpers(row: Row, at: int) -> int:
    while at < len(row) and (row[at].key in HELPERS or row[at].key.endswith("/ly")):
        at += 1
    return at


def _find_by(row: Row, verb: int) -> int | None:
    for at in range(verb, len(row) - 1):
        if row[at].stop or row[at].key in CLAUSE_OPENERS:
            return None
        if row[at + 1].key == "by" and at + 2 < len(row):
            return at + 1
    return None


def _end_of_phrase(row: Row, at: int) -> int:
    """Behind the words of one phrase: before the next place, clause or helper, or at a mark."""
    while at < len(row):
        if row[at].stop:
            return at + 1
        at += 1
        if at < len(row) and row[at].key in ENDING:
            break
    return at


def _sort_sides(row: Row) -> Row:
    """«of logs and metrics» as «of metrics and logs», where both sides are one word.

    What was done and then done is in order, and what stands before the first may belong to both.
    """
    tokens = list(row)
    for at in range(1, len(tokens) - 1):
        first, last = tokens[at - 1], tokens[at + 1]
        opens = at > 1 and tokens[at - 2].key in NOUN_OPENERS
        ends = at + 2 == len(tokens) or last.stop or tokens[at + 2].key in OPENERS
        is_pair = tokens[at].key in EITHER_WAY and all(
            "/" in side.key and not side.key.endswith(("/ed", "/ing")) for side in (first, last)
        )
        if is_pair and opens and ends and not first.stop and last.key < first.key:
            tokens[at - 1], tokens[at + 1] = replace(last, stop=""), replace(first, stop=last.stop)
    return tuple(tokens)


def keep_order(one: str, other: str) -> bool:
    """Whether the words that both texts have stand in one order, in the shorter one perhaps fewer.

    Weaker than ``agreement``: it only tells an exchange of roles from another wording.
    """
    plain = (_keys(read_tokens(text)) for text in (one, other))
    arranged = (tuple(key for row in _arrange(text) for key in row) for text in (one, other))
    return _is_in_order(*plain) or _is_in_order(*arranged)


def _is_in_order(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    shared = {key for key in ours if key not in RELATING} & set(theirs)
    short, long = sorted(([key for key in row if key in shared] for row in (ours, theirs)), key=len)
    rest = iter(long)
    return all(key in rest for key in short)


def differ_in_a_slot(one: str, other: str) -> bool:
    """Whether all is the same but what stands in one slot, which may come more than once."""
    ours, theirs = (_keys(read_tokens(text)) for text in (one, other))
    alone, alone_too = set(ours) - set(theirs), set(theirs) - set(ours)
    is_swapped = bool(alone and alone_too)
    return is_swapped and _open_slot(ours, alone) == _open_slot(theirs, alone_too)


def _open_slot(row: tuple[str, ...], alone: set[str]) -> list[str]:
    """The row with a mark in place of each run of what it has alone."""
    opened: list[str] = []
    for key in row:
        if key not in alone:
            opened.append(key)
        elif opened[-1:] != [SLOT]:
            opened.append(SLOT)
    return opened
