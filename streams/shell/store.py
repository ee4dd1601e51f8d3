"""Tables of one writer and one partition in a SQLite file: a cache of a fold, never the truth.

The cursors (next offset of every topic folded) are in the same transaction as the tables, so a
restart reads only the tail. A file that is absent or of another installation is begun anew and
folded again from offset 0. So is one that was open when the machine went down: commits do not wait
for the disk, which kept the loop for up to half a second each; what a killed process wrote is kept
by the system, and a file that was closed is on the disk. Damage is an error of ``sqlite3``, here or
in the middle of work, also of a value that is not what was put: ``state_file`` says what follows.
Decided against: a Faust table (open bugs in its recovery), one database for all partitions (a
partition moves alone).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import sqlite3
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, cast
from weakref import WeakValueDictionary

from pydantic import TypeAdapter, ValidationError

from infra.settings import MIB
from streams.shell.failures import StageStopped
from streams.stage import Table

V = TypeVar("V")
STORE_VERSION = "2"
CACHE_BYTES = 64 * MIB  # of all tables of the process, however many partitions it has
VALUE_WEIGHT = 5  # bytes as Python objects for one as written: an atom is 1.3 kB and 6.5 kB
ENTRY_BYTES = 250  # what a cached entry takes beside its value
KEY_BYTES = 110  # what a known key takes beside its letters
UNWRITTEN_BYTES = 2 * MIB  # of one table until the next commit, by the size of what it wrote last
USUAL_BYTES = 1_300  # of a value as written, before any was
KNOWN_KEYS = 50_000  # of one table: what is not among them is absent without asking the file
LOCK_PATIENCE_S = 60.0
FOREIGN_LOCK_S = 0.5  # of somebody's tool; the loop stands still meanwhile
FIRST_PAGE, LARGEST_PAGE = 8, 2_048
REMEMBERED_SCANS = 64  # of a table, none longer than the first page
LAST_CHARACTER = chr(0x10FFFF)
OPEN_IN = "open in boot"  # the name of the row that stands in a file while it is open
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


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
        return self._keep(key, self._read(key, *row), len(row[0]))

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
            rows = [self._row(key, value) for key, value in self._dirty.items()]
            self._database.executemany(
                f"INSERT OR REPLACE INTO {self._name} VALUES (?, ?, ?)", rows
            )
            self._usual_bytes = sum(len(value) for _, value, _ in rows) // len(rows)
            written, self._dirty = self._dirty, {}
            for key, value, _ in rows:
                self._keep(key, written[key], len(value))

    def forget(self) -> None:
        """Nothing is cached: after a rollback, which may bring keys back."""
        self._known = None
        self._clean.clear()
        self._hold(-self.cached_bytes)
        self._dirty.clear()
        self._deleted.clear()
        self._scans.clear()

    def give_back(self) -> None:
        """The longest unread half of the values is let go; the known keys when there is none."""
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

    def _row(self, key: str, value: V) -> tuple[str, bytes, int]:
        written = self._values.dump_json(value)
        return key, written, _checksum(key, written)

    def _read(self, key: str, written: object, checksum: object) -> V:
        """The value of a row. Raises DoubtfulStore when it is not the one that was put."""
        if not isinstance(written, bytes) or checksum != _checksum(key, written):
            raise DoubtfulStore(f"a value of table {self._name} is not the one that was put")
        try:
            return self._values.validate_json(written)
        except ValidationError:  # it would name the value
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
        for prefix in [known for known in self._scans if key.startswith(known)]:
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


class SqliteTables:
    """The tables and cursors of one writer and one partition; see ``streams.stage.Tables``."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._tables: dict[str, StoredTable[Any]] = {}

    def table(self, name: str, kind: type[V]) -> Table[V]:
        if name not in self._tables:
            self._begin()
            self._tables[name] = StoredTable(self._database, name, kind)
        return cast(Table[V], self._tables[name])

    def cursors(self) -> dict[str, int]:
        """The next offset to fold, by topic, as of the last commit."""
        found = dict(self._database.execute("SELECT topic, next_offset FROM cursor"))
        if not all(isinstance(offset, int) for offset in found.values()):
            raise DoubtfulStore("a cursor is no offset")
        return found

    def commit(self, cursors: Mapping[str, int]) -> None:
        """Everything put and ``cursors`` are kept, or nothing of it."""
        self._begin()
        for table in self._tables.values():
            table.write()
        self._database.executemany(
            "INSERT OR REPLACE INTO cursor VALUES (?, ?)", list(cursors.items())
        )
        self._database.execute("COMMIT")
        self._begin()

    def rollback(self) -> None:
        """Everything put since the last commit is gone; tables must be asked for again."""
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
        for table in self._tables.values():
            table.forget()
        self._tables.clear()
        self._begin()

    def close(self) -> None:
        """What is not committed is gone, what is committed is on the disk."""
        for table in self._tables.values():
            table.forget()
        with contextlib.suppress(sqlite3.Error):
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            self._database.execute("PRAGMA synchronous=FULL")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._database.execute("DELETE FROM identity WHERE name = ?", (OPEN_IN,))
        self._database.close()

    def _begin(self) -> None:
        if not self._database.in_transaction:
            self._database.execute("BEGIN")


def boot_id() -> str | None:
    """What names the time since the machine was started; None where the system does not tell."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return None


def open_tables(path: Path, identity: Mapping[str, str], boot: str | None = None) -> SqliteTables:
    """The tables in ``path``; empty ones when the file is absent or another's.

    ``boot``: this machine's own when it is None. Raises sqlite3.Error when the file is damaged.
    """
    boot = boot or boot_id()
    for _ in range(2):
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            path, timeout=FOREIGN_LOCK_S, isolation_level=None, check_same_thread=False
        )
        try:
            if _prepare(database, {**identity, "store": STORE_VERSION}, boot):
                return SqliteTables(database)
        except BaseException:
            database.close()
            raise
        database.close()
        remove(path)
    raise StageStopped(f"The state file {path} cannot be written: check its folder.")


def remove(path: Path) -> None:
    """The file and its journal are gone."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _prepare(database: sqlite3.Connection, identity: Mapping[str, str], boot: str | None) -> bool:
    """Whether the file is ours, or is new and now is. Raises sqlite3.Error when it is not whole."""
    # Nobody else is to see it: so there is no file of shared memory either, which may be damaged,
    # or end the process with a signal when somebody cuts it.
    database.execute("PRAGMA locking_mode=EXCLUSIVE")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    tables: Iterable[tuple[str]] = database.execute("SELECT name FROM sqlite_master")
    if not list(tables):
        database.execute("BEGIN")
        database.execute("CREATE TABLE identity (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        database.execute("CREATE TABLE cursor (topic TEXT PRIMARY KEY, next_offset INTEGER)")
        database.executemany("INSERT INTO identity VALUES (?, ?)", list(identity.items()))
        database.execute("COMMIT")
    known = dict(database.execute("SELECT name, value FROM identity"))
    if known.pop(OPEN_IN, boot) != boot or known != dict(identity):
        return False
    [found] = database.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DoubtfulStore(f"the check of its pages found: {found}")
    if boot is None:
        database.execute("PRAGMA synchronous=NORMAL")
        return True
    database.execute("INSERT OR REPLACE INTO identity VALUES (?, ?)", (OPEN_IN, boot))
    database.execute("PRAGMA synchronous=OFF")
    return True


def _cached_bytes(key: str, written_bytes: int) -> int:
    return len(key) + ENTRY_BYTES + VALUE_WEIGHT * written_bytes


def _key_bytes(key: str) -> int:
    return len(key) + KEY_BYTES


def _checksum(key: str, written: bytes) -> int:
    return zlib.crc32(written, zlib.crc32(key.encode()))


def _texts(rows: Iterable[tuple[Any]]) -> list[str]:
    """The keys of rows. Raises DoubtfulStore when one is no text."""
    keys = [key for (key,) in rows]
    if not all(isinstance(key, str) for key in keys):
        raise DoubtfulStore("a key is no text")
    return keys


@contextlib.asynccontextmanager
async def lock(path: Path, patience_s: float = LOCK_PATIENCE_S) -> Any:
    """Nobody else on this machine is in a block with ``path``. Raises StageStopped after a while.

    The lock goes with the process, also when it is killed.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StageStopped(
            f"The lock {path} cannot be opened ({error.strerror}): check that its folder exists and"
            " belongs to the user who runs the workers."
        ) from error
    deadline = time.monotonic() + patience_s
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StageStopped(
                        f"Another process holds {path} since {patience_s:.0f} s: stop the worker"
                        " that shares this CAIRN_HOME, or give each its own."
                    ) from None
            await asyncio.sleep(0.05)
        yield
    finally:
        os.close(descriptor)
