"""Orders to a model in other languages than English, made of the stems in ``languages.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from schemas.lexicons import Entry
from streams.hygiene.lexicons import read_lexicons

GAP = r"[^.!?。！？؟।\n]{0,40}?"
REACH_BACK = 110  # characters: two gaps with the words around them


class Order(NamedTuple):
    """A pattern for `Rule`: looked for from ``back`` characters before one of the anchors."""

    rule_id: str
    anchors: tuple[str, ...]
    pattern: str
    back: int


def list_orders() -> Iterator[Order]:
    """The patterns of all languages."""
    for language in read_lexicons("languages")["languages"].entries:
        yield from list_orders_in(language)


def list_orders_in(language: Entry) -> Iterator[Order]:
    it, verb_first = language.fields, language.fields.get("verb_first", False)
    groups = [_any_of(stems(it[group])) for group in ("leave", "before", "instructions")]
    orders = ((groups[0], *rest) for rest in permutations(groups[1:]))
    chosen = orders if verb_first else permutations(groups)
    pattern = "|".join(map(GAP.join, chosen))
    yield Order("A-IGNORE", stems(it["leave"]), pattern, 0 if verb_first else REACH_BACK)
    asked = permutations((_any_of(stems(it["tell"])), _any_of(stems(it["prompt"]))))
    yield Order("A-SYSTEM", stems(it["prompt"]), "|".join(map(GAP.join, asked)), REACH_BACK)


def stems(words: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in words.split())


def _any_of(words: tuple[str, ...]) -> str:
    """One of the stems; where words stand apart, only at the beginning of one."""
    start = r"(?<!\w)" if words[0][0] < "\u0e00" else ""
    return f"{start}(?:{'|'.join(map(re.escape, words))})"
