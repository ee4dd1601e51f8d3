"""Reads a tar once: each content goes to the spool file, and its place there is reported.

Listing order differs from the archive's, and going back in a compressed stream would mean starting
again.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Iterator
from typing import IO, Any, cast

from connectors.unpacking.budget import (
    Bounded,
    Bounds,
    Refused,
    UnpackingBudget,
    plain,
)
from connectors.unpacking.frames import Frame

AT_ONCE = 500  # members in one frame
PAX_FIELDS = 1_000  # global fields; tarfile copies them to each member


class TarReader:
    """The members of a tar. ``suffix`` tells the compression."""

    def __init__(self, archive: IO[bytes], spool: IO[bytes], options: dict[str, Any]) -> None:
        self._budget = UnpackingBudget(Bounds(**options["bounds"]))
        self._packed, self._spool = archive, spool
        self._suffix: str = options["suffix"]
        self._end = 0  # of the spool
        self._places: dict[str, list[int]] = {}

    def members(self) -> Iterator[Frame]:
        """Lists of ``[name, kind, size, offset, length]``; at the end the tar's comment."""
        entries: list[list[Any]] = []
        with _decompress(self._packed, self._suffix) as stream:
            bounded = Bounded(stream, self._budget)
            with tarfile.open(
                fileobj=cast(IO[bytes], bounded), mode="r:", errors="surrogateescape"
            ) as tar:
                while (member := tar.next()) is not None:
                    tar.members = []  # type: ignore[attr-defined]  # tarfile would keep all members
                    if len(tar.pax_headers) > PAX_FIELDS:
                        raise Refused("its headers are too large")
                    if not member.isdir():
                        entries.append(self._describe(member, bounded))
                    if len(entries) == AT_ONCE:
                        yield entries, b""
                        entries = []
                _check_end(bounded, tar.offset)
                comment = str(tar.pax_headers.get("comment", ""))
            while bounded.read_on():  # to the sum at the end of what is packed
                pass
        self._spool.flush()
        yield entries, b""
        yield {"comment": comment[:100]}, b""  # `git archive` leaves the commit there

    def _describe(self, member: tarfile.TarInfo, stream: Bounded) -> list[Any]:
        if member.size < 0:
            raise tarfile.ReadError("a member has a negative size")
        name = self._budget.spend(member.name, 0 if member.issparse() else member.size)
        linked = self._places.get(plain(member.linkname)) if member.islnk() else None
        if linked:  # a second name of a file that came before
            place = linked
        elif member.issym() or member.islnk():
            return [name, "link", 0, 0, 0]
        elif member.issparse():
            return [name, "sparse", 0, 0, 0]
        elif not member.isreg():
            return [name, "special_file", 0, 0, 0]
        else:
            place = self._spool_content(member, stream)
        self._places[plain(name)] = place
        return [name, "file", *place]

    def _spool_content(self, member: tarfile.TarInfo, stream: Bounded) -> list[int]:
        """Size, and where in the spool the readable part lies."""
        stream.seek(member.offset_data)
        content = stream.content(min(member.size, self._budget.bounds.content_bytes))
        self._spool.write(content)
        self._end += len(content)
        return [member.size, self._end - len(content), len(content)]


def _check_end(stream: Bounded, offset: int) -> None:
    """Raises ReadError if the end is a damaged header, which ``tarfile`` takes for the end."""
    stream.seek(offset)
    if stream.read(tarfile.BLOCKSIZE).strip(b"\0"):
        raise tarfile.ReadError("a header in the middle of it is damaged")


def _decompress(file: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix.endswith("gz"):
        return cast(IO[bytes], gzip.open(file, "rb"))
    if suffix.endswith("bz2"):
        return bz2.open(file, "rb")
    return cast(IO[bytes], lzma.open(file, "rb")) if suffix.endswith("xz") else file
