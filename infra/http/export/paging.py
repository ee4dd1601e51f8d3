"""Entries on pages of bounded size, and links between them.

A template writes a link as a mark that names an entry; which page holds it is known only when all
entries are rendered. A mark begins with a control character, which no text on a page contains
(`visible` spells them), so no source can write one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

LARGEST = 700_000  # bytes of the entries of a page: with what is around them it stays below 1 MB
LINK = 30  # bytes of the name of a page
BEGIN, END = "\x02", "\x03"
_MARK = re.compile(f"{BEGIN}([^{END}]*){END}")


@dataclass(frozen=True, slots=True)
class Entry:
    """``anchor`` is its id within its page, and unique in the export; ``data`` is for its JSON."""

    anchor: str
    html: str
    data: Mapping[str, Any]

    @property
    def json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)

    @property
    def size(self) -> int:
        """Bytes of the larger of both, with room for the addresses of its links."""
        html = len(self.html.encode()) + self.html.count(BEGIN) * LINK
        return max(html, len(self.json.encode(errors="replace")))


@dataclass(frozen=True, slots=True)
class Part:
    """One page of a list; ``number`` counts from 1."""

    name: str
    number: int
    of: int
    entries: Sequence[Entry]


def mark(anchor: str) -> str:
    """Where an entry is, to be put in when all pages are filled."""
    return f"{BEGIN}{anchor}{END}"


def fill(name: str, entries: Iterable[Entry]) -> list[Part]:
    """At least one page, the first called ``name``; an entry is never divided."""
    groups = list(group_by_size(entries, lambda entry: entry.size)) or [[]]
    return [
        Part(page_name(name, number), number, len(groups), group)
        for number, group in enumerate(groups, 1)
    ]


def group_by_size(items: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in their order, together as long as they are below `LARGEST`."""
    group: list[T] = []
    filled = 0
    for item in items:
        size = size_of(item)
        if group and filled + size > LARGEST:
            yield group
            group, filled = [], 0
        group.append(item)
        filled += size
    if group:
        yield group


def page_name(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def places_of(parts: Iterable[Part]) -> dict[str, str]:
    """The address of each entry, by its anchor."""
    return {
        entry.anchor: f"{part.name}.html#{entry.anchor}" for part in parts for entry in part.entries
    }


def put_links(html: str, places: Mapping[str, str]) -> str:
    """Raises KeyError for a link to an entry that is on no page."""
    return _MARK.sub(lambda match: places[match[1]], html)
