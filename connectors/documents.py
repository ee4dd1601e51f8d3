"""Documents that are no plain text, as Markdown: what is read and quoted is the text made here.

Their parsers run in a child process (``connectors.sandbox``), which ends after some documents, so
that none pays for those before it. The same bytes give the same text, so that an unchanged document
stays unchanged. What cannot be read is ``Unread`` with a reason.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import IO

from connectors.connector import MAX_CONTENT_BYTES, printable
from connectors.sandbox import Limits, ReadingFailed, ReadingRefused, Sandbox
from connectors.unpacking.documents import DocumentReader
from connectors.unpacking.rendering import Unread
from schemas.source_kinds import RENDERED_SUFFIXES, suffix_of

__all__ = ["Documents", "Unread"]

DOCUMENTS_PER_CHILD = 200
CPU_S, WALL_S, MEMORY_BYTES = 60, 300.0, 1024 * 1024**2


class Documents:
    """Reads documents; use it as a context manager, or close it. Starts a child when needed."""

    def __init__(self) -> None:
        self._child: Sandbox | None = None
        self._asked = 0
        self._nothing: IO[bytes] | None = None

    def text_of(self, path: str, content: bytes) -> bytes:
        """The document at ``path`` as Markdown, anything else as it is. Raises Unread."""
        suffix = suffix_of(path)
        if suffix not in RENDERED_SUFFIXES:
            return content
        if len(content) >= MAX_CONTENT_BYTES:
            raise Unread("too_large", f"more than {MAX_CONTENT_BYTES >> 20} MiB")
        if not content.strip():
            return content
        fresh = self._child is None
        try:
            return self._ask(suffix, content)
        except (ReadingRefused, ReadingFailed) as error:
            if isinstance(error, ReadingFailed) and not error.ended:
                raise _unread(error) from error
            self._end()
            if fresh:  # the limit was its own
                raise _unread(error) from error
        return self._alone(suffix, content)

    def _alone(self, suffix: str, content: bytes) -> bytes:
        """Once more in a child that has done nothing before."""
        try:
            return self._ask(suffix, content)
        except (ReadingRefused, ReadingFailed) as error:
            self._end()
            raise _unread(error) from error

    def _ask(self, suffix: str, content: bytes) -> bytes:
        if self._asked >= DOCUMENTS_PER_CHILD:
            self._end()
        if self._child is None:
            self._child = self._start()
        self._asked += 1
        ((answer, text),) = self._child.ask("text", suffix, content=content)
        if answer is not None:
            raise Unread(answer["reason"], printable(str(answer["detail"]))[:200])
        return text

    def _start(self) -> Sandbox:
        if self._nothing is None:
            self._nothing = open(os.devnull, "rb")  # noqa: SIM115 - lives as long as this
        limits = Limits(CPU_S, WALL_S, MEMORY_BYTES, 0)
        return Sandbox(DocumentReader, self._nothing, limits, {})

    def _end(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child, self._asked = None, 0

    def close(self) -> None:
        self._end()
        if self._nothing is not None:
            self._nothing.close()
            self._nothing = None

    def __enter__(self) -> Documents:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _unread(error: Exception) -> Unread:
    """A parser's own words may quote the document, so they are not told."""
    if isinstance(error, ReadingRefused):
        return Unread("unreadable", f"reading it took {error}")
    return Unread("unreadable", "damaged, or not what its name says")
