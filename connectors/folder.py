"""Folders and single files of this machine.

Of a git work tree the tracked files are listed, with the bytes they have now: what a developer sees
is what is read. A commit and its date are told only of files that still are as committed. Any other
folder is listed whole. Links are never followed: a link inside the root is an alias of something
listed anyway, one that leads outside is none of the root's business, and loops cannot happen.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from connectors.connector import (
    MAX_PATH_CHARS,
    Item,
    Listing,
    Notice,
    SourceUnavailable,
    head_of,
    in_listing_order,
    printable,
)
from connectors.git import author_dates, checked_entry, git_answers, modified_paths, run_git


class PlainFolder:
    """Every regular file below ``folder`` but git's own."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder = folder
        self.root = root

    def list(self) -> Listing:
        """Complete, unless a folder in it could not be read: then nothing of it counts as gone."""
        items: list[Item] = []
        notices: list[Notice] = []
        for raw_path in _walk(os.fsencode(self.folder), notices):
            path = printable(raw_path)
            if len(path) > MAX_PATH_CHARS:
                notices.append(Notice(path[:MAX_PATH_CHARS], "unsafe_name"))
                continue
            if path.encode() != raw_path:
                notices.append(Notice(path, "escaped_name"))
            if (size := _size(self.folder, raw_path, path, notices)) is not None:
                items.append(Item(path, size, reader(self.folder, raw_path)))
        complete = not any(notice.code == "unreadable_folder" for notice in notices)
        return Listing(self.root, complete, *in_listing_order(items, notices))


class WorkTree:
    """The tracked files of a git work tree, or of a folder inside one."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder = folder
        self.root = root

    def list(self) -> Listing:
        """Complete. A tracked file that was deleted in the work tree is gone."""
        head = git_answers(self.folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or None
        dates = author_dates(self.folder, head, "--", ".") if head else {}
        modified = modified_paths(self.folder) if head else set()
        items: list[Item] = []
        notices: list[Notice] = []
        aliased: dict[bytes, bool] = {b"": False}
        for mode, raw_path in _tracked(self.folder):
            folder = raw_path.rpartition(b"/")[0]
            path = checked_entry(mode, raw_path, notices)
            if path is None or _below_link(self.folder, folder, aliased):
                continue
            size = _size(self.folder, raw_path, path, notices)
            if size is not None:
                as_committed = raw_path not in modified and raw_path in dates
                at: datetime | None = dates[raw_path] if as_committed else None
                fetch = reader(self.folder, raw_path)
                items.append(Item(path, size, fetch, at, None if raw_path in modified else head))
        return Listing(self.root, True, *in_listing_order(items, notices))


class SingleFile:
    """One file; its root is the folder it lies in, of which it says nothing else."""

    def __init__(self, file: Path, root: str) -> None:
        self.file = file
        self.root = root

    def list(self) -> Listing:
        raw_name = os.fsencode(self.file.name)
        path = printable(raw_name)
        size = self.file.stat().st_size
        item = Item(path, size, reader(self.file.parent, raw_name))
        notices = (Notice(path, "escaped_name"),) if path.encode() != raw_name else ()
        return Listing(self.root, False, (item,), notices)


def is_work_tree(folder: Path) -> bool:
    """Whether git tracks anything below ``folder``. Raises SourceUnavailable without git."""
    if shutil.which("git") is None:
        if any((each / ".git").exists() for each in (folder, *folder.parents)):
            raise SourceUnavailable(
                f"{folder} belongs to a git repository, but git is not installed: install it."
            )
        return False
    inside = git_answers(folder, "rev-parse", "--is-inside-work-tree") == "true"
    return inside and bool(git_answers(folder, "ls-files", "-z", "--", "."))


def is_git_folder(folder: Path) -> bool:
    """Whether ``folder`` is a bare repository or a ``.git``."""
    if not (folder / "HEAD").is_file() or not (folder / "objects").is_dir():
        return False
    return git_answers(folder, "rev-parse", "--absolute-git-dir") == str(folder.resolve())


def reader(folder: Path, raw_path: bytes) -> Callable[[], bytes]:
    """Reads the file when called. Raises SourceUnavailable, also when it is no file any more."""
    full = os.path.join(os.fsencode(folder), raw_path)

    def read() -> bytes:
        try:
            descriptor = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError("it is no regular file any more")
                return head_of(file)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceUnavailable(f"{printable(full)} cannot be read ({reason}).") from error

    return read


def _walk(top: bytes, notices: list[Notice]) -> Iterator[bytes]:
    """Paths relative to ``top`` of all that is neither folder nor git's."""
    cut = len(top.rstrip(b"/")) + 1

    def unreadable(error: OSError) -> None:
        name = os.fsencode(error.filename or b"")[cut:]
        notices.append(Notice(printable(name) or ".", "unreadable_folder"))

    for folder, folders, files in os.walk(top, onerror=unreadable, followlinks=False):
        for name in [name for name in folders if os.path.islink(os.path.join(folder, name))]:
            notices.append(Notice(printable(os.path.join(folder, name)[cut:]), "link"))
        folders[:] = [name for name in folders if name != b".git"]
        yield from (os.path.join(folder, name)[cut:] for name in files if name != b".git")


def _tracked(folder: Path) -> Iterator[tuple[bytes, bytes]]:
    """Mode and path of each tracked file; one entry for a path in conflict."""
    before = b""
    for row in run_git(folder, "ls-files", "-z", "--stage", "--", ".").split(b"\0")[:-1]:
        meta, _, raw_path = row.partition(b"\t")
        if raw_path != before:
            yield meta.split()[0], raw_path
        before = raw_path


def _below_link(root: Path, folder: bytes, known: dict[bytes, bool]) -> bool:
    """Whether a part of ``folder`` was replaced by a link, which would lead out of the tree."""
    if folder not in known:
        parent = folder.rpartition(b"/")[0]
        linked = os.path.islink(os.path.join(os.fsencode(root), folder))
        known[folder] = linked or _below_link(root, parent, known)
    return known[folder]


def _size(folder: Path, raw_path: bytes, path: str, notices: list[Notice]) -> int | None:
    """The size of a regular file; None for anything else, with a notice unless it is gone."""
    try:
        found = os.lstat(os.path.join(os.fsencode(folder), raw_path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        notices.append(Notice(path, "unreadable_folder"))
        return None
    if stat.S_ISREG(found.st_mode):
        return found.st_size
    notices.append(Notice(path, "link" if stat.S_ISLNK(found.st_mode) else "special_file"))
    return None
