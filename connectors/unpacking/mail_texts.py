"""Reads one mail as its head and text; runs in the child process."""

from __future__ import annotations

import contextlib
import email.policy
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from typing import IO, Any

from connectors.unpacking import pages
from connectors.unpacking.documents import SAMPLES, DocumentReader
from connectors.unpacking.frames import Frame
from connectors.unpacking.rendering import one_line, text_of

HEAD = ("From", "To", "Cc", "Date", "Subject", "Message-ID")
LONGEST_HEADER = 2_000  # characters
NO_TEXT = "(no text)"


class MailReader:
    """Answers a mail with its head, the names of its attachments, and its text."""

    def __init__(self, file: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        pass

    @staticmethod
    def prepare() -> None:
        DocumentReader.prepare()
        with contextlib.suppress(Exception):  # only what it loads matters
            read_mail(SAMPLES[".eml"])

    def mail(self, content: bytes) -> Iterator[Frame]:
        yield None, read_mail(content).encode("utf-8", "replace")


def read_mail(content: bytes) -> str:
    """The mail as a person reads it. Raises whatever its parsers come upon."""
    message = message_from_bytes(content.lstrip(), policy=email.policy.default)
    head = [
        f"{name}: {one_line(str(message[name]))[:LONGEST_HEADER]}"
        for name in HEAD
        if message[name] is not None
    ]
    names = [one_line(part.get_filename() or "") for part in message.iter_attachments()]
    if named := ", ".join(name for name in names if name):
        head.append(f"Attachments, not read: {named[:LONGEST_HEADER]}")
    return "\n".join([*head, "", _body(message).strip() or NO_TEXT])


def _body(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        return NO_TEXT
    raw = part.get_payload(decode=True)
    content = raw if isinstance(raw, bytes) else str(part.get_payload()).encode()
    charset = part.get_content_charset()
    if part.get_content_subtype() == "html":
        return pages.markdown_of(content, charset)
    return text_of(content, charset) if content.strip() else NO_TEXT
