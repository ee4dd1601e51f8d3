"""Turns one document after another into Markdown; runs in the child process.

All that its libraries load is loaded here: once confined, the child opens no file.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from connectors.unpacking import (
    captions,
    mails,
    notebooks,
    pages,
    portable,
    value_tables,
    wikis,
    word_files,
)
from connectors.unpacking.frames import CONTENT_BYTES, Frame
from connectors.unpacking.rendering import Unread
from schemas.decoding import preload

Render = Callable[[bytes], str]
READERS: dict[str, Render] = {
    ".ipynb": notebooks.markdown_of,
    ".csv": value_tables.markdown_of,
    ".tsv": value_tables.markdown_of,
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
# Of formats whose libraries load parts of themselves when a text has use for them.
SAMPLES = {
    ".mediawiki": b"== a ==\n[https://a.example b] {{c}} <ref>d</ref> [[e|f]] &amp; <!-- g -->\n",
    ".html": b"<p>a <b>b</b> &amp; <a href=c>d</a><table><tr><td>e</table><ul><li>f</ul>",
    ".eml": b"From: =?utf-8?q?a?= <a@b.example>\nSubject: =?koi8-r?b?YQ==?=\nDate: Mon, 5 Jan 2026"
    b" 09:00:00 +0100\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nd\n--c--\n",
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
        for suffix, read in READERS.items():
            with contextlib.suppress(Exception):  # only what it loads matters
                read(SAMPLES.get(suffix, b"x"))

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
