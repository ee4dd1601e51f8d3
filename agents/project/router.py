"""Routes requests by rule, from the table in `routes.toml`: without a model it decides, with one it
is the second opinion.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

from agents.project.lexicons import Wording
from agents.project.state import NextAgent

TABLE = Path(__file__).with_name("routes.toml")
WORD = re.compile(r"[\w'-]+")
POLITE = Wording("answers", "polite")
NEAR = 5  # words behind a verb in which its object is looked for
ANY = "*"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of request, where it goes, and the words that tell it."""

    request: str
    route: NextAgent
    example: tuple[str, ...]
    counterexample: tuple[str, ...]
    whole: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    def fits(self, words: Sequence[str]) -> bool:
        if _has_any(words, self.unless):
            return False
        if " ".join(words) in self.whole or _has_any(words, self.phrases):
            return True
        if self.begins:
            return _has_word(words[:1], self.begins) and _has_word(
                words[1 : NEAR + 1], self.objects
            )
        return _has_word(words, self.verbs) and _has_word(words, self.objects)


@cache
def read_rows() -> tuple[Row, ...]:
    """The table, in the order in which its rows are tried."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(_read_row(row) for row in table["row"])


def route_by_rule(request: str) -> Row:
    """The first row that fits; the last one fits everything."""
    words = split_words(request)
    return next((row for row in read_rows() if row.fits(words)), read_rows()[-1])


def split_words(request: str) -> list[str]:
    """The words of a request in lower case, without what is only polite at its beginning."""
    words = WORD.findall(request.lower().replace("’", "'"))
    return POLITE.sub("", " ".join(words)).split()


def _read_row(row: dict[str, str | list[str]]) -> Row:
    fields = {
        name: value if isinstance(value, str) else tuple(value) for name, value in row.items()
    }
    if row["route"] not in get_args(NextAgent):
        raise ValueError(f"routes.toml names no agent: {row['route']}")
    return Row(**fields)  # type: ignore[arg-type]


def _has_word(words: Iterable[str], patterns: Sequence[str]) -> bool:
    return any(_equals(word, pattern) for word in words for pattern in patterns)


def _has_any(words: Sequence[str], phrases: Sequence[str]) -> bool:
    return any(_has_phrase(words, phrase.split()) for phrase in phrases)


def _has_phrase(words: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(
        all(map(_equals, words[at : at + size], phrase)) for at in range(len(words) - size + 1)
    )


def _equals(word: str, pattern: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith(ANY) else word == pattern
