"""Archives, read without unpacking them: no name in one ever reaches the file system.

A zip is read member by member where it lies. A tar is gone through once; what its members hold is
put one after the other into an unnamed temporary file, since listing order is not the archive's and
going back in a compressed stream would mean beginning anew. Limits come before content: members,
the sum of their sizes, and that sum against the archive's own size (a bomb is refused as a whole).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, BinaryIO, cast

from connectors.connector import (
    MAX_CONTENT_BYTES,
    MAX_PATH_CHARS,
    Item,
    Listing,
    Notice,
    SourceRefused,
    SourceUnavailable,
    head_of,
    in_listing_order,
    printable,
)
from connectors.paths import checked_path, is_beneath

MAX_MEMBERS = 200_000
MAX_TOTAL_BYTES = 16 * 1024**3
# Source code packs to a fifth or a tenth; deflate's worst case is 1:1032.
MAX_RATIO, RATIO_COUNTS_FROM_BYTES = 100, 64 * 1024**2
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)
BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError)
UNREADABLE = (*BROKEN, RuntimeError, NotImplementedError)  # encrypted; unknown compression
_COMMIT = re.compile(rb"^[0-9a-f]{40}$")
_DRIVE = re.compile(r"^[A-Za-z]:")


def is_archive(name: str) -> bool:
    return name.lower().endswith((*TAR_SUFFIXES, *ZIP_SUFFIXES))


def stem_of(name: str) -> str:
    """The archive's name without its suffix."""
    suffixes = sorted((*TAR_SUFFIXES, *ZIP_SUFFIXES), key=len, reverse=True)
    return next((name[: -len(each)] for each in suffixes if name.lower().endswith(each)), name)


class Archive:
    """A tar (plain, gzip, bzip2, xz) or zip. One folder that holds everything is not part of paths.

    ``root`` empty: that folder's name, else the archive's.
    """

    def __init__(self, file: Path, root: str = "") -> None:
        self.file = file
        self.root = root

    def list(self) -> Listing:
        budget = Budget(self.file)
        try:
            if self.file.name.lower().endswith(ZIP_SUFFIXES):
                found, revision, close = _zip_members(self.file, budget)
            else:
                found, revision, close = _tar_members(self.file, budget)
        except BROKEN as error:
            reason = " ".join(printable(str(error)).split()) or type(error).__name__
            raise SourceRefused(
                f"{self.file} cannot be read as an archive ({reason}): check that it is whole."
            ) from error
        folder = shared_folder(path for path, _, _ in found)
        cut = len(folder) + 1 if folder else 0
        items = [Item(path[cut:], size, read, None, revision) for path, size, read in found]
        root = self.root or folder or printable(stem_of(self.file.name))
        return Listing(root, True, *in_listing_order(items, budget.notices), close=close)


Member = tuple[str, int, Callable[[], bytes]]


class Budget:
    """What an archive may cost; also collects what is refused in it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notices: list[Notice] = []
        self._packed = file.stat().st_size
        self._members = 0
        self._bytes = 0

    def spend(self, size: int) -> None:
        """Counts a member of ``size`` bytes. Raises SourceRefused above a limit."""
        self._members += 1
        self._bytes += size
        self.check(self._bytes)
        if self._members > MAX_MEMBERS:
            self._refuse(f"more than {MAX_MEMBERS:,} members")

    def check(self, unpacked: int) -> None:
        """Raises SourceRefused when ``unpacked`` bytes are more than the archive may hold."""
        if unpacked > MAX_TOTAL_BYTES:
            self._refuse(f"more than {MAX_TOTAL_BYTES >> 30} GiB unpacked")
        if unpacked > RATIO_COUNTS_FROM_BYTES and unpacked > MAX_RATIO * self._packed:
            self._refuse(f"more than {MAX_RATIO} times its own size unpacked")

    def _refuse(self, why: str) -> None:
        raise SourceRefused(
            f"{self.file} is refused ({why}): if you trust it, unpack it and give the folder."
        )

    def path_of(self, name: str) -> str | None:
        """The member's path; None, with a notice, for a name that leads out of the archive."""
        plain = _plain(name)
        if name.startswith("/") or _DRIVE.match(name) or not is_beneath(plain):
            self.notices.append(Notice(printable(name[:MAX_PATH_CHARS]), "unsafe_name"))
            return None
        return checked_path(plain, self.notices)


class Bounded(io.RawIOBase):
    """An unpacking stream that stops a bomb while it is read, and not after."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MAX_CONTENT_BYTES + 1:
            raise SourceRefused(f"{self._budget.file} is refused: its headers are too large.")
        data = self._stream.read(size)
        self._budget.check(self._stream.tell())
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == io.SEEK_SET:
            self._budget.check(offset)
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


def _plain(name: str) -> str:
    """``./a//b`` as ``a/b``."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def shared_folder(paths: Iterable[str]) -> str:
    """The first part of all paths when they have it in common, else an empty string."""
    firsts = {path.partition("/")[0] if "/" in path else "" for path in paths}
    return firsts.pop() if len(firsts) == 1 else ""


def _unpacking(file: Path) -> IO[bytes]:
    name = file.name.lower()
    if name.endswith(("gz", "tgz")):
        return cast(IO[bytes], gzip.open(file, "rb"))
    if name.endswith("bz2"):
        return bz2.open(file, "rb")
    return cast(IO[bytes], lzma.open(file, "rb")) if name.endswith("xz") else file.open("rb")


def _tar_members(file: Path, budget: Budget) -> tuple[list[Member], str | None, Callable[[], None]]:
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the listing
    found: list[Member] = []
    by_path: dict[str, Member] = {}
    try:
        with _unpacking(file) as stream:
            bounded = cast(IO[bytes], Bounded(stream, budget))
            with tarfile.open(fileobj=bounded, mode="r:", errors="surrogateescape") as tar:
                while (member := tar.next()) is not None:
                    tar.members = []  # type: ignore[attr-defined]  # it would keep them all
                    if (path := _tar_path(member, budget, by_path)) is None:
                        continue
                    if member.islnk():  # a second name of a file that came before
                        _, size, read = by_path[_plain(member.linkname)]
                    else:
                        content = head_of(cast(BinaryIO, tar.extractfile(member)))
                        size, read = member.size, _spooled(spool, content)
                    found.append((path, size, read))
                    by_path[path] = found[-1]
                comment = str(tar.pax_headers.get("comment", ""))  # what `git archive` leaves
        return found, _revision(comment.encode("utf-8", "replace")), spool.close
    except BaseException:
        spool.close()
        raise


def _tar_path(member: tarfile.TarInfo, budget: Budget, known: Mapping[str, Member]) -> str | None:
    """The path of a file; None for folders and, with a notice, for what has no content to read."""
    if member.isdir():
        return None
    budget.spend(0 if member.issparse() else member.size)
    if member.issym() or (member.islnk() and _plain(member.linkname) not in known):
        budget.notices.append(Notice(printable(member.name[:MAX_PATH_CHARS]), "link"))
    elif member.issparse():
        budget.notices.append(Notice(printable(member.name[:MAX_PATH_CHARS]), "sparse"))
    elif not member.isreg() and not member.islnk():
        budget.notices.append(Notice(printable(member.name[:MAX_PATH_CHARS]), "special_file"))
    else:
        return budget.path_of(member.name)
    return None


def _spooled(spool: IO[bytes], content: bytes) -> Callable[[], bytes]:
    offset = spool.seek(0, io.SEEK_END)
    spool.write(content)

    def read() -> bytes:
        spool.seek(offset)
        return spool.read(len(content))

    return read


def _zip_members(file: Path, budget: Budget) -> tuple[list[Member], str | None, Callable[[], None]]:
    archive = zipfile.ZipFile(file)
    found: list[Member] = []
    try:
        for member in archive.infolist():
            if member.is_dir():
                continue
            budget.spend(member.file_size)
            if (path := _zip_path(member, budget)) is not None:
                found.append((path, member.file_size, _zipped(archive, member)))
    except BaseException:
        archive.close()
        raise
    return found, _revision(archive.comment), archive.close


def _zip_path(member: zipfile.ZipInfo, budget: Budget) -> str | None:
    name = member.filename.replace("\\", "/")  # some packers of Windows write it so
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        budget.notices.append(Notice(printable(name[:MAX_PATH_CHARS]), "link"))
    elif kind not in (0, stat.S_IFREG):
        budget.notices.append(Notice(printable(name[:MAX_PATH_CHARS]), "special_file"))
    elif member.flag_bits & 0x1:
        budget.notices.append(Notice(printable(name[:MAX_PATH_CHARS]), "encrypted"))
    else:
        return budget.path_of(name)
    return None


def _zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(member) as stream:
                return head_of(cast(BinaryIO, stream))
        except UNREADABLE as error:
            raise SourceUnavailable(
                f"{printable(member.filename)} in {archive.filename} cannot be read ({error})."
            ) from error

    return read


def _revision(comment: bytes) -> str | None:
    """The commit that `git archive` writes into its comment."""
    return comment.decode() if _COMMIT.match(comment.strip()) else None
