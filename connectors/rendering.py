"""The text of a service item in the form of ``schemas.talk``: the bytes of its revision.

The same item gives the same bytes, whether it was polled or delivered. A chat message is a piece of
its own: it is encrypted with its author's key, so that erasing a person reaches only their words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from connectors.service_items import Remark, ServiceItem
from schemas.talk import escape_heads, head_of

_LINE_ENDS = re.compile(r"\r\n|[\r\x85\u2028\u2029]")
_PAGE_ENDS = re.compile(r"[\f\v]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_TOO_MANY_BLANK = re.compile(r"\n(?:[ \t]*\n){2,}")
_NOT_IN_A_NAME = re.compile(r"[\s()]+")
LONGEST_NAME = 80
LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text. ``author`` is the owner of its key; None is the project."""

    author: str | None
    content: bytes


def render(item: ServiceItem) -> bytes:
    """The text of an item in UTF-8; it ends with a line feed."""
    return b"".join(piece.content for piece in pieces(item))


def pieces(item: ServiceItem) -> list[Piece]:
    """The text in the parts that are encrypted separately; ``render`` joins them.

    In chat each remark is its author's piece and the head is the project's. Everything else is one
    piece of the project.
    """
    head = _record_head(item).encode()
    is_chat = item.source_type == "chat_thread"
    rendered = [(remark, _render_remark(remark, is_chat).encode()) for remark in item.remarks]
    if not is_chat:
        return [Piece(None, head + b"".join(content for _, content in rendered))]
    return [Piece(None, head), *(Piece(remark.author, content) for remark, content in rendered)]


def _record_head(item: ServiceItem) -> str:
    title = f"Re: {item.about}" if item.about and item.about != item.title else item.title
    lines = [f"# {_one_line(title)[:LONGEST_TITLE]}"]
    facts = []
    if item.state:
        facts.append(f"State: {_one_line(item.state)}.")
    if item.labels:
        facts.append(f"Labels: {', '.join(map(_one_line, sorted(set(item.labels))))}.")
    if item.restricted_to:
        facts.append(f"Restricted to: {_one_line(item.restricted_to)}.")
    if facts:
        lines += ["", " ".join(facts)]
    return "\n".join(lines) + "\n"


def _render_remark(remark: Remark, is_chat: bool) -> str:
    """Head and body. In chat the speaker is a pseudonym, in the form of a redaction."""
    role = _name(remark.role) if remark.role else None
    speaker = f"[PERSON:{_name(remark.author)}]" if is_chat else _name(remark.author)
    head = head_of(speaker, role, remark.at, remark.edited_at)
    body = escape_heads(_TOO_MANY_BLANK.sub("\n\n", _clean(remark.body))).strip("\n").rstrip()
    return f"\n{head}\n\n{body}\n" if body else f"\n{head}\n"


def _name(written: str) -> str:
    """A name that fits into a head: one line, no brackets, never empty."""
    return _NOT_IN_A_NAME.sub(" ", _clean(written)).strip()[:LONGEST_NAME] or "unknown"


def _one_line(text: str) -> str:
    return " ".join(_clean(text).split())


def _clean(text: str) -> str:
    """Normalises like stage 0, so that line numbers are the same there."""
    text = _PAGE_ENDS.sub(" ", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _CONTROLS.sub("", text))
