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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from streams.shell.failures import StageStopped
from streams.shell.stored_table import DoubtfulStore, StoredTable
from streams.stage import Table

V = TypeVar("V")
STORE_VERSION = "3"
LOCK_PATIENCE_S = 60.0
JOURNAL_PAGES, JOURNAL_BYTES = 250, 1024 * 1024  # beside each file; SQLite's own: four times that
FOREIGN_LOCK_S = 0.5  # of somebody's tool; the loop is blocked meanwhile
LEFT_OUT = "records_left_out"  # a table beside the writer's own
OPEN_IN = "open in boot"  # the name of the row that a file has while it is open
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


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

    def note_left_out(self, topic: str, partition: int, offset: int, version: str) -> None:
        """The record is passed over by this version of the code; kept with the next commit."""
        self.table(LEFT_OUT, str)[f"{topic}|{partition}|{offset:012d}|{version}"] = ""

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
        """Drop everything put since the last commit; tables must be asked for again."""
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
        for table in self._tables.values():
            table.forget()
        self._tables.clear()
        self._begin()

    def close(self) -> None:
        """Drop what is not committed; what is committed is on the disk."""
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


def left_out_before(path: Path, version: str) -> list[tuple[str, int, int]]:
    """The records that another version of the code has passed over, as far as the file tells."""
    found: list[tuple[str, int, int]] = []
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as database:
        for (key,) in database.execute(f'SELECT key FROM "t_{LEFT_OUT}" ORDER BY key'):
            topic, partition, offset, by = key.split("|")
            if by != version:
                found.append((topic, int(partition), int(offset)))
    return found


def remove(path: Path) -> None:
    """Delete the file and its journal."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _prepare(database: sqlite3.Connection, identity: Mapping[str, str], boot: str | None) -> bool:
    """Whether the file is ours, or is new and now is. Raises sqlite3.Error when it is not whole."""
    # Nobody else is to see it: so there is no file of shared memory either, which may be damaged,
    # or end the process with a signal when somebody cuts it.
    database.execute("PRAGMA locking_mode=EXCLUSIVE")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute(f"PRAGMA wal_autocheckpoint={JOURNAL_PAGES}")
    database.execute(f"PRAGMA journal_size_limit={JOURNAL_BYTES}")
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
