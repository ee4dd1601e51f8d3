"""Lists of wordings as data: a TOML file a subject, read once, each list compiled at its first use.

A package that has such files makes a ``Lexicons`` of its name: rooms that may not import each other
share the form of their lists and the test that walks them.

A file holds lists, a list has entries. An entry has an ``id``, one of ``patterns``, ``words`` or
``groups`` (of words that belong together), an ``example`` that it matches or holds and a
``counterexample`` that it does not: one test walks them all. A list of patterns has a ``frame`` in
which ``…`` stands for its patterns; ``anchored`` says that it is matched at the beginning of a
text, ``cased`` that capitals count. In a frame and in a pattern ``‹name›`` stands for another list
of the same file. Whatever else an entry says is in ``fields``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.data_files import read_table
from schemas.patterns import compile_for_small, join_at_edges

SLOT = "…"
_GROUP = f"(?:{SLOT})"
_REFERENCE = re.compile(r"‹(\w+)›")
_OWN = ("id", "example", "counterexample", "patterns", "words", "groups")


@dataclass(frozen=True, slots=True)
class Entry:
    """One wording or a family of them; it has patterns, words or groups."""

    id: str
    example: str
    counterexample: str
    patterns: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    groups: tuple[tuple[str, ...], ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A list of a file, in the file's order."""

    entries: tuple[Entry, ...]
    frame: str = SLOT
    anchored: bool = False
    cased: bool = False

    def compile(self, *entries: Entry) -> re.Pattern[str]:
        """The pattern of these entries alone."""
        joined = "|".join(pattern for entry in entries for pattern in entry.patterns)
        flags = re.NOFLAG if self.cased else re.IGNORECASE
        return re.compile(self.frame.replace(SLOT, joined), flags)

    def compile_to_find(self, *entries: Entry) -> re.Pattern[str]:
        """One that is found where that of these entries is, perhaps as another match: in a text in
        small letters, unless it says that no case counts or the list minds it.
        """
        patterns = [pattern for entry in entries for pattern in entry.patterns]
        is_free = self.frame in (SLOT, _GROUP)
        joined = join_at_edges(patterns) if is_free else "|".join(patterns)
        pattern = joined if is_free else self.frame.replace(SLOT, joined)
        if self.cased:
            return re.compile(pattern)
        return compile_for_small(pattern) or re.compile(pattern, re.IGNORECASE)

    @property
    def words(self) -> frozenset[str]:
        """The words of all entries."""
        return frozenset().union(*(entry.words for entry in self.entries))


class Lexicons:
    """The files of ``package``."""

    def __init__(self, package: str) -> None:
        self._package = package

    @functools.cache  # noqa: B019  # a package makes one of them
    def read(self, file: str) -> dict[str, Lexicon]:
        """The lists of ``file``.toml by name."""
        tables = read_table(self._package, f"{file}.toml")
        return {name: _lexicon(table, tables) for name, table in tables.items()}

    def load_words(self, file: str, name: str) -> frozenset[str]:
        """All words of a list."""
        return self.read(file)[name].words

    def load_groups(self, file: str, name: str) -> tuple[tuple[str, ...], ...]:
        """The groups of words of a list in the file's order."""
        return tuple(group for entry in self.read(file)[name].entries for group in entry.groups)

    def list_ids(self, file: str, name: str) -> tuple[str, ...]:
        """The ids of a list's entries in the file's order."""
        return tuple(entry.id for entry in self.read(file)[name].entries)


def _lexicon(table: dict[str, Any], tables: dict[str, Any]) -> Lexicon:
    entries = tuple(
        Entry(
            id=it["id"],
            example=it["example"],
            counterexample=it["counterexample"],
            patterns=tuple(_resolve(pattern, tables) for pattern in it.get("patterns", ())),
            words=frozenset(_split(it.get("words", ""))),
            groups=tuple(tuple(group.split()) for group in it.get("groups", ())),
            fields={key: value for key, value in it.items() if key not in _OWN},
        )
        for it in table["entry"]
    )
    return Lexicon(
        entries,
        frame=_resolve(table.get("frame", SLOT), tables),
        anchored=table.get("anchored", False),
        cased=table.get("cased", False),
    )


def _split(words: str | list[str]) -> list[str]:
    """The words of a text, or of a list where some hold a blank."""
    return words.split() if isinstance(words, str) else words


def _resolve(pattern: str, tables: dict[str, Any]) -> str:
    """``pattern`` with the lists in place that it names."""
    return _REFERENCE.sub(lambda name: _alternatives(tables[name[1]], tables), pattern)


def _alternatives(table: dict[str, Any], tables: dict[str, Any]) -> str:
    joined = "|".join(pattern for entry in table["entry"] for pattern in entry["patterns"])
    return f"(?:{_resolve(table.get('frame', SLOT).replace(SLOT, joined), tables)})"


Find = Callable[..., re.Match[str] | None]  # of a text, from a place in it, to a place in it


class Wording:
    """Lists of one frame as one pattern, compiled when it is first asked for; of one ``entry``
    alone where that is named.
    """

    def __init__(self, lexicons: Lexicons, file: str, *names: str, entry: str = "") -> None:
        self._source = (lexicons, file, names, entry)

    def _read(self) -> tuple[Lexicon, list[Entry]]:
        """The list that gives the frame, and the entries of all."""
        lexicons, file, names, entry = self._source
        lists = [lexicons.read(file)[name] for name in names]
        return lists[0], [it for each in lists for it in each.entries if entry in ("", it.id)]

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        lexicon, entries = self._read()
        return lexicon.compile(*entries)

    @functools.cached_property
    def search(self) -> Find:
        return self.pattern.search

    @functools.cached_property
    def match(self) -> Find:
        return self.pattern.match

    @functools.cached_property
    def fullmatch(self) -> Find:
        return self.pattern.fullmatch

    @functools.cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self.pattern.finditer

    @functools.cached_property
    def sub(self) -> Callable[..., str]:
        return self.pattern.sub

    @functools.cached_property
    def split(self) -> Callable[..., list[str]]:
        return self.pattern.split

    @functools.cached_property
    def says(self) -> Callable[[str], bool]:
        """Whether it is found anywhere in a text: like ``search``, in a tenth of the time."""
        lexicon, entries = self._read()
        pattern = lexicon.compile_to_find(*entries)
        search = pattern.search
        if lexicon.cased or pattern.flags & re.IGNORECASE:
            return lambda text: search(text) is not None
        return lambda text: search(text.lower()) is not None
