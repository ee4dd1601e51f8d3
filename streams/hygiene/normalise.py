"""Normalising: bytes to one form of text, so that equal content has equal hashes.

Control characters are removed before composing, not after as the steps are listed: a control
character between a letter and its accent would otherwise make a second pass change the text
again. Magic numbers are listed only where text could not begin with them by accident;
executables, archives and media that start with plain letters are caught by their NUL bytes.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

SNIFFED_BYTES = 8 * 1024
PRINTABLE_SHARE = 0.95
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
WIDE_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WIDE_MARKS = tuple(mark for mark, _ in WIDE_BOMS)
NO_CHARSETS = frozenset(("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"))
LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


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
    """What says that these bytes are no text; UTF-16 and UTF-32 with a byte order mark are text."""
    if content.startswith(WIDE_MARKS):
        return None
    if content.startswith(MAGIC_NUMBERS):
        return next(kind for magic, kind in MAGIC if content.startswith(magic))
    if content.startswith(TAR_MARK, TAR_MARK_AT):
        return "tar"
    if content.startswith(MP4_MARK, MP4_MARK_AT) and content[0] == 0:
        return "mp4"
    return "NUL byte" if b"\x00" in content[:SNIFFED_BYTES] else None


def decode(content: bytes, declared_charset: str | None) -> tuple[str, str] | None:
    """The text and the encoding that fits first: mark, UTF-8, declared, Windows-1252."""
    for mark, encoding in WIDE_BOMS:
        if content.startswith(mark):
            text = _strictly(content[len(mark) :], encoding)
            if text is not None:
                return text, encoding
    if content.startswith(codecs.BOM_UTF8):
        content = content[len(codecs.BOM_UTF8) :]
    for charset in ("utf-8", _text_codec(declared_charset)):
        if charset and (text := _strictly(content, charset)) is not None:
            return text, charset
    western = content.decode("cp1252", "replace")
    return (western, "windows-1252") if _mostly_printable(western) else None


def _strictly(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
        if encoding != "utf-8":
            text.encode()  # some codecs let lone surrogates through
        return text
    except ValueError:
        return None


def _text_codec(charset: str | None) -> str | None:
    """The codec's own name when ``charset`` names one that turns bytes into text."""
    try:
        name = codecs.lookup(charset).name if charset else None
        "".encode(name or "utf-8")
    except (LookupError, ValueError, TypeError):
        return None
    return None if name is None or name.replace("-", "_") in NO_CHARSETS else name


def _mostly_printable(text: str) -> bool:
    odd = len(CONTROLS.findall(text)) + text.count("\ufffd")
    return odd <= (1 - PRINTABLE_SHARE) * len(text)


def lower(text: str) -> str:
    """The text in lower case, character for character."""
    return text.replace(LONG_LOWER_CASE, "i").lower()
