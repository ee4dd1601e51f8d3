"""A workspace before and after a command: whose it is, how full it is, what must not stay in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from infra.runtime.walls.errors import WorkspaceUnfit
from infra.runtime.walls.layout import SANDBOX_ID, SYSTEM

LEAST_FREE_BYTES = 512 * 1024 * 1024  # of the disk, whatever a workspace may still hold
LEAST_FREE_FILES = 10_000
LONGEST_PATH = 3_500  # bytes; beyond 4,095 nothing can be opened, measured or removed by its path
ENTRY_BYTES = 4096  # an empty file takes up room, too
COPY_BYTES = 1 << 20
GIT = ".git"
GIT_ENDS = ("t", "T")
OF_THE_SYSTEM = tuple(map(Path, (*SYSTEM, "/etc", "/proc", "/sys", "/dev", "/run")))


class Entry(NamedTuple):
    """Something in a workspace; links are not followed."""

    path: str
    info: os.stat_result

    @property
    def is_git_directory(self) -> bool:
        return self.path.endswith(GIT_ENDS) and self.path.rpartition("/")[2].casefold() == GIT

    @property
    def inode(self) -> tuple[int, int]:
        return self.info.st_dev, self.info.st_ino

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.info.st_mode)

    @property
    def is_too_deep(self) -> bool:
        """Nothing looks into such a folder; after a command it is removed."""
        return 4 * len(self.path) > LONGEST_PATH and len(os.fsencode(self.path)) > LONGEST_PATH


def check_workspace(folder: Path) -> Path:
    """Its real path. Raises WorkspaceUnfit."""
    if not folder.is_absolute():
        raise WorkspaceUnfit(f"Name the workspace by its whole path, not {folder}.")
    real = Path(os.path.realpath(folder))
    if not real.is_dir():
        raise WorkspaceUnfit(f"The workspace {folder} is no folder.")
    is_home = real == Path(os.path.expanduser("~"))
    is_high = len(real.parts) < (4 if real.parts[1:2] == ("var",) else 3)
    if is_home or is_high or any(real.is_relative_to(each) for each in OF_THE_SYSTEM):
        raise WorkspaceUnfit(f"{real} cannot be a workspace: name a folder of its own.")
    if not os.access(real, os.R_OK | os.W_OK | os.X_OK):
        raise WorkspaceUnfit(f"The workspace {real} may not be read and written.")
    return real


def entries_of(root: Path, *, into_git: bool = False) -> Iterator[Entry]:
    """All below ``root``; what is in git's directories only where asked for.

    What vanishes meanwhile, or may not be read, is left out.
    """
    ahead = [str(root)]
    while ahead:
        for entry in _list_folder(ahead.pop()):
            yield entry
            is_entered = into_git or not entry.is_git_directory
            if is_entered and entry.is_folder and not entry.is_too_deep:
                ahead.append(entry.path)


def _list_folder(folder: str) -> list[Entry]:
    entries = []
    try:
        with os.scandir(folder) as listing:
            for each in listing:
                try:
                    entries.append(Entry(each.path, each.stat(follow_symlinks=False)))
                except OSError:
                    continue
    except OSError:
        pass
    return entries


def measure(root: Path) -> float:
    """The room in bytes that a workspace takes up; without end where it is too deep to be seen."""
    seen: set[tuple[int, int]] = set()
    size_bytes = 0
    for entry in entries_of(root, into_git=True):
        if entry.is_too_deep:
            return float("inf")
        if entry.inode not in seen:
            seen.add(entry.inode)
            size_bytes += max(entry.info.st_blocks * 512, ENTRY_BYTES)
    return size_bytes


def is_disk_short(root: Path) -> bool:
    """Whether the disk has too little room left for anybody to write to it."""
    disk = os.statvfs(root)
    is_without_count = disk.f_files == 0  # some file systems do not count files
    return disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES or (
        not is_without_count and disk.f_favail < LEAST_FREE_FILES
    )


class Handover:
    """The workspace belongs to the user of commands while one runs, and to its owner again after.

    Where the service is not root they are one user. In either case a file that has a second name
    outside of the workspace is replaced by a copy first: writing to it would change the other.
    ``covered`` are git's own directories and files in it; True for folders.
    """

    def __init__(self, root: Path, *other_folders: Path) -> None:
        self._root, self._others = root, other_folders
        info = root.stat()
        self._owner = (info.st_uid, info.st_gid)
        self._entries = list(entries_of(root))
        git = [entry for entry in self._entries if entry.is_git_directory]
        self.covered = {Path(entry.path): entry.is_folder for entry in git}
        self._git = {entry.inode for entry in git}  # a path may move

    def take(self) -> None:
        """Before the command. Whatever fails, `give_back` comes after."""
        names = Counter(entry.inode for entry in self._entries)
        for entry in self._entries:
            is_file = stat.S_ISREG(entry.info.st_mode) and not entry.is_git_directory
            if is_file and entry.info.st_nlink > names[entry.inode]:
                _replace_by_copy(entry)
        if os.geteuid() == 0:
            _give(self._root, self._entries, SANDBOX_ID, SANDBOX_ID)
            for folder in self._others:
                _give(folder, entries_of(folder), SANDBOX_ID, SANDBOX_ID)

    def give_back(self) -> tuple[str, ...]:
        """After the command, when none of its processes is left. Returns what was removed: a git
        directory that a command made could run programs for whoever uses git there.
        """
        entries = list(entries_of(self._root))
        new = [it for it in entries if it.is_git_directory and it.inode not in self._git]
        if gone := [it.path for it in (*new, *(each for each in entries if each.is_too_deep))]:
            remove_trees(*gone)
        if os.geteuid() == 0:
            _give(self._root, entries, *self._owner)
        return tuple(str(Path(entry.path).relative_to(self._root)) for entry in new)


def _give(root: Path, entries: Iterable[Entry], user: int, group: int) -> None:
    os.lchown(root, user, group)
    for entry in entries:
        if not entry.is_git_directory:
            try:
                os.lchown(entry.path, user, group)
            except FileNotFoundError:  # removed, or replaced by a copy with its owner
                continue


def _replace_by_copy(entry: Entry) -> None:
    """Into a new file: what a command put where the copy is to be could be a link."""
    path = Path(entry.path)
    descriptor, copy = tempfile.mkstemp(prefix=".", suffix=".copy", dir=path.parent)
    with os.fdopen(descriptor, "wb") as new, path.open("rb") as old:
        shutil.copyfileobj(old, new, COPY_BYTES)
        os.fchown(new.fileno(), entry.info.st_uid, entry.info.st_gid)
        os.fchmod(new.fileno(), stat.S_IMODE(entry.info.st_mode))
    os.utime(copy, ns=(entry.info.st_atime_ns, entry.info.st_mtime_ns))
    os.replace(copy, path)


def remove_trees(*paths: str | Path) -> None:
    """Whatever there is: Python's own way to remove a folder is too shallow for some."""
    subprocess.run(("rm", "-rf", "--", *map(str, paths)), check=False, capture_output=True)
