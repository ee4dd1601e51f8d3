"""No pattern of the house takes time that doubles with each further repetition."""

from __future__ import annotations

import multiprocessing
import re
import signal
from collections.abc import Iterator

import pytest

from tests.patterns.house import patterns

REPEATED = re.compile(r"[*+}].*\)[*+{]", re.DOTALL)  # a repetition within one
WORDS = re.compile(r"[A-Za-z]{3,}")
NAMES = re.compile(r"\\.|\(\?P?<\w+>")
REPEATS = 32  # two ways for each repeat are four thousand million ways
LIMIT = 1.0  # seconds of processor time; what is no doubling takes thousandths
PATIENCE = 150  # seconds for all


def test_no_nested_repetition_doubles() -> None:
    """In a child process, for a search that never ends cannot be left otherwise."""
    context = multiprocessing.get_context("fork")
    told = context.SimpleQueue()
    checked = [it for it in patterns() if REPEATED.search(it.pattern.pattern)]
    assert len(checked) > 100
    child = context.Process(target=lambda: told.put(list(_too_slow())))
    child.start()
    child.join(PATIENCE)
    child.kill()
    assert child.exitcode == 0 and told.get() == []


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


def _too_slow() -> Iterator[tuple[str, str]]:
    for held in patterns():
        if REPEATED.search(held.pattern.pattern):
            for text in _texts(held.pattern.pattern):
                if _takes_too_long(held.pattern, text):
                    yield held.place, text
                    break


def _texts(source: str) -> Iterator[str]:
    """A word of the pattern, its own marks repeated, and what it does not expect."""
    words = WORDS.findall(NAMES.sub("", source))
    starts = ["", *(f"{it} 1 " for it in words[:1])]
    for mark in dict.fromkeys([*(it for it in source if not it.isalnum()), *".,-"]):
        for pump in (mark, f"{mark} ", f"1{mark}"):
            for start in starts:
                yield start + pump * REPEATS + "\0"


def _takes_too_long(pattern: re.Pattern[str], text: str) -> bool:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        pattern.search(text)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return False
