"""One table of a state file: a write-back cache over SQLite, and how much all of them may hold."""

from __future__ import annotations

import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableMapping
from itertools import islice
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from pydantic import TypeAdapter, ValidationError

from infra.platform.settings import MIB

V = TypeVar("V")
CACHE_BYTES = 64 * MIB  # of all tables of the process, however many partitions it has
VALUE_WEIGHT = 5  # bytes as Python objects for one as written: an atom is 1.3 kB and 6.5 kB
ENTRY_BYTES = 250  # what a cached entry takes beside its value
KEY_BYTES = 110  # what a known key takes beside its letters
UNWRITTEN_BYTES = 2 * MIB  # of one table until the next commit, by the size of what it wrote last
USUAL_BYTES = 1_300  # of a value as written, before any was
KNOWN_KEYS = 50_000  # of one table: what is not among them is absent without asking the file
FIRST_PAGE, LARGEST_PAGE = 8, 2_048
REMEMBERED_SCANS = 64  # of a table, none longer than the first page
LAST_CHARACTER = chr(0x10FFFF)
PACKED_FROM_BYTES = 100  # a shorter value does not get shorter
PACKED = b"x"  # how zlib's form begins, and no JSON
QUICKEST = 1  # of zlib's levels; the slower ones save two percent more


class DoubtfulStore(sqlite3.DatabaseError):
    """What a store holds is not what was put there, though the database knows no error."""


class Cached:
    """How many bytes all tables of the process hold in memory of what is in their files.

    When they are too many, the table that has the most gives half of its own back.
    """

    def __init__(self) -> None:
        self._tables: WeakValueDictionary[int, StoredTable[Any]] = WeakValueDictionary()
        self._bytes = 0

    def join(self, table: StoredTable[Any]) -> None:
        self._tables[id(table)] = table

    def hold(self, count: int) -> None:
        """So many more; fewer when it is negative."""
        self._bytes += count
        if count > 0 and self._bytes > CACHE_BYTES:
            self._make_room()

    def _make_room(self) -> None:
        tables = list(self._tables.values())
        self._bytes = sum(table.cached_bytes for table in tables)
        while self._bytes > CACHE_BYTES:
            max(tables, key=lambda table: table.cached_bytes).give_back()


CACHED = Cached()


class StoredTable(MutableMapping[str, V], Generic[V]):
    """One table: a write-back cache over SQLite; see ``streams.stage.Table``.

    Scans write what is unwritten first, inside the open transaction, so they see everything. Most
    look-ups are for keys that are not there: the keys of a table that is not large are in memory.
    """

    def __init__(self, database: sqlite3.Connection, name: str, kind: type[V]) -> None:
        self._database = database
        self._values: TypeAdapter[V] = TypeAdapter(kind)
        self._name = '"t_' + name.replace('"', '""') + '"'
        self._clean: OrderedDict[str, tuple[V, int]] = OrderedDict()  # with their bytes
        self._dirty: dict[str, V] = {}
        self._deleted: set[str] = set()
        self._usual_bytes = USUAL_BYTES
        self._scans: dict[str, list[str]] = {}  # short ones, by prefix, while their keys stay
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {self._name}"
            " (key TEXT PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID"
        )
        found = database.execute(f"SELECT key FROM {self._name} LIMIT ?", (KNOWN_KEYS + 1,))
        self._known: set[str] | None = set(_texts(found))
        self.cached_bytes = 0
        CACHED.join(self)
        self._hold(sum(map(_key_bytes, self._known)))
        self._bound_known()

    def __getitem__(self, key: str) -> V:
        if key in self._dirty:
            return self._dirty[key]
        if key in self._deleted or self._absent(key):
            raise KeyError(key)
        if key in self._clean:
            self._clean.move_to_end(key)
            return self._clean[key][0]
        row = self._database.execute(
            f"SELECT value, checksum FROM {self._name} WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            if self._known is not None:
                raise DoubtfulStore(f"a row of table {self._name} is gone")
            raise KeyError(key)
        return self._keep(key, *self._read(key, *row))

    def __setitem__(self, key: str, value: V) -> None:
        if key not in self._dirty and not self._drop(key):
            self._forget_scans(key)
        self._deleted.discard(key)
        self._dirty[key] = value
        if self._known is not None and key not in self._known:
            self._known.add(key)
            self._hold(_key_bytes(key))
            self._bound_known()
        if len(self._dirty) * _cached_bytes(key, self._usual_bytes) > UNWRITTEN_BYTES:
            self.write()

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._drop(key)
        self._dirty.pop(key, None)
        self._deleted.add(key)
        if self._known is not None and key in self._known:
            self._known.remove(key)
            self._hold(-_key_bytes(key))
        self._forget_scans(key)

    def __contains__(self, key: object) -> bool:
        if key in self._dirty or key in self._clean:
            return True
        if key in self._deleted:
            return False
        if self._known is not None:
            return key in self._known
        found = self._database.execute(f"SELECT 1 FROM {self._name} WHERE key = ?", (key,))
        return found.fetchone() is not None

    def __iter__(self) -> Iterator[str]:
        return self._keys("")

    def __len__(self) -> int:
        self.write()
        counted = self._database.execute(f"SELECT count(*) FROM {self._name}").fetchone()
        return int(counted[0])

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, V]]:
        for key in self._keys(prefix):
            if key in self:  # what the caller deletes on the way is left out
                yield key, self[key]

    def write(self) -> None:
        """What is unwritten goes into the open transaction."""
        if self._deleted:
            self._database.executemany(
                f"DELETE FROM {self._name} WHERE key = ?", [(key,) for key in self._deleted]
            )
            self._deleted.clear()
        if self._dirty:
            texts = {key: self._values.dump_json(value) for key, value in self._dirty.items()}
            self._database.executemany(
                f"INSERT OR REPLACE INTO {self._name} VALUES (?, ?, ?)",
                (_row(key, text) for key, text in texts.items()),
            )
            self._usual_bytes = sum(map(len, texts.values())) // len(texts)
            written, self._dirty = self._dirty, {}
            for key, text in texts.items():
                self._keep(key, written[key], len(text))

    def forget(self) -> None:
        """Nothing is cached: after a rollback, which may bring keys back."""
        self._known = None
        self._clean.clear()
        self._hold(-self.cached_bytes)
        self._dirty.clear()
        self._deleted.clear()
        self._scans.clear()

    def give_back(self) -> None:
        """Drop the longest unread half of the values, or the known keys when there is none."""
        if not self._clean:
            self._forget_known()
        for key in list(islice(self._clean, (len(self._clean) + 1) // 2)):
            self._drop(key)

    def _hold(self, count: int) -> None:
        self.cached_bytes += count
        CACHED.hold(count)

    def _drop(self, key: str) -> bool:
        """Whether the value of ``key`` was cached; it is no more."""
        found = self._clean.pop(key, None)
        if found is None:
            return False
        self._hold(-found[1])
        return True

    def _read(self, key: str, written: object, checksum: object) -> tuple[V, int]:
        """The value of a row, and how long it is as JSON. Raises DoubtfulStore when it is not the
        one that was put.
        """
        if not isinstance(written, bytes) or checksum != _checksum(key, written):
            raise DoubtfulStore(f"a value of table {self._name} is not the one that was put")
        try:
            text = zlib.decompress(written) if written.startswith(PACKED) else written
            return self._values.validate_json(text), len(text)
        except (ValidationError, zlib.error):  # it would name the value
            raise DoubtfulStore(f"a value of table {self._name} cannot be read") from None

    def _absent(self, key: str) -> bool:
        """Whether the key is known not to be there."""
        return self._known is not None and key not in self._known

    def _bound_known(self) -> None:
        if self._known is not None and len(self._known) > KNOWN_KEYS:
            self._forget_known()

    def _forget_known(self) -> None:
        known, self._known = self._known or (), None
        self._hold(-sum(map(_key_bytes, known)))

    def _forget_scans(self, key: str) -> None:
        for prefix in [scan for scan in self._scans if key.startswith(scan)]:
            del self._scans[prefix]

    def _keys(self, prefix: str) -> Iterator[str]:
        """Page by page, so that a caller who wants the first few pays for the first few."""
        if (known := self._scans.get(prefix)) is not None:
            yield from list(known)
            return
        after, inclusive, page = prefix, True, FIRST_PAGE
        while True:
            self.write()
            rows = self._database.execute(
                f"SELECT key FROM {self._name} WHERE key {'>=' if inclusive else '>'} ?"
                " AND key <= ? ORDER BY key LIMIT ?",
                (after, prefix + LAST_CHARACTER, page),
            ).fetchall()
            keys = _texts(rows)
            if inclusive and len(keys) < page:
                if len(self._scans) >= REMEMBERED_SCANS:
                    self._scans.clear()
                self._scans[prefix] = list(keys)
            yield from keys
            if len(keys) < page:
                return
            after, inclusive, page = keys[-1], False, min(4 * page, LARGEST_PAGE)

    def _keep(self, key: str, value: V, written_bytes: int) -> V:
        self._drop(key)
        size = _cached_bytes(key, written_bytes)
        self._clean[key] = value, size
        self._hold(size)
        return value


def _cached_bytes(key: str, written_bytes: int) -> int:
    return len(key) + ENTRY_BYTES + VALUE_WEIGHT * written_bytes


def _key_bytes(key: str) -> int:
    return len(key) + KEY_BYTES


def _row(key: str, text: bytes) -> tuple[str, bytes, int]:
    """Packed, since SQLite gives a row of more than a quarter of a page whole pages of its own."""
    written = zlib.compress(text, QUICKEST) if len(text) > PACKED_FROM_BYTES else text
    return key, written, _checksum(key, written)


def _checksum(key: str, written: bytes) -> int:
    return zlib.crc32(written, zlib.crc32(key.encode()))


def _texts(rows: Iterable[tuple[Any]]) -> list[str]:
    """The keys of rows. Raises DoubtfulStore when one is no text."""
    keys = [key for (key,) in rows]
    if not all(isinstance(key, str) for key in keys):
        raise DoubtfulStore("a key is no text")
    return keys
