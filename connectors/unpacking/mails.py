"""Mails as talk: subject, who wrote it and when, and what they wrote; no quotations of others.

The body is the plain text; if there is none, the HTML as Markdown. Attachments are named, not read.
"""

from __future__ import annotations

import email.policy
import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.utils import parseaddr

from connectors.unpacking import pages
from connectors.unpacking.rendering import Unread, joined, one_line, text_of
from schemas.talk import escape_heads, head_of

# With the line that says who wrote it: it names an address or a time.
QUOTED = re.compile(
    r"(?:^(?=[^\n]*(?:@|\d{4}|\d:\d\d))(?![ \t]*>)[^\n]{1,300}:[ \t]*\n(?:[ \t]*\n)?)?"
    r"(?:^[ \t]*>.*(?:\n|\Z))+",
    re.MULTILINE,
)
SIGNATURE = re.compile(r"^-- ?$.*\Z", re.MULTILINE | re.DOTALL)
FORWARDED = re.compile(r"^-{3,}[ \w]+-{3,}\s*\n[\w-]+:.*\Z", re.MULTILINE | re.DOTALL)


def talk_of(content: bytes) -> str:
    """Raises Unread."""
    message = message_from_bytes(content.lstrip(), policy=email.policy.default)
    if not message.keys() or "subject" not in message and "from" not in message:
        raise Unread("unreadable", "no mail: it has neither subject nor sender")
    subject = one_line(str(message.get("subject", ""))) or "Mail"
    body = _body(message)
    names = [one_line(part.get_filename() or "") for part in message.iter_attachments()]
    if named := ", ".join(name for name in names if name):
        body = f"{body.rstrip()}\n\nAttachments, not read: {named}"
    return joined([f"# {subject}", *_head(message), escape_heads(body)])


def _head(message: EmailMessage) -> list[str]:
    """The head of a remark; a mail without a true date has none."""
    name, address = parseaddr(str(message.get("from", "")))
    at = _date(message)
    who = one_line(name or address)[:100].strip("\"'") or "unknown sender"
    return [head_of(who, None, at)] if at else []


def _date(message: EmailMessage) -> datetime | None:
    try:
        at = message["date"].datetime
        return None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC))
    except (AttributeError, ValueError, TypeError, OverflowError):
        return None


def _body(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        raise Unread("no_text", "a mail without a text")
    raw = part.get_payload(decode=True)
    content = raw if isinstance(raw, bytes) else str(part.get_payload()).encode()
    charset = part.get_content_charset()
    if part.get_content_subtype() == "html":
        return pages.markdown_of(content, charset)
    text = text_of(content, charset) if content.strip() else ""
    return QUOTED.sub("\n", FORWARDED.sub("", SIGNATURE.sub("", text)))
