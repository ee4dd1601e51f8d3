"""Headings and wordings that tell the section of a statement, read once from ``placement.toml``.

Data, so that a wording can be added with an example and a counterexample and without code; one test
walks them all. The lexicons of the offline reader are of the same kind and stay its own: a stage
imports no reader.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from schemas.bounded_cache import MIB, bounded_cache
from schemas.patterns import compile_for_small

Table = Literal["heading", "wording"]
NOWHERE, ELSEWHERE = "nowhere", "elsewhere"
MOST_WORDS = 7  # of a heading that announces a section; a longer one tells a matter of its own
REACH = (1.0, 0.7, 0.5)  # how much the nearest heading tells, and those above it
_NUMBERING = re.compile(r"^(?:[\divx]+(?:[.)][\divx]*)+|\d+)\s+", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One wording or a family of them, and ``of`` which list it is.

    ``pattern`` minds no case. ``bare`` is the same for texts in small letters; None where the
    wording has capitals of its own.
    """

    id: str
    of: str
    pattern: re.Pattern[str]
    bare: re.Pattern[str] | None
    example: str
    counterexample: str


@functools.cache
def read_entries(table: Table) -> tuple[Entry, ...]:
    """The entries of a table in the file's order."""
    text = resources.files(__package__).joinpath("placement.toml").read_text(encoding="utf-8")
    return tuple(_read_entry(row) for row in tomllib.loads(text)[table])


def _read_entry(row: dict[str, Any]) -> Entry:
    joined = "|".join(f"(?:{pattern})" for pattern in row["patterns"])
    return Entry(
        id=row["id"],
        of=row["of"],
        pattern=re.compile(joined, re.IGNORECASE),
        bare=compile_for_small(joined),
        example=row["example"],
        counterexample=row["counterexample"],
    )


@bounded_cache(2 * MIB, 2)
def find_heading(heading: str) -> str:
    """The section a heading announces, ``nowhere`` for one whose text tells nothing, or nothing."""
    bare = " ".join(_SIGNS.sub(" ", _NUMBERING.sub("", heading.strip()).lower()).split())
    of = next((entry.of for entry in read_entries("heading") if entry.pattern.fullmatch(bare)), "")
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
    small = text.lower()
    return frozenset(entry.of for entry in read_entries("wording") if _is_in(entry, text, small))


def _is_in(entry: Entry, text: str, small: str) -> bool:
    match = entry.bare.search(small) if entry.bare else entry.pattern.search(text)
    return match is not None
