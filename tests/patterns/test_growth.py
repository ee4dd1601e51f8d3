"""No pattern of the house shares out a text in ways that double, or in more than n² ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from agents.offline.recognise.moods import find_asking, find_need
from schemas.generality import general
from streams.hygiene.prompt_injection.disguise import views
from tests.patterns.degrees import ENDLESS, degree_of
from tests.patterns.growth import LONG_TEXT, ends
from tests.patterns.house import patterns

MOST_SHARE = 2  # repetitions side by side that take the same characters
REPEATED = re.compile(r"[*+}].*\)[*+{]", re.DOTALL)  # a repetition within one
WORDS = re.compile(r"[A-Za-z]{3,}")
NAMES = re.compile(r"\\.|\(\?P?<\w+>")
REPEATS = 32  # two ways for each repeat are four thousand million ways
LIMIT = 1.0  # seconds of processor time; what is no doubling takes thousandths


def test_no_pattern_shares_out_a_run_among_many_repetitions() -> None:
    found = {held.place: degree_of(held.pattern) for held in patterns()}
    assert len(found) > 1_000
    assert {place: it for place, it in found.items() if it[0] > MOST_SHARE} == {}


@pytest.mark.parametrize(
    ("source", "degree"),
    [
        (r"(?:a+)+b", ENDLESS),
        (r"(?:\s*x\s*)*y", ENDLESS),
        (r"(?:\w+_*)+ ", ENDLESS),
        (r"(?:[ \t]*>[> \t]*\n?)+", ENDLESS),
        (r"(?:[^,]+,)*", 1),
        (r"(?:[ \t]*>[> \t]*+\n?)+", 1),
        (r"(?:^>.*$)+", 1),
        (r"\s*,?\s*;?\s*x", 3),
        (r"\s*+,?\s*+;?\s*x", 1),
        (r"(?:.*a|b.*)(?P<rest>.*?)[a ]*$", 3),
        (r"\w+ \w+\s+", 1),
        (r"[a-z]{2,40}[a-z]{2,3}x", 1),
        (r"(?=.*a)\d*\w*", 2),
    ],
)
def test_repetitions_that_share_are_counted(source: str, degree: int) -> None:
    assert degree_of(re.compile(source))[0] == degree


def test_no_nested_repetition_doubles() -> None:
    """Words of several characters, which the tree does not tell, are tried."""
    checked = [it for it in patterns() if REPEATED.search(it.pattern.pattern)]
    assert len(checked) > 100
    slow = {
        held.place: text
        for held in checked
        for text in _texts(held.pattern.pattern)
        if _takes_too_long(held.pattern, text)
    }
    assert slow == {}


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        (r"(?:\W|\d[\d.]*\W)*option", r"(?:[\W\d]*\W)?option"),
        (r"options?\s+\d(?:(?:\s*(?:,|&)\s*)+\d)*x", r"options?\s+\d(?:(?:\s*(?:,|&))+\s*\d)*x"),
    ],
)
def test_a_pattern_that_doubles_is_found(source: str, mended: str) -> None:
    assert any(_takes_too_long(re.compile(source), text) for text in _texts(source))
    assert not any(_takes_too_long(re.compile(mended), text) for text in _texts(mended))


def _texts(source: str) -> Iterator[str]:
    """A word of the pattern, its own marks repeated, and what it does not expect."""
    words = WORDS.findall(NAMES.sub("", source))
    starts = ["", *(f"{it} 1 " for it in words[:1])]
    for mark in dict.fromkeys([*(it for it in source if not it.isalnum()), *".,-"]):
        for pump in (mark, f"{mark} ", f"1{mark}"):
            for start in starts:
                yield start + pump * REPEATS + "\0"


def _takes_too_long(pattern: re.Pattern[str], text: str) -> bool:
    return not ends(lambda: pattern.search(text), LIMIT)


@pytest.mark.parametrize("ending", ["", " x", "é", "?"])
@pytest.mark.parametrize("part", ["a", "a/b.", "QWxhZGRp", "1 "])
@pytest.mark.parametrize("call", [find_asking, find_need, general, views])
def test_long_texts_are_read_in_time_that_grows_with_them(
    call: Callable[[str], object], part: str, ending: str
) -> None:
    def read() -> None:
        answer = call(part * (LONG_TEXT // len(part)) + ending)
        if isinstance(answer, Iterator):
            list(answer)

    assert ends(read)
