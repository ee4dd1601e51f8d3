"""Normalising: bytes to one form of text, so that equal content has equal hashes.

Control characters are removed before composing, not after as the steps are listed: a control
character between a letter and its accent would otherwise make a second pass change the text
again. Magic numbers are listed only where text could not begin with them by accident;
executables, archives and media that start with plain letters are caught by their NUL bytes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import Literal

from schemas.decoding import CONTROLS, SNIFFED_BYTES, WIDE_MARKS, decode, wide_encoding

LONG_LOWER_CASE = "\u0130"  # the one character whose lower case is two
MAGIC = (
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP"),
    (b"PK\x05\x06", "ZIP"),
    (b"\x1f\x8b", "GZIP"),
    (b"\x7fELF", "ELF"),
    (b"\xfe\xed\xfa\xce", "Mach-O"),
    (b"\xfe\xed\xfa\xcf", "Mach-O"),
    (b"\xce\xfa\xed\xfe", "Mach-O"),
    (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"\xca\xfe\xba\xbe", "class file"),
    (b"\x00asm", "WASM"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"wOFF", "woff"),
    (b"wOF2", "woff"),
    (b"ID3\x02", "mp3"),
    (b"ID3\x03", "mp3"),
    (b"ID3\x04", "mp3"),
    (b"\xff\xfb", "mp3"),
)
MAGIC_NUMBERS = tuple(magic for magic, _ in MAGIC)
TAR_MARK, TAR_MARK_AT = b"ustar", 257
MP4_MARK, MP4_MARK_AT = b"ftyp", 4
LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Normalised:
    """Text with its encoding, or the reason why there is none."""

    text: str = ""
    encoding: str | None = None
    refusal: Literal["binary", "undecodable"] | None = None
    detail: str | None = None


def normalise(content: bytes, declared_charset: str | None = None) -> Normalised:
    """The bytes as text: LF line ends, composed, without control characters and byte order mark."""
    if kind := binary_kind(content):
        return Normalised(refusal="binary", detail=kind)
    decoded = decode(content, declared_charset)
    if decoded is None:
        return Normalised(refusal="undecodable", detail="no encoding fits")
    text, encoding = decoded
    return Normalised(normalise_text(text), encoding)


def normalise_text(text: str) -> str:
    """The one form of ``text``. Idempotent; the number of LF is final afterwards."""
    if "\r" in text or not text.isascii():
        text = LINE_ENDS.sub("\n", text)
    if "\f" in text or "\v" in text:
        text = text.replace("\f", " ").replace("\v", " ")
    text = CONTROLS.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.lstrip("\ufeff"))
    return text + "\n" if text and not text.endswith("\n") else text


def binary_kind(content: bytes) -> str | None:
    """What says that these bytes are no text; UTF-16 and UTF-32 are text."""
    if content.startswith(WIDE_MARKS):
        return None
    if content.startswith(MAGIC_NUMBERS):
        return next(kind for magic, kind in MAGIC if content.startswith(magic))
    if content.startswith(TAR_MARK, TAR_MARK_AT):
        return "tar"
    if content.startswith(MP4_MARK, MP4_MARK_AT) and content[0] == 0:
        return "mp4"
    has_zeros = b"\x00" in content[:SNIFFED_BYTES]
    return "NUL byte" if has_zeros and not wide_encoding(content) else None


def lower(text: str) -> str:
    """The text in lower case, character for character."""
    return text.replace(LONG_LOWER_CASE, "i").lower()


def starts_of_lines(text: str) -> list[int]:
    """The offset of each line's first character; a final LF opens no further line."""
    lines = text.split("\n")
    lengths = accumulate(map(len, lines), initial=0)
    starts = list(map(add, lengths, range(len(lines))))  # a line feed before each but the first
    return starts[:-1] if len(lines) > 1 and not lines[-1] else starts
