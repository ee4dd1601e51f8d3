"""How many ways a pattern has to share out a run of one character, by its tree.

Two long repetitions side by side that both take a character share out a run of n of them in n ways,
three in n² ways; a repetition whose turns can be cut in two ways has ways that double with each
turn. What comes after may refuse them all, one by one. What gives nothing back (``*+``, ``(?>…)``)
shares out nothing. Words of several characters are not looked at here; see ``test_growth``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from re import _constants as op
from re import _parser as parser
from typing import Any, NamedTuple

LONG = 12  # a repetition with as many turns counts as one without end
ENDLESS = 1_000
ALPHABET = "\n\t abzAZ01é日–" + string.punctuation
CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
LEAVES = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
Node = tuple[Any, Any]
NO = -1  # there is no such run


class Run(NamedTuple):
    """Of a run of one character: how many long repetitions take part in it, or ``NO``.

    ``through``: it is all that the nodes match, maybe nothing; ``first`` and ``last``: the nodes
    begin or end with it; ``within``: anywhere. ``some``: a run through is not always empty.
    """

    through: int
    first: int
    last: int
    within: int
    some: bool


EMPTY = Run(0, 0, 0, 0, some=False)
NOTHING = Run(NO, 0, 0, 0, some=False)  # of the character


def degree_of(pattern: re.Pattern[str]) -> tuple[int, str]:
    """The most repetitions that share a run, or `ENDLESS`, and a character of such a run."""
    tree = list(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    if _count_long(tree) < 2:
        return 1, ""
    return max((_in_row(tree, mark).within, mark) for mark in _distinct_marks(tree))


def _distinct_marks(tree: list[Node]) -> Iterable[str]:
    """One of all marks that the same parts of the tree take: the others have its runs."""
    parts = {(kind, tuple(value) if kind is op.IN else value) for kind, value in _leaves(tree)}
    marks: dict[tuple[bool, ...], str] = {}
    for mark in ALPHABET:
        taken = (mark == "\n", *(_takes(kind, value, mark) for kind, value in parts))
        marks.setdefault(taken, mark)
    return marks.values()


def _leaves(nodes: object) -> Iterator[Node]:
    """What takes one character, anywhere in a tree."""
    if isinstance(nodes, tuple) and nodes and any(nodes[0] is kind for kind in LEAVES):
        yield nodes[0], nodes[1]
    elif isinstance(nodes, tuple | list | parser.SubPattern):
        for each in nodes:
            yield from _leaves(each)


def _count_long(nodes: object) -> int:
    """How many long repetitions there are anywhere in a tree."""
    if isinstance(nodes, tuple) and len(nodes) == 3 and isinstance(nodes[1], int):
        return (nodes[1] >= LONG) + _count_long(list(nodes[2]))
    if isinstance(nodes, tuple | list | parser.SubPattern):
        return sum(_count_long(each) for each in nodes)
    return 0


def _in_row(nodes: Sequence[Node], mark: str) -> Run:
    run = EMPTY
    for kind, value in nodes:
        run = _joined(run, _of(kind, value, mark))
    return run


def _joined(one: Run, other: Run) -> Run:
    def add(left: int, right: int) -> int:
        return NO if NO in (left, right) else left + right

    return Run(
        add(one.through, other.through),
        max(one.first, add(one.through, other.first)),
        max(other.last, add(one.last, other.through)),
        max(one.within, other.within, add(one.last, other.first)),
        one.some or other.some,
    )


def _of(kind: Any, value: Any, mark: str) -> Run:
    if kind in LEAVES:
        takes = _takes(kind, value, mark)
        return Run(0, 0, 0, 0, some=True) if takes else NOTHING
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, body = value
        return _repeated(least, most, body, mark)
    if kind is op.SUBPATTERN:
        return _in_row(list(value[3]), mark)
    if kind is op.BRANCH:
        return _either([_in_row(list(each), mark) for each in value[1]])
    if kind is op.GROUPREF_EXISTS:
        return _either([_in_row(list(each or ()), mark) for each in value[1:]])
    if kind is op.POSSESSIVE_REPEAT:
        return _settled(_in_row(list(value[2]), mark), may_be_empty=value[0] == 0)
    if kind is op.ATOMIC_GROUP:
        return _settled(_in_row(list(value), mark), may_be_empty=False)
    if kind in (op.ASSERT, op.ASSERT_NOT):
        inner = _in_row(list(value[1]), mark)
        return EMPTY._replace(within=inner.within)
    if kind is op.AT and value is not op.AT_NON_BOUNDARY and mark != "\n":
        return NOTHING  # no border is inside a run
    return EMPTY  # also what refers to a group


def _repeated(least: int, most: Any, body: Any, mark: str) -> Run:
    run = _in_row(list(body), mark)
    if most < LONG:
        return run._replace(through=max(run.through, 0)) if least == 0 else run
    passes = run.through != NO and run.some
    if (passes and run.through > 0) or min(run.first, run.last) > 0:
        return Run(ENDLESS, ENDLESS, ENDLESS, ENDLESS, some=True)
    if passes:
        return Run(1, 1, 1, max(1, run.within), some=True)
    through = 0 if least == 0 else run.through
    return Run(through, run.first, run.last, max(run.within, run.first + run.last), some=False)


def _either(runs: Iterable[Run]) -> Run:
    each = list(runs)
    return Run(
        max(it.through for it in each),
        max(it.first for it in each),
        max(it.last for it in each),
        max(it.within for it in each),
        any(it.some for it in each),
    )


def _settled(run: Run, *, may_be_empty: bool) -> Run:
    """What was taken is not shared out again."""
    through = 0 if may_be_empty else min(run.through, 0)
    return Run(through, 0, 0, run.within, some=run.some)


def _takes(kind: Any, value: Any, mark: str) -> bool:
    if kind is op.LITERAL:
        return chr(value) == mark
    if kind is op.NOT_LITERAL:
        return chr(value) != mark
    if kind is op.ANY:
        return mark != "\n"
    return mark in _members(tuple(value))


@cache
def _members(items: tuple[Node, ...]) -> frozenset[str]:
    made = ""
    for kind, value in items:
        if kind is op.NEGATE:
            made += "^"
        elif kind is op.LITERAL:
            made += re.escape(chr(value))
        elif kind is op.RANGE:
            made += "-".join(re.escape(chr(it)) for it in value)
        else:
            made += CATEGORIES[value]
    return frozenset(re.findall(f"[{made}]", ALPHABET))
