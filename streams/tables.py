"""Tables in memory, for the in-memory driver; stored tables are tested against them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from sortedcontainers import SortedDict

from streams.stage import Table

V = TypeVar("V")


class MemoryTable(SortedDict, Table[Any]):  # type: ignore[misc]  # sortedcontainers is untyped
    """An ordered mapping; see ``streams.stage.Table``."""

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, Any]]:
        for key in list(self.irange(prefix, prefix + chr(0x10FFFF))):
            yield key, self[key]


class MemoryTables:
    """Tables that live as long as this object; see ``streams.stage.Tables``."""

    def __init__(self) -> None:
        self._tables: dict[str, MemoryTable] = {}

    def table(self, name: str, kind: type[V]) -> Table[V]:
        return cast(Table[V], self._tables.setdefault(name, MemoryTable()))
