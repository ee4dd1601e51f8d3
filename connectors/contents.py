"""An item's content on its way to the log: read, made text where it is a document, encrypted.

A listed item whose content cannot be had still needs an answer, or its run never ends: a known
source keeps its last revision, a new one is published without content and with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from connectors.connector import Item, SourceUnavailable
from connectors.documents import Documents, Unread
from schemas import ids
from schemas.events.source import CONTENT_PART_BYTES, UnreadReason

NO_HASH = ""  # for content that could not be read; matches no bytes
MAX_DETAIL_CHARS = 200
MAX_POINTER_BYTES = 1024  # Git LFS writes some 130, git-annex one line
POINTER = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v\d\r?\n(?:.*\r?\n)*?oid sha256:"
    rb"|(?P<annex>/annex/objects/[A-Z0-9]{2,20}-s\d+)"
)
_IN_BRACKETS = re.compile(r"\(([^()]+)\)\W*$")

Encrypt = Callable[[bytes, str], tuple[str, bytes]]  # content, owner; "" is the project


@dataclass(frozen=True, slots=True)
class Content:
    """What is published of an item, or why there is none; ``raw_sha256`` is of what was seen.

    ``unreadable`` is a sentence for the user, if the item could not be read.
    """

    item: Item
    content: bytes
    raw_sha256: str
    unread: UnreadReason | None = None
    detail: str = ""
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class EncryptedContent:
    """A content in encrypted parts, key ids with ciphertexts; none if it is as ``before``."""

    read: Content
    parts: list[tuple[str, bytes]]

    @property
    def size(self) -> int:
        return sum(len(content) for _, content in self.parts)


def read_content(item: Item, documents: Documents, before: str | None = None) -> Content:
    """``before`` is the hash of the last accepted revision, which an unreadable item keeps."""
    try:
        seen = item.read()
    except SourceUnavailable as error:
        match = _IN_BRACKETS.search(str(error))
        detail = match[1] if match else "it does not answer"
        raw = before or NO_HASH
        return Content(item, b"", raw, error.unread, detail[:MAX_DETAIL_CHARS], str(error))
    item = item.with_content(seen)
    if (elsewhere := POINTER.match(seen)) and len(seen) <= MAX_POINTER_BYTES:
        detail = f"a pointer of {'git-annex' if elsewhere['annex'] else 'Git LFS'} to its content"
        return Content(item, b"", ids.sha256_hex(seen), "not_fetched", detail)
    if item.unread is not None:
        reason, detail = item.unread  # part of the hash: without it the content is sent again
        raw = ids.sha256_hex(reason.encode() + b"\n" + seen)
        return Content(item, b"", raw, reason, detail)
    if item.source_type is not None:  # a service's, whose text is written here
        return Content(item, seen, ids.sha256_hex(seen))
    try:
        content = documents.text_of(item.path, seen)
    except Unread as error:
        return Content(item, b"", ids.sha256_hex(seen), error.reason, error.detail)
    return Content(item, content, ids.sha256_hex(content))


def encrypt_content(read: Content, encrypt: Encrypt, before: str | None) -> EncryptedContent:
    """The content in parts, each under its owner's key; no parts if it is as ``before``."""
    if read.raw_sha256 == before:
        return EncryptedContent(read, [])
    parts, start = [], 0
    for owner, length in read.item.owners or (("", len(read.content)),):
        end = start + length
        for at in range(start, end, CONTENT_PART_BYTES):
            piece = read.content[at : min(end, at + CONTENT_PART_BYTES)]
            parts.append(encrypt(piece, owner))
        start = end
    return EncryptedContent(read, parts or [encrypt(b"", "")])
