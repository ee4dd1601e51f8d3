"""A container's output as a Docker engine sends it, in frames; and lines out of pieces."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncGenerator, AsyncIterator

from infra.service.development.containers.lines import MOST_LINE_BYTES

HEADER_BYTES = 8  # one of the stream, three of nothing, four of the length, the highest first
STDERR = 2
KEPT_ERROR_CHARS = 8_192


class FrameReader:
    """``errors`` is the end of what the container has written to standard error."""

    def __init__(self) -> None:
        self.errors = ""

    async def read(self, reader: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
        """Pieces of standard output until the connection ends, wherever it is cut."""
        try:
            while True:
                stream, size = struct.unpack(">B3xI", await reader.readexactly(HEADER_BYTES))
                content = await reader.readexactly(size)
                if stream == STDERR:
                    text = content.decode("utf-8", "replace")
                    self.errors = (self.errors + text)[-KEPT_ERROR_CHARS:]
                else:
                    yield content
        except (asyncio.IncompleteReadError, OSError):
            return


async def split_lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    """Lines without their ends; one that is longer than any of ours is passed over."""
    rest, is_too_long = b"", False
    async for piece in pieces:
        *ended, last = piece.split(b"\n")
        for line in ended:
            if not is_too_long:
                yield (rest + line).decode("utf-8", "replace")
            rest, is_too_long = b"", False
        rest += last
        if len(rest) > MOST_LINE_BYTES:
            rest, is_too_long = b"", True
    if rest and not is_too_long:
        yield rest.decode("utf-8", "replace")
