"""Full disks: which one, how much is free on it, and what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
DATABASE_SAYS = "53100"  # PostgreSQL manual, appendix A
SQLITE_SAYS = 13  # SQLITE_FULL; the module is not imported for it by every command
MIB = 1024 * 1024
NEEDED_BYTES = 32 * MIB  # PostgreSQL does not start without room for a segment (16 MiB)


@dataclass(frozen=True)
class Disk:
    """A file system, by where it is mounted. What root may use besides is not counted."""

    path: str
    free_bytes: int
    size_bytes: int
    free_files: int | None  # None where files have no number of their own

    def full(self, needed_bytes: int = NEEDED_BYTES) -> bool:
        return self.free_bytes < needed_bytes or self.free_files == 0

    def __str__(self) -> str:
        files = " and no more files" if self.free_files == 0 else ""
        return (
            f"The disk at {self.path} is full ({self.free_bytes:,} of {self.size_bytes:,}"
            f" bytes free{files})"
        )


def disk_of(path: Path) -> Disk:
    """The disk that holds ``path``, or will: of what is not there yet, its nearest folder's."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    known = os.statvfs(place)
    place = place.resolve()
    while not place.is_mount() and place != place.parent:
        place = place.parent
    return Disk(
        str(place),
        known.f_bavail * known.f_frsize,
        known.f_blocks * known.f_frsize,
        known.f_favail if known.f_files else None,
    )


def fullest(folders: Iterable[Path]) -> Disk:
    """Of the disks of ``folders`` the one with the fewest bytes free, a full one first."""
    return min(map(disk_of, folders), key=lambda disk: (disk.free_files != 0, disk.free_bytes))


def says_full(error: BaseException | None) -> bool:
    """Whether ``error`` was raised because a disk is full, or what it was raised from."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if getattr(error, "sqlite_errorcode", None) == SQLITE_SAYS:
            return True
        if getattr(error, "sqlstate", None) == DATABASE_SAYS:
            return True
        error = error.__cause__
    return False
