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
from typing import Literal

from schemas.bounded_cache import MIB, bounded_cache

Table = Literal["heading", "wording"]
NOWHERE = "nowhere"
REACH = (1.0, 0.7, 0.5)  # how much the nearest heading tells, and those above it
_NUMBERING = re.compile(r"^(?:[\divx]+(?:[.)][\divx]*)+|\d+)\s+", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One wording or a family of them, and ``of`` which list it is."""

    id: str
    of: str
    pattern: re.Pattern[str]
    example: str
    counterexample: str


@functools.cache
def read_entries(table: Table) -> tuple[Entry, ...]:
    """The entries of a table in the file's order."""
    text = resources.files(__package__).joinpath("placement.toml").read_text(encoding="utf-8")
    return tuple(
        Entry(
            id=row["id"],
            of=row["of"],
            pattern=re.compile("|".join(f"(?:{one})" for one in row["patterns"]), re.IGNORECASE),
            example=row["example"],
            counterexample=row["counterexample"],
        )
        for row in tomllib.loads(text)[table]
    )


@bounded_cache(2 * MIB, 2)
def find_heading(heading: str) -> str:
    """The section a heading announces, ``nowhere`` for one whose text tells nothing, or nothing."""
    bare = " ".join(_SIGNS.sub(" ", _NUMBERING.sub("", heading.strip()).lower()).split())
    return next((one.of for one in read_entries("heading") if one.pattern.fullmatch(bare)), "")


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
    return frozenset(one.of for one in read_entries("wording") if one.pattern.search(text))
