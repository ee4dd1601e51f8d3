"""Names in a zip from their raw bytes.

Only a flag says that a name is UTF-8, and many packers leave it out. Others write the code page of
the machine they run on. So the names are taken together: UTF-8 if all are valid; in words of few
such bytes accented letters; else the charset that fits all.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence

import chardet

UTF_8_FLAG = 0x800
UNICODE_PATH = (
    0x7075  # an extra field of Info-ZIP: the name in UTF-8, bound to the raw one by its sum
)
WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff\\]*")
HIGH = re.compile(rb"[\x80-\xff]")
OF_DOS, OF_WINDOWS = "cp437", "cp1252"
WESTERN = (OF_DOS, OF_WINDOWS, "cp850")
PUNCTUATION = frozenset("–—‘’“”")
OTHERS = ("cp932", "gb18030", "big5", "cp949", "cp866")
SURE_FROM = 0.1  # chardet's own measure
SAMPLE_BYTES = 64 * 1024


def names_of(members: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The name of each member."""
    names = [_told_name(member) for member in members]
    raw = [_raw_name(it) for it, name in zip(members, names, strict=True) if name is None]
    charset = charset_of(raw)
    return [
        _raw_name(member).decode(charset, "surrogateescape") if name is None else name
        for member, name in zip(members, names, strict=True)
    ]


def charset_of(names: Sequence[bytes]) -> str:
    """The charset in which all names make sense."""
    foreign = [name for name in names if not name.isascii()]
    if all(_fits(name, "utf-8") for name in foreign):
        return "utf-8"
    words = WORD.findall(b"\n".join(foreign))
    marks = HIGH.findall(b"".join(words))
    if len(marks) * 2 <= sum(map(len, words)):
        return next((each for each in WESTERN if _is_latin(b"".join(marks), each)), OF_WINDOWS)
    guess = chardet.detect(b"\n".join(foreign)[:SAMPLE_BYTES])
    named = [str(guess["encoding"])] if (guess["confidence"] or 0) >= SURE_FROM else []
    fitting = (each for each in (*named, *OTHERS) if all(_fits(name, each) for name in foreign))
    return next(fitting, OF_DOS)


def _told_name(member: zipfile.ZipInfo) -> str | None:
    """The name that the zip itself says is Unicode."""
    if member.flag_bits & UTF_8_FLAG:
        return member.orig_filename
    rest = member.extra
    while len(rest) >= 4:
        kind, size = int.from_bytes(rest[:2], "little"), int.from_bytes(rest[2:4], "little")
        field, rest = rest[4 : 4 + size], rest[4 + size :]
        belongs = int.from_bytes(field[1:5], "little") == zlib.crc32(_raw_name(member))
        if kind == UNICODE_PATH and field[:1] == b"\x01" and belongs:
            return field[5:].decode("utf-8", "surrogateescape")
    return None


def _raw_name(member: zipfile.ZipInfo) -> bytes:
    """The bytes of a name without the flag, which zipfile takes for code page 437."""
    return member.orig_filename.encode("cp437", "surrogateescape")


def _is_latin(marks: bytes, charset: str) -> bool:
    """Whether the bytes beyond ASCII are Latin letters, as in words of Western languages."""
    text = marks.decode(charset, "replace")
    return all(it in PUNCTUATION or unicodedata.name(it, "").startswith("LATIN") for it in text)


def _fits(name: bytes, charset: str) -> bool:
    try:
        return name.decode(charset).isprintable()
    except (UnicodeDecodeError, LookupError):
        return False
