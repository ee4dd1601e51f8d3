"""Folders and single files of this machine.

In a git work tree the tracked files are listed, with their present bytes: what a developer sees is
what is read. A commit and its date are set only for bytes whose hash is the commit's. Any other
folder is listed whole. Links are never followed: a link inside the root is an alias of something
listed anyway, and one that leads outside is not part of the root. Everything is opened beneath the
root (``paths.py``), one folder after the other: depth costs no recursion.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from stat import S_ISLNK, S_ISREG

from connectors.connector import (
    MAX_ENTRIES,
    MAX_PATH_CHARS,
    ContentNotFetched,
    Item,
    Listing,
    Notice,
    NoticeCode,
    SourceUnavailable,
    printable,
    read_head,
    sort_items,
)
from connectors.git import Blobs, author_dates, check_entry, is_blob, stream_git, too_many
from connectors.paths import Root, check_path, is_beneath
from connectors.repositories import RepositoryView, find_repository, list_work_tree

Sized = tuple[bytes, str, int]  # path in bytes, path to print, size
SKIP_WORKTREE = (b"S", b"s")  # in the lower case also assumed to be unchanged
MAX_UNTRACKED = 1_000
UNTRACKED: dict[NoticeCode, tuple[str, ...]] = {"ignored": ("--ignored",), "untracked": ()}
# Also of a file below a folder that became a link.
GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))


class Folder:
    """The files that git tracks in a folder; if it tracks none, every regular file."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder = folder
        self.root = root

    def list(self) -> Listing:
        """Complete, unless a folder in it could not be read: then nothing is removed.

        A tracked file that was deleted in the work tree is removed.
        """
        notices: list[Notice] = []
        with contextlib.ExitStack() as ends:
            root = _open_root(self.folder)
            ends.callback(root.close)
            items = _list_tracked(self.folder, root, notices, ends)
            if items is None:
                items = [_item(root, *entry) for entry in _walk(self.folder, root, notices)]
            listed = sort_items(items, notices)
            close = ends.pop_all().close
        complete = not any(notice.code == "unreadable_folder" for notice in notices)
        return Listing(self.root, complete, *listed, close=close)


class SingleFile:
    """One file. Its root is the folder that contains it; the listing is not complete."""

    def __init__(self, file: Path, root: str) -> None:
        self.file = file
        self.root = root

    def list(self) -> Listing:
        raw_name = os.fsencode(self.file.name)
        notices: list[Notice] = []
        root = _open_root(self.file.parent)
        names = [(raw_name, path)] if (path := check_path(raw_name, notices)) else []
        items = tuple(_item(root, *file) for file in _sizes(root, names, notices))
        return Listing(self.root, False, items, tuple(notices), close=root.close)


def reader(root: Root, raw_path: bytes) -> Callable[[], bytes]:
    """Reads the file when called. Raises SourceUnavailable, also if it is no longer a file."""

    def read() -> bytes:
        try:
            with root.open_file(raw_path) as file:
                return read_head(file)
        except OSError as error:
            full = root.folder / os.fsdecode(raw_path)
            raise SourceUnavailable(
                f"{printable(os.fsencode(full))} cannot be read ({error.strerror})."
            ) from error

    return read


def _open_root(folder: Path) -> Root:
    try:
        return Root(folder)
    except OSError as error:
        raise SourceUnavailable(
            f"{printable(os.fsencode(folder))} cannot be read ({error.strerror}): check the path."
        ) from error


def _item(root: Root, raw_path: bytes, path: str, size: int) -> Item:
    return Item(path, size, reader(root, raw_path))


def _list_tracked(
    folder: Path, root: Root, notices: list[Notice], ends: contextlib.ExitStack
) -> list[Item] | None:
    """The files that git tracks in ``folder``; None if there are none.

    What a sparse checkout leaves out is read from git's objects, until ``ends`` is closed.
    """
    if (repository := find_repository(folder)) is None:
        return None
    view = ends.enter_context(RepositoryView(repository))
    within = os.fsencode(folder.relative_to(view.top)).removeprefix(b".")
    scope = within + b"/" if within else b""
    tracked = list(_index(view, scope))
    if not tracked:
        return None
    tree = _Tree(
        view.head,
        author_dates(view.directory, view.head, scope) if view.head else {},
        _blobs(view, scope),
    )
    names = [
        (each.raw_path, path)
        for each in tracked
        if (path := check_entry(each.mode, each.raw_path, notices)) is not None
    ]
    files = list(_sizes(root, names, notices))
    items = [tree.item(path, size, raw, reader(root, raw)) for raw, path, size in files]
    here = {raw_path for raw_path, _, _ in files}
    paths = dict(names)
    absent = [each for each in tracked if each.is_left_out and each.raw_path not in here]
    blobs = Blobs(view.directory)
    ends.callback(blobs.close)
    for each in absent:
        if (left_out := paths.get(each.raw_path)) is not None:
            fetch = _left_out(blobs, each.oid, left_out)
            items.append(tree.item(left_out, 0, each.raw_path, fetch))
            notices.append(Notice(left_out, "outside_checkout"))
    notices.extend(_untracked(view, scope))
    return items


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of the index; ``is_left_out`` of the work tree on purpose."""

    is_left_out: bool
    mode: bytes
    oid: str
    raw_path: bytes


@dataclass(frozen=True, slots=True)
class _Tree:
    """What HEAD says of its files: when each was changed, and git's id of its content."""

    head: str | None
    dates: Mapping[bytes, datetime]
    blobs: Mapping[bytes, str]

    def item(self, path: str, size: int, raw_path: bytes, read: Callable[[], bytes]) -> Item:
        blob = self.blobs.get(raw_path)
        if blob is None:
            return Item(path, size, read)
        dated = self.dates.get(raw_path), self.head
        return Item(path, size, read, *dated, is_current=partial(is_blob, blob))


def _index(view: RepositoryView, scope: bytes) -> Iterator[_Entry]:
    """Each tracked file below ``scope``; one entry per path in conflict."""
    before = b""
    for row in _rows(view, scope, "ls-files", "-z", "-t", "--stage", "--"):
        meta, _, raw_path = row.partition(b"\t")
        if raw_path != before:
            tag, mode, oid, _ = meta.split()
            left_out = tag in SKIP_WORKTREE
            yield _Entry(left_out, mode, oid.decode(), raw_path.removeprefix(scope))
        before = raw_path


def _left_out(blobs: Blobs, oid: str, path: str) -> Callable[[], bytes]:
    """Reads from git's objects what the work tree leaves out."""

    def read() -> bytes:
        try:
            return blobs.read(oid)
        except SourceUnavailable as error:
            raise ContentNotFetched(
                f"{path} cannot be read (not in the sparse checkout, and not fetched): run"
                " `git sparse-checkout disable` or clone without --filter."
            ) from error

    return read


def _untracked(view: RepositoryView, scope: bytes) -> Iterator[Notice]:
    """Files and whole folders that git does not track or ignores; the first of each."""
    shown: set[bytes] = set()
    for code, options in UNTRACKED.items():
        rows = list_work_tree(view, os.fsdecode(scope), *options)
        fresh = [raw_path for raw_path in rows if raw_path not in shown][:MAX_UNTRACKED]
        shown.update(fresh)
        for raw_path in fresh:
            yield Notice(printable(raw_path.removeprefix(scope))[:MAX_PATH_CHARS], code)


def _blobs(view: RepositoryView, scope: bytes) -> dict[bytes, str]:
    """Git's id of the content of each file of HEAD below ``scope``."""
    if view.head is None:
        return {}
    blobs = {}
    for row in _rows(view, scope, "ls-tree", "-r", "-z", view.head, "--"):
        meta, _, raw_path = row.partition(b"\t")
        blobs[raw_path.removeprefix(scope)] = meta.split()[2].decode()
    return blobs


def _rows(view: RepositoryView, scope: bytes, *arguments: str) -> Iterator[bytes]:
    return stream_git(view.directory, *arguments, *([os.fsdecode(scope)] if scope else []))


def _walk(folder: Path, root: Root, notices: list[Notice]) -> Iterator[Sized]:
    """Every regular file below the root except git's own. Raises SourceRefused above the limit."""
    waiting, count = [b""], 0
    while waiting:
        above = waiting.pop()
        try:
            descriptor = root.open_folder(above)
        except OSError:
            notices.append(Notice(printable(above) or ".", "unreadable_folder"))
            continue
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if (count := count + 1) > MAX_ENTRIES:
                        raise too_many(folder, MAX_ENTRIES)
                    raw_name = os.fsencode(entry.name)
                    raw_path = above + b"/" + raw_name if above else raw_name
                    if raw_name == b".git":
                        continue
                    if not entry.is_dir(follow_symlinks=False):
                        yield from _stat_entry(entry, raw_path, notices)
                    elif _is_entered(raw_path, raw_name, notices):
                        waiting.append(raw_path)
        except OSError:
            notices.append(Notice(printable(above) or ".", "unreadable_folder"))
        finally:
            os.close(descriptor)


def _is_entered(raw_path: bytes, raw_name: bytes, notices: list[Notice]) -> bool:
    """Whether a folder is listed; otherwise a notice gives the reason."""
    if not is_beneath(raw_name):
        notices.append(Notice(printable(raw_path)[:MAX_PATH_CHARS], "unsafe_name"))
        return False
    if len(raw_path) >= MAX_PATH_CHARS:  # no file in it could be named
        notices.append(Notice(printable(raw_path)[:MAX_PATH_CHARS], "unreadable_folder"))
        return False
    return True


def _stat_entry(entry: os.DirEntry[str], raw_path: bytes, notices: list[Notice]) -> Iterator[Sized]:
    path = check_path(raw_path, notices)
    if path is None:
        return
    try:
        stat = entry.stat(follow_symlinks=False)
    except OSError as error:
        if error.errno not in GONE:
            notices.append(Notice(path, "unreadable_folder"))
        return
    yield from _regular(raw_path, path, stat, notices)


def _sizes(
    root: Root, names: Iterable[tuple[bytes, str]], notices: list[Notice]
) -> Iterator[Sized]:
    """Those of the known paths that are regular files, with sizes; opens each folder once."""
    for above, group in groupby(names, key=lambda each: each[0].rpartition(b"/")[0]):
        try:
            descriptor = root.open_folder(above)
        except OSError as error:
            if error.errno not in GONE:
                notices.extend(Notice(path, "unreadable_folder") for _, path in group)
            continue
        try:
            for raw_path, path in group:
                name = raw_path.rpartition(b"/")[2]
                try:
                    stat = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                except OSError as error:
                    if error.errno not in GONE:
                        notices.append(Notice(path, "unreadable_folder"))
                    continue
                yield from _regular(raw_path, path, stat, notices)
        finally:
            os.close(descriptor)


def _regular(
    raw_path: bytes, path: str, status: os.stat_result, notices: list[Notice]
) -> Iterator[Sized]:
    """The file if it is regular; otherwise a notice."""
    if S_ISREG(status.st_mode):
        yield raw_path, path, status.st_size
    else:
        notices.append(Notice(path, "link" if S_ISLNK(status.st_mode) else "special_file"))
