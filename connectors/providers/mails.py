"""Mails as services transport them, RFC 5322 in base64url.

Ours are made here. One of a stranger is read in a child process, as every document of a stranger:
its parsers can be made to take minutes.
"""

from __future__ import annotations

import base64
import binascii
import email.policy
import os
import re
from collections.abc import Mapping
from email.header import Header
from email.message import EmailMessage
from typing import Any

from connectors.sandbox import Limits, ReadingFailed, ReadingRefused, Sandbox
from connectors.unpacking.mail_texts import MailReader

PARTS = ("to", "cc", "bcc", "subject", "text", "in_reply_to")
RECIPIENTS = {"to": "To", "cc": "Cc", "bcc": "Bcc"}
LONGEST_LINE = 900  # characters of a header; the standard ends a line at 998
CPU_S, WALL_S, MEMORY_BYTES = 5, 20.0, 1024 * 1024**2
_ENCODED = re.compile(r"=\?.*\?=")  # RFC 2047: who reads a header decodes it, line breaks and all
_ADDRESS = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}"
_MAILBOX = re.compile(
    rf"""\ {{0,9}}(?:(?:"(?P<quoted>[^"\\@<>]{{1,200}})"|(?P<name>[^"\\@<>()\[\],;:]{{0,200}}))
    \ {{0,9}}<(?P<address>{_ADDRESS})>|(?P<bare>{_ADDRESS}))\ {{0,9}}(?:,|$)""",
    re.VERBOSE,
)
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,800}>")


def encode_mail(parts: Mapping[str, Any]) -> str:
    """A mail with these parts, read by every program as they are written here.

    Raises ValueError for a header that would say something else to whoever transports it.
    """
    lines: list[str] = []
    for part, header in RECIPIENTS.items():
        if text := _read_part(parts, part):
            lines.append(f"{header}: {_write_recipients(part, text)}")
    if subject := _read_part(parts, "subject"):
        lines.append(f"Subject: {_write_words(subject, 'Subject')}")
    if reply := _read_part(parts, "in_reply_to"):
        if not _MESSAGE_ID.fullmatch(reply):
            raise ValueError("in_reply_to is no Message-ID: write it as <id@host>.")
        lines += [f"In-Reply-To: {reply}", f"References: {reply}"]
    content = EmailMessage(policy=email.policy.SMTP)
    content.set_content(str(parts.get("text", "")))
    head = "".join(f"{line}\r\n" for line in lines).encode("ascii")
    return base64.urlsafe_b64encode(head + content.as_bytes()).decode()


def _read_part(parts: Mapping[str, Any], part: str) -> str:
    """The text of a header, which holds nothing but what one sees of it. Raises ValueError."""
    value = parts.get(part) or ""
    text = (", ".join(map(str, value)) if isinstance(value, list) else str(value)).strip()
    if not text.isprintable():
        raise ValueError(f"{part} holds line breaks or control characters: leave them out.")
    if _ENCODED.search(text):
        raise ValueError(f"{part} holds an encoded word (=?…?=): write what it stands for.")
    return text


def _write_recipients(part: str, text: str) -> str:
    """The recipients, each on a line of its own. Raises ValueError for what is not clearly one."""
    written: list[str] = []
    at = 0
    while at < len(text):
        mailbox = _MAILBOX.match(text, at)
        if mailbox is None:
            raise ValueError(
                f"{part} holds something else than addresses: write each as ana@example.org or"
                ' "Ana Berg" <ana@example.org>, with commas between them.'
            )
        name = (mailbox["quoted"] or mailbox["name"] or "").strip()
        address = mailbox["address"] or mailbox["bare"]
        written.append(f"{_write_name(name)} <{address}>" if name else address)
        at = mailbox.end()
    return ",\r\n ".join(written)


def _write_name(name: str) -> str:
    return f'"{name}"' if name.isascii() else _write_words(name, "")


def _write_words(text: str, header: str) -> str:
    """The text as one line of ASCII, or as encoded words on several."""
    if text.isascii() and len(text) <= LONGEST_LINE:
        return text
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def read_mail(encoded: str) -> str:
    """The head and the text of a mail in base64url. Raises ValueError where it cannot be read."""
    try:
        content = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except (binascii.Error, ValueError) as error:
        raise ValueError("the mail is not in base64url") from error
    try:
        return _ask_child(content).decode("utf-8", "replace")
    except (ReadingFailed, ReadingRefused, OSError) as error:  # its words may quote the mail
        raise ValueError("the mail cannot be read") from error


def _ask_child(content: bytes) -> bytes:
    with open(os.devnull, "rb") as nothing:
        child = Sandbox(MailReader, nothing, Limits(CPU_S, WALL_S, MEMORY_BYTES, 0), {})
        try:
            ((_, text),) = child.ask("mail", content=content)
        finally:
            child.close()
    return text
