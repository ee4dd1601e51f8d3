"""Turns one document after another into Markdown; runs in the child process.

All that its libraries load is loaded here: once confined, the child opens no file.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import IO, Any

from connectors.unpacking import (
    captions,
    mails,
    notebooks,
    pages,
    portable,
    tables,
    wikis,
    word_files,
)
from connectors.unpacking.frames import CONTENT_BYTES, Frame
from connectors.unpacking.rendering import Unread
from schemas.decoding import preload

Render = Callable[[bytes], str]
READERS: dict[str, Render] = {
    ".ipynb": notebooks.markdown_of,
    ".csv": tables.markdown_of,
    ".tsv": tables.markdown_of,
    ".vtt": captions.talk_of,
    ".srt": captions.talk_of,
    ".eml": mails.talk_of,
    ".mediawiki": wikis.markdown_of,
    ".wiki": wikis.markdown_of,
    ".html": pages.markdown_of,
    ".htm": pages.markdown_of,
    ".xhtml": pages.markdown_of,
    ".docx": word_files.markdown_of,
    ".pdf": portable.markdown_of,
}


class DocumentReader:
    """Answers each document with its text, or with the reason why there is none."""

    def __init__(self, file: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        pass

    @staticmethod
    def prepare() -> None:
        """Loads what is otherwise loaded at first use."""
        preload()
        for name in ("idna", "unicode_escape", "utf_7", "latin_1", "ascii", "hex_codec"):
            codecs.lookup(name)
        for read in {*READERS.values()}:
            try:
                read(b"x")
            except Exception:  # only what it imports matters
                continue

    def text(self, suffix: str, content: bytes) -> Iterator[Frame]:
        try:
            text = READERS[suffix](content).encode("utf-8", "replace")
            if len(text) >= CONTENT_BYTES:
                raise Unread("too_large", f"more than {CONTENT_BYTES >> 20} MiB of text")
        except Unread as error:
            yield {"reason": error.reason, "detail": error.detail}, b""
            return
        except RecursionError:
            yield {"reason": "unreadable", "detail": "nested too deeply"}, b""
            return
        yield None, text
