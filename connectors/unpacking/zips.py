"""Reads a zip member by member, on request."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from connectors.unpacking.budget import Bounds, Refused, UnpackingBudget
from connectors.unpacking.frames import Frame
from connectors.unpacking.zip_names import names_of
from schemas.decoding import preload

AT_ONCE = 500  # members in one frame


class ZipReader:
    """The members of a zip, and the content of each."""

    def __init__(self, archive: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        self._budget = UnpackingBudget(Bounds(**options["bounds"]))
        self._packed = archive

    @staticmethod
    def prepare() -> None:
        """Loads what is otherwise loaded at first use."""
        preload()

    def members(self) -> Iterator[Frame]:
        """Lists of ``[name, kind, size, number, 0]``; at the end the zip's comment."""
        self._zip = zipfile.ZipFile(self._packed)
        self._members = self._zip.infolist()
        entries: list[list[Any]] = []
        named = zip(self._members, names_of(self._members), strict=True)
        for number, (member, full) in enumerate(named):
            # Some packers of Windows write backslashes.
            full = full.partition("\0")[0].replace("\\", "/")
            if full.endswith("/"):
                continue
            name = self._budget.spend(full, member.file_size)
            entries.append([name, _kind(member), member.file_size, number, 0])
            if len(entries) == AT_ONCE:
                yield entries, b""
                entries = []
        yield entries, b""
        yield {"comment": self._zip.comment[:100].decode("ascii", "replace")}, b""

    def content(self, number: int) -> Iterator[Frame]:
        """One answer: the content up to the limit."""
        missing = self._budget.bounds.content_bytes
        parts: list[bytes] = []
        try:
            with self._zip.open(self._members[number]) as stream:
                while missing and (part := stream.read(missing)):
                    parts.append(part)
                    missing -= len(part)
        except MemoryError:  # other members may need less
            raise Refused("more than the memory limit") from None
        yield None, b"".join(parts)


def _kind(member: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "link"
    if kind not in (0, stat.S_IFREG):
        return "special_file"
    return "encrypted" if member.flag_bits & 0x1 else "file"
