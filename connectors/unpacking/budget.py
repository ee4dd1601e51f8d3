"""Limits of what an archive may contain, checked before content is read."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO

HEADER_BYTES = 1024 * 1024  # of one header of a tar; git and GNU tar write some hundred
BLOCK_BYTES = 512  # of a tar; a header that is extended takes further ones
# Of all extended headers: those of 1 MiB in each of 200 members cost 25 s and pack to 0.2 MB.
EXTENDED_BYTES, EXTENDED_BYTES_A_MEMBER = 4 * 1024 * 1024, 2 * 1024


class Refused(Exception):
    """The file could be read but exceeds a limit. The message names only the limit."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of an archive of ``packed_bytes``."""

    packed_bytes: int
    members: int
    total_bytes: int
    ratio: int
    ratio_from_bytes: int
    content_bytes: int
    name_chars: int
    names_chars: int


class UnpackingBudget:
    """Counts what was read of an archive. All methods raise Refused above a limit."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._members = 0
        self._bytes = 0
        self._chars = 0

    def spend(self, name: str, size: int) -> str:
        """Counts a member; returns its name, cut just above the limit of a name's length."""
        name = name[: self.bounds.name_chars + 1]
        self._members += 1
        self._bytes += size
        self._chars += len(name)
        self.check(self._bytes)
        if self._members > self.bounds.members:
            raise Refused(f"more than {self.bounds.members:,} members")
        if self._chars > self.bounds.names_chars:
            raise Refused(f"more than {self.bounds.names_chars:,} characters of names")
        return name

    @property
    def extended_bytes(self) -> int:
        """What the extended headers of the members so far may have."""
        return EXTENDED_BYTES + EXTENDED_BYTES_A_MEMBER * self._members

    def check(self, unpacked: int) -> None:
        """Checks the number of unpacked bytes."""
        bounds = self.bounds
        if unpacked > bounds.total_bytes:
            raise Refused(f"more than {bounds.total_bytes >> 30} GiB unpacked")
        if unpacked > bounds.ratio_from_bytes and unpacked > bounds.ratio * bounds.packed_bytes:
            raise Refused(f"more than {bounds.ratio} times its own size unpacked")


class Bounded(io.RawIOBase):
    """A decompressing stream that stops a bomb while it is read.

    Parsers of headers read as many bytes as a header claims; contents are read with ``content``.
    """

    def __init__(self, stream: IO[bytes], budget: UnpackingBudget) -> None:
        self._stream = stream
        self._budget = budget
        self._extended_bytes = 0

    def read(self, size: int = -1) -> bytes:
        if size > BLOCK_BYTES:
            self._extended_bytes += size
        is_too_much = self._extended_bytes > self._budget.extended_bytes
        if is_too_much or not 0 <= size <= HEADER_BYTES:
            raise Refused("its headers are too large")
        return self._take(size)

    def read_on(self) -> bytes:
        """The next bytes, which are no header; none at the end."""
        return self._take(HEADER_BYTES)

    def content(self, size: int) -> bytes:
        """The next ``size`` bytes. Raises EOFError."""
        content = self._take(size)
        if len(content) < size:
            raise EOFError("it ends in the middle of a member")
        return content

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == io.SEEK_SET:
            self._budget.check(offset)
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._budget.check(self._stream.tell())
        return data


def plain(name: str) -> str:
    """``./a//b`` as ``a/b``."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))
