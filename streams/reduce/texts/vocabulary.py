"""Headings and wordings that tell the section of a statement, from ``placement.toml``."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from schemas.bounded_cache import MIB, bounded_cache
from streams.headings import find_heading
from streams.lexicons import Wording, read_lexicons

REACH = (1.0, 0.7, 0.5)  # how much the nearest heading tells, and those above it


@functools.cache
def _list_wordings() -> tuple[tuple[str, Wording], ...]:
    """The wordings in the file's order, each with what it tells."""
    return tuple(
        (entry.fields["of"], Wording("placement", "wording", entry=entry.id))
        for entry in read_lexicons("placement")["wording"].entries
    )


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
    return frozenset(of for of, wording in _list_wordings() if wording.says(text))
