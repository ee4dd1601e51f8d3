"""Refuses folders that nobody means as a source and whose secrets would reach the log."""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Iterable, Iterator
from pathlib import Path

from connectors.connector import SourceRefused, printable

# Refused themselves; a project may lie below them.
SYSTEM = ("/", "/bin", "/home", "/lib", "/lib64", "/root", "/run", "/sbin", "/usr", "/var")
# Refused with everything below them.
SYSTEM_WHOLLY = ("/boot", "/dev", "/etc", "/proc", "/sys")


def check_folder(full: Path) -> None:
    """Raises SourceRefused for a system folder or a home folder; ``full`` has no links.

    Folders are compared by device and inode, not by name: a mount has another name.
    """
    homes = list(_homes())
    here = _identity(full)
    if here in _identities(homes):
        what = "is a home folder"
    elif here in _identities(map(Path, SYSTEM)):
        what = "is a folder of the system"
    elif here in _identities(each for home in homes for each in home.parents):
        what = "holds a home folder"
    elif _identities(map(Path, SYSTEM_WHOLLY)) & _identities((full, *full.parents)):
        what = "is part of the system"
    else:
        return
    raise SourceRefused(
        f"{printable(str(full))} {what} and is not read: give the folder of a project, or add"
        " --allow-any-folder if you mean it."
    )


def _homes() -> Iterator[Path]:
    """The user's home folder, as the environment and as the system name it."""
    if home := os.environ.get("HOME"):
        yield Path(home).resolve()
    with contextlib.suppress(KeyError):
        yield Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()


def _identities(places: Iterable[Path]) -> set[tuple[int, int]]:
    return {identity for each in places if (identity := _identity(each))}


def _identity(place: Path) -> tuple[int, int] | None:
    try:
        stat = place.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
