"""Functions that decide on texts answer every text: none raises, whatever stands there.

The functions are found, not listed: all public ones of the stages and of the reader by rules that
take nothing but texts. CAIRN_TEST_TEXTS=200 texts for each of them is the long form.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import typing
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.project.scheduling_words import read_schedules
from streams.hygiene.stage import clean
from streams.ledger.figures.quantities import equal, exclude, quantities_of
from streams.ledger.opposition.duplicates import likeness
from streams.ledger.opposition.opposition import opposition
from tests.hygiene.builders import a_source

TEXTS = int(os.environ.get("CAIRN_TEST_TEXTS", "2"))
PACKAGES = (
    "schemas",
    "streams.hygiene",
    "streams.reflection",
    "streams.ledger",
    "streams.reduce",
    "streams.run_control",
    "agents.offline",
)
# What takes a name of ours, or refuses a text by an error that its callers expect; functions whose
# docstring says what they raise are left out as well.
NAMED = {
    "agents.offline.lexicons": "names of our files",
    "schemas.lexicons": "names of our files",
    "schemas.linear": "names of our files",
    "agents.offline.segment.masks.mask": "a sign of its own table",
    "schemas.asyncapi": "names of our schemas",
    "schemas.code_version": "names of our packages",
    "schemas.patterns.compile_for_small": "a pattern",
    "schemas.patterns.join_at_edges": "patterns",
    "schemas.topics.is_kept_whole": "names of our topics",
    "streams.hygiene.chunks.python.syntax_tree": "SyntaxError where it is no Python",
    "streams.ledger.likeness.weighing.load_weights": "names of our files",
    "streams.reduce.artifacts.items.item_titled": "names of our items",
}
_WORDS_TEXT = """
    the must not we $ 5 5,000 € EUR 1.2.3 ２ ٣ ² ½ Ⅷ ① per month every p.a. Option # ## - * | ---
    [x](y) <a> & ; : , . ! ? ( ) { } [ ] ` ``` ' \" \\ / = -- – ~~ __ ** @bob ABC-12 5%
    2024-02-30 99/99/2024 31.12.9999 25:61 12:30pm PT5M P1D 0x1F 1e9 -5 lakh million between and to
    sunday except decided: Decision: TODO Given When Then 😀 ﷽ ß İ ı ǅ 〇 五 zwanzig null ²% ٣٣:٤٤
    #12 5th 0000-00-00
"""
WORDS = [
    *_WORDS_TEXT.split(),
    *("December 9999", "Q4 9999", "year 9999", "\u0301", "\u200b", "\u202e", "\u2028", "\u00a0"),
    *("\n", "\n\n", "\t", "\r", "\x0b", "\x0c", "\x1f", "  ", " ", ""),
    *(mark * 90 for mark in ("1.", "A", "(", "[", "* ", "x" * 10)),
    *("1" * 5_000, "0x" + "f" * 5_000, "9" * 5_000 + "th", "9" * 5_000 + "h30m", "9" * 5_000 + "s"),
    *("v" + "1" * 5_000, "#" + "7" * 5_000, "P" + "9" * 5_000 + "D", "PT" + "9" * 5_000 + "S"),
]
MONEY = ("$2,000", "€5", "5 EUR", "USD 50", "50 XQX", "₹12", "1.000 €", "90¢", "-$5", "$5 m", "7")
BEHIND = ("", "k", " million", " lakh", " a", "M", " GB", " A", " h", " per user", " requests")
TIMES = ("", " a year", "/mo", " p.a.", " pcm", " monthly", " every 3 weeks", " a day per seat")
RANGES = ("{0}", "{0} to {0}", "{0}-{0}", "between {0} and {0}", "up to {0}", "{0} or more")
DATES = ("", " on 3 May 2024", " at 5 p.m.", " since Q3", " every 2 h", " by 03/04/2025")


@cache
def functions() -> tuple[tuple[str, Callable[..., object], int], ...]:
    """The public functions that need texts and nothing else: name, function, how many texts."""
    found = {}
    for package in PACKAGES:
        root = importlib.import_module(package)
        for each in pkgutil.walk_packages(root.__path__, f"{package}."):
            module = importlib.import_module(each.name)
            for name, function in list(vars(module).items()):
                if not callable(function):
                    continue
                plain = inspect.unwrap(function)
                place = f"{module.__name__}.{name}"
                if (
                    inspect.isfunction(plain)
                    and plain.__module__ == module.__name__
                    and not name.startswith("_")
                    and not place.startswith(tuple(NAMED))
                    and "Raises" not in (plain.__doc__ or "")
                    and (count := _texts_of(plain))
                ):
                    found[place] = (place, function, count)
    return tuple(found.values())


def _texts_of(function: Callable[..., object]) -> int:
    """How many texts it needs; 0 where it needs something else too."""
    needed = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    if any(each.kind is each.KEYWORD_ONLY for each in needed):
        return 0
    hints = typing.get_type_hints(function)
    return len(needed) if all(hints.get(each.name) is str for each in needed) else 0


def texts(seed: str, count: int) -> Iterator[str]:
    random = Random(seed)
    for _ in range(count):
        words = random.choices(WORDS, k=random.choice((1, 1, 2, 3, 5, 12)))
        yield random.choice(("", " ", " ")).join(words)


def test_every_function_of_texts_answers_every_text() -> None:
    assert len(functions()) > 200
    raised = []
    for name, function, count in functions():
        for turn in range(TEXTS):
            given_texts = list(texts(f"{name} {turn}", count))
            try:
                answer = function(*given_texts)
                if inspect.isgenerator(answer):
                    list(answer)
            except Exception as error:
                raised.append(f"{name}{tuple(each[:80] for each in given_texts)}: {error!r}")
    assert raised == []


def test_figures_of_every_make_are_read() -> None:
    """Of money, units, scales, rates, ranges and dates; each figure lies in its text."""
    made = list(product(MONEY, BEHIND, TIMES, RANGES, DATES))
    for amount, behind, time, form, date in Random(1).sample(made, min(len(made), 300 * TEXTS)):
        text, other = (
            f"It costs {form.format(each + behind)}{time}{date}."
            for each in (amount, amount.replace("5", "9"))
        )
        end = 0
        for each in quantities_of(text):
            assert end <= each.start < each.end <= len(text), text
            assert equal(each, each) and not exclude(each, each), text
            end = each.end
        assert 0 <= opposition(text, other).score <= 1


@settings(max_examples=20 * TEXTS, deadline=None, derandomize=True)
@given(st.text(), st.text())
def test_any_two_texts_are_compared(one: str, other: str) -> None:
    """Lone halves of surrogate pairs too: a model may answer with them."""
    assert 0 <= opposition(one, other).score <= 1
    assert likeness(one, other).fate in ("merge", "review", "apart")
    read_schedules(one, datetime(2026, 5, 7, tzinfo=UTC), "Europe/Berlin")


@settings(max_examples=20 * TEXTS, deadline=None, derandomize=True)
@given(st.binary(), st.sampled_from(("docs/lanes.md", "lanes.py", "lanes.csv", "lanes.rst")))
def test_any_bytes_are_cleaned(content: bytes, path: str) -> None:
    assert clean(a_source(path), content).raw_sha256
