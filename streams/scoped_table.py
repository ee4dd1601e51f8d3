"""One project's part of a table, so that nobody builds keys by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar, overload

from streams.stage import Table

V = TypeVar("V")


class ScopedTable(Generic[V]):
    """The rows of ``table`` whose key begins with the parts of ``scope``, each followed by ``|``.

    Callers name a row by the rest of its key, and get the rest back.
    """

    def __init__(self, table: Table[V], *scope: str) -> None:
        self._table = table
        self._prefix = "".join(f"{part}|" for part in scope)

    def under(self, *scope: str) -> ScopedTable[V]:
        """The rows whose key goes on with ``scope``."""
        return ScopedTable(self._table, self._prefix[:-1], *scope)

    def items(self) -> Iterator[tuple[str, V]]:
        """In key order."""
        begin = len(self._prefix)
        for key, value in self._table.with_prefix(self._prefix):
            yield key[begin:], value

    def values(self) -> Iterator[V]:
        """In key order."""
        for _, value in self._table.with_prefix(self._prefix):
            yield value

    @overload
    def get(self, key: str) -> V | None: ...
    @overload
    def get(self, key: str, default: V) -> V: ...
    def get(self, key: str, default: V | None = None) -> V | None:
        return self._table.get(self._prefix + key, default)

    def setdefault(self, key: str, default: V) -> V:
        return self._table.setdefault(self._prefix + key, default)

    def __getitem__(self, key: str) -> V:
        return self._table[self._prefix + key]

    def __setitem__(self, key: str, value: V) -> None:
        self._table[self._prefix + key] = value

    def __delitem__(self, key: str) -> None:
        del self._table[self._prefix + key]

    def __contains__(self, key: str) -> bool:
        return self._prefix + key in self._table
