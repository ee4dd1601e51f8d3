"""Mails as services transport them, RFC 5322 in base64url.

Ours are made here. One of a stranger is read in a child process, as every document of a stranger:
its parsers can be made to take minutes.
"""

from __future__ import annotations

import base64
import binascii
import email.policy
import os
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any

from connectors.sandbox import Limits, ReadingFailed, ReadingRefused, Sandbox
from connectors.unpacking.mail_texts import MailReader

PARTS = ("to", "cc", "bcc", "subject", "text", "in_reply_to")
HEADERS = {"to": "To", "cc": "Cc", "bcc": "Bcc", "subject": "Subject"}
CPU_S, WALL_S, MEMORY_BYTES = 5, 20.0, 1024 * 1024**2


def encode_mail(parts: Mapping[str, Any]) -> str:
    """A mail with these parts. Raises ValueError for a header that would become several."""
    message = EmailMessage(policy=email.policy.SMTP)
    for part, header in HEADERS.items():
        value = parts.get(part)
        text = ", ".join(value) if isinstance(value, list) else value
        if text:
            _set_header(message, part, header, str(text))
    if reply := parts.get("in_reply_to"):
        for header in ("In-Reply-To", "References"):
            _set_header(message, "in_reply_to", header, str(reply))
    message.set_content(str(parts.get("text", "")))
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


def _set_header(message: EmailMessage, part: str, header: str, text: str) -> None:
    if not text.isprintable():
        raise ValueError(f"{part} holds line breaks or control characters: leave them out.")
    try:
        message[header] = text
        message[header].encode()
    except Exception as error:  # the parser of addresses raises what it comes upon
        raise ValueError(f"{part} cannot be the header {header} of a mail.") from error


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
