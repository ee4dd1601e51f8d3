"""The file behind a store: held by one process, and set aside when its database fails.

A store is only a cache of the topics. So every error of the database means the same: the file is
set aside, one line of the log says which and why, and the stage folds its topics from offset 0. A
full disk is the one exception: it is an outage, and to fold again would need more room. The stage
stops then, and goes on from its last commit once there is room.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from infra.platform import log
from infra.platform.settings import Settings
from streams.shell.failures import StageStopped
from streams.shell.store import SqliteTables, left_out_before, lock, open_tables, remove

MAX_SET_ASIDE = 3  # of one assignment: a file that fails after that is not what is broken
ASIDE = ".damaged"  # one file a store, the latest: what is kept must not fill the disk
FILES = ("", "-wal", "-shm", "-journal")
FULL_DISK_BYTES = 64 * 1024  # SQLite names some errors of a full disk after what it tried to do
FAILS_ON_FULL_DISK = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})

LOG = log.get("store")


class StateFile:
    """The file of one stage and one partition under ``CAIRN_HOME``."""

    def __init__(
        self, settings: Settings, stage: str, partition: int, cluster: str, version: str
    ) -> None:
        self.path = Path(settings.home) / "state" / stage / f"{partition}.sqlite"
        self._identity = {
            "cluster": cluster,
            "prefix": settings.topic_prefix,
            "stage": stage,
            "partition": str(partition),
            "state": version,
            "places": "checked",  # a store of earlier versions may hold what stood elsewhere
        }
        self._set_aside = 0

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Nobody else has the file for the time of the block. Raises StageStopped."""
        return lock(self.path.with_suffix(".lock"))

    def open(self) -> SqliteTables:
        """The tables of the file, or empty ones when it had to be set aside."""
        while True:
            try:
                return open_tables(self.path, self._identity)
            except sqlite3.Error as error:
                self.set_aside(error)
            except OSError as error:
                raise self._unusable(error) from error

    def drop_if_left_out(self, version: str) -> list[tuple[str, int, int]]:
        """The records that another version of the code has passed over; the file is gone if any."""
        left_out = left_out_before(self.path, version) if self.path.is_file() else []
        if left_out:
            remove(self.path)
        return left_out

    def set_aside(self, error: sqlite3.Error) -> None:
        """The next `open` begins with empty tables. Raises StageStopped when that cannot help."""
        reason = f"{type(error).__name__}: {error}"
        if _is_full(error, self.path.parent):
            raise StageStopped(
                f"The disk of the state file {self.path} is full ({error}): make room. Nothing was"
                " skipped; the stage goes on from its last commit."
            ) from error
        if self._set_aside == MAX_SET_ASIDE:
            raise StageStopped(
                f"The state file {self.path} was folded anew {MAX_SET_ASIDE} times and fails again"
                f" ({reason}): check the disk that holds it."
            ) from error
        self._set_aside += 1
        LOG.warning("store.damaged", path=str(self.path), reason=reason)
        try:
            for suffix in FILES:
                _move(Path(f"{self.path}{suffix}"), Path(f"{self.path}{ASIDE}{suffix}"))
        except OSError as refused:
            raise self._unusable(refused) from refused

    def _unusable(self, error: OSError) -> StageStopped:
        return StageStopped(
            f"The state file {self.path} can be neither opened nor set aside ({error.strerror}):"
            " check that its folder exists and belongs to the user who runs the workers."
        )


def _is_full(error: sqlite3.Error, folder: Path) -> bool:
    """Whether the disk is full, whatever SQLite calls it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in FAILS_ON_FULL_DISK:
        return folder.is_dir() and shutil.disk_usage(folder).free < FULL_DISK_BYTES
    return code == sqlite3.SQLITE_FULL


def _move(file: Path, to: Path) -> None:
    """Move ``file`` to ``to`` and replace what was there."""
    if to.is_dir() and not to.is_symlink():
        shutil.rmtree(to)
    else:
        to.unlink(missing_ok=True)
    if os.path.lexists(file):
        file.rename(to)
