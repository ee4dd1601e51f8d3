"""Headings and wordings that tell the section of a statement, from ``placement.toml``."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Literal

from schemas.bounded_cache import MIB, bounded_cache
from streams.lexicons import Wording, read_lexicons

Table = Literal["heading", "wording"]
NOWHERE, ELSEWHERE = "nowhere", "elsewhere"
MOST_WORDS = 7  # of a heading that announces a section; a longer one tells a matter of its own
REACH = (1.0, 0.7, 0.5)  # how much the nearest heading tells, and those above it
_NUMBERING = re.compile(r"^(?:[\divx]+(?:[.)][\divx]*)+|\d+)\s+", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w]+")


@functools.cache
def _list_wordings(table: Table) -> tuple[tuple[str, Wording], ...]:
    """The entries of a table in the file's order, each with what it tells."""
    return tuple(
        (entry.of, Wording("placement", table, entry=entry.id))
        for entry in read_lexicons("placement")[table].entries
    )


@bounded_cache(2 * MIB, 2)
def find_heading(heading: str) -> str:
    """The section a heading announces, ``nowhere`` for one whose text tells nothing, or nothing."""
    bare = " ".join(_SIGNS.sub(" ", _NUMBERING.sub("", heading.strip()).lower()).split())
    of = next((of for of, heading in _list_wordings("heading") if heading.match(bare)), "")
    told = of in (NOWHERE, ELSEWHERE) or len(bare.split()) <= MOST_WORDS
    return of if told else ""


def weigh_headings(path: Sequence[str]) -> dict[str, float]:
    """The sections that the headings above a statement announce, by how near they are."""
    found: dict[str, float] = {}
    for heading, weight in zip(reversed(path), REACH, strict=False):
        if section := find_heading(heading):
            found.setdefault(section, weight)
    return found


@bounded_cache(4 * MIB, 3)  # a text comes back whenever its atom changes
def find_wordings(text: str) -> frozenset[str]:
    """The lists of which a wording is found in ``text``."""
    return frozenset(of for of, wording in _list_wordings("wording") if wording.says(text))
