"""Reads archives without unpacking them: no name in one ever reaches the file system.

A child process reads them (``connectors.sandbox``): a zip member by member, a tar once, its
contents appended to an unnamed temporary file. Limits are checked before content: number of
members, total size, and total size against the archive's own size (a bomb is refused as a whole).
Names are checked here, not in the child.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO

from connectors.connector import (
    MAX_CONTENT_BYTES,
    MAX_PATH_CHARS,
    Item,
    Listing,
    Notice,
    NoticeCode,
    SourceRefused,
    SourceUnavailable,
    printable,
    sort_items,
)
from connectors.paths import check_path, is_beneath
from connectors.sandbox import (
    ReadingFailed,
    ReadingRefused,
    Sandbox,
    limits_of,
    open_regular,
    spool_bytes,
)
from connectors.unpacking.budget import Bounds, plain
from connectors.unpacking.tars import TarReader
from connectors.unpacking.zips import ZipReader

MAX_MEMBERS = 200_000
MAX_NAMES_CHARS = 64 * 1024**2
MAX_TOTAL_BYTES = MAX_SPOOL_BYTES = 16 * 1024**3
# Source code packs to a fifth or a tenth; deflate's worst case is 1:1032.
MAX_RATIO, RATIO_COUNTS_FROM_BYTES = 100, 64 * 1024**2
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)
MAX_REASON_CHARS = 200
MAC_FOLDER = "__MACOSX/"
_NOT_READ: dict[str, NoticeCode] = {
    "link": "link",
    "sparse": "sparse",
    "special_file": "special_file",
    "encrypted": "encrypted",
}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DRIVE = re.compile(r"^[A-Za-z]:")

Read = Callable[[], bytes]
Member = tuple[str, int, Read]


def is_archive(name: str) -> bool:
    return name.lower().endswith((*TAR_SUFFIXES, *ZIP_SUFFIXES))


def stem_of(name: str) -> str:
    """The archive's name without its suffix."""
    suffixes = sorted((*TAR_SUFFIXES, *ZIP_SUFFIXES), key=len, reverse=True)
    return next((name[: -len(each)] for each in suffixes if name.lower().endswith(each)), name)


class Archive:
    """A tar (plain, gzip, bzip2, xz) or zip.

    One folder that contains everything is not part of the paths. If ``root`` is empty, it is that
    folder's name, otherwise the archive's.
    """

    def __init__(self, file: Path, root: str = "") -> None:
        self.file = file
        self.root = root

    def list(self) -> Listing:
        with _refuse_unreadable(self.file), contextlib.ExitStack() as ends:
            packed = ends.enter_context(open_regular(self.file))
            is_zip = self.file.name.lower().endswith(ZIP_SUFFIXES)
            members = _Zip(self.file, packed) if is_zip else _Tar(self.file, packed)
            ends.callback(members.close)
            listing = self._list_members(members)
            ends.pop_all()
            packed.close()  # the child has its own
        return listing

    def _list_members(self, members: _Members) -> Listing:
        own_members, notices, comment = _read_members(members)
        own_members = _without_metadata(own_members, notices)
        if isinstance(members, _Tar):
            members.child.close()  # the spool holds all contents
        folder = shared_folder(path for path, _, _ in own_members)
        cut = len(folder) + 1 if folder else 0
        revision = comment.strip() if _COMMIT.fullmatch(comment.strip()) else None
        items = [Item(path[cut:], size, read, None, revision) for path, size, read in own_members]
        root = self.root or folder or printable(stem_of(self.file.name))
        return Listing(root, True, *sort_items(items, notices), close=members.close)


class _Tar:
    """The members of a tar. Their contents lie in a spool file once they are listed."""

    def __init__(self, file: Path, packed: IO[bytes]) -> None:
        self.file = file
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the listing
        try:
            size = os.fstat(packed.fileno()).st_size
            limits = limits_of(size, spool_bytes=spool_bytes(MAX_SPOOL_BYTES))
            options = {"bounds": asdict(bounds_of(size)), "suffix": file.name.lower()}
            self.child = Sandbox(TarReader, packed, limits, options, self._spool)
        except BaseException:
            self._spool.close()
            raise

    def reader(self, name: str, size: int, place: int, length: int) -> Read:
        """Reads a member's content when called. Raises SourceUnavailable."""
        if not 0 <= length <= min(size, MAX_CONTENT_BYTES + 1):
            raise ReadingFailed("its reader sent an invalid answer")

        def read() -> bytes:
            content = os.pread(self._spool.fileno(), length, place)
            if len(content) < length:
                raise SourceUnavailable(f"{printable(name)} in {self.file} no longer exists.")
            return content

        return read

    def close(self) -> None:
        self.child.close()
        self._spool.close()


class _Zip:
    """The members of a zip. The child process reads each content when asked."""

    def __init__(self, file: Path, packed: IO[bytes]) -> None:
        self.file = file
        size = os.fstat(packed.fileno()).st_size
        self.child = Sandbox(
            ZipReader, packed, limits_of(size), {"bounds": asdict(bounds_of(size))}
        )

    def reader(self, name: str, size: int, place: int, length: int) -> Read:
        """Reads a member's content when called. Raises SourceUnavailable."""

        def read() -> bytes:
            try:
                return b"".join(content for _, content in self.child.ask("content", place))
            except (ReadingFailed, ReadingRefused) as error:
                raise SourceUnavailable(
                    f"{printable(name)} in {self.file} cannot be read ({_reason(error)})."
                ) from error

        return read

    def close(self) -> None:
        self.child.close()


_Members = _Tar | _Zip


def bounds_of(size_bytes: int) -> Bounds:
    """The limits for an archive of this size."""
    return Bounds(
        packed_bytes=size_bytes,
        members=MAX_MEMBERS,
        total_bytes=MAX_TOTAL_BYTES,
        ratio=MAX_RATIO,
        ratio_from_bytes=RATIO_COUNTS_FROM_BYTES,
        content_bytes=MAX_CONTENT_BYTES + 1,
        name_chars=MAX_PATH_CHARS,
        names_chars=MAX_NAMES_CHARS,
    )


def _read_members(members: _Members) -> tuple[list[Member], list[Notice], str]:
    """Files, notices, and the archive's comment. Raises ReadingFailed, ReadingRefused."""
    results: list[Member] = []
    notices: list[Notice] = []
    comment = ""
    for answer, _ in members.child.ask("members"):
        if isinstance(answer, dict):
            comment = str(answer["comment"])
            continue
        for name, kind, size, place, length in answer:
            if kind in _NOT_READ:
                notices.append(Notice(printable(name[:MAX_PATH_CHARS]), _NOT_READ[kind]))
            elif (path := path_of(name, notices)) is not None:
                results.append((path, size, members.reader(name, size, place, length)))
    return results, notices, comment


def _without_metadata(members: list[Member], notices: list[Notice]) -> list[Member]:
    """The members without those in which macOS keeps attributes of others."""
    paths = {path for path, _, _ in members}
    kept = []
    for member in members:
        folder, _, name = member[0].rpartition("/")
        beside = f"{folder}/{name[2:]}".lstrip("/")
        if member[0].startswith(MAC_FOLDER) or name.startswith("._") and beside in paths:
            notices.append(Notice(member[0], "mac_metadata"))
        else:
            kept.append(member)
    return kept


@contextlib.contextmanager
def _refuse_unreadable(file: Path) -> Iterator[None]:
    """Turns every fault of an archive into SourceRefused with its name."""
    try:
        yield
    except ReadingRefused as error:
        raise SourceRefused(
            f"{file} is refused ({_reason(error)}): if you trust it, unpack it and give the"
            " folder.",
            code="archive_refused",
        ) from error
    except (ReadingFailed, OSError, ValueError, TypeError, LookupError) as error:
        raise SourceRefused(
            f"{file} cannot be read as an archive ({_reason(error)}): check that it is complete.",
            code="archive_broken",
        ) from error


def _reason(error: Exception) -> str:
    """A parser's message in one line; it may quote the archive."""
    message = " ".join(printable(str(error)).split()) or type(error).__name__
    return message[:MAX_REASON_CHARS].rstrip(".")


def path_of(name: str, notices: list[Notice]) -> str | None:
    """The member's path; None, with a notice, for a name that leads out of the archive."""
    plain_name = plain(name)
    if name.startswith("/") or _DRIVE.match(name) or not is_beneath(plain_name):
        notices.append(Notice(printable(name[:MAX_PATH_CHARS]), "unsafe_name"))
        return None
    return check_path(plain_name, notices)


def shared_folder(paths: Iterable[str]) -> str:
    """The first part of all paths if they share it, otherwise an empty string."""
    firsts = {path.partition("/")[0] if "/" in path else "" for path in paths}
    return firsts.pop() if len(firsts) == 1 else ""
