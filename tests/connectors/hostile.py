"""Archives as an enemy writes them: what the libraries that write archives would not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Iterable, Mapping

BLOCK = tarfile.BLOCKSIZE
END = bytes(2 * BLOCK)


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "") -> bytes:
    member = tarfile.TarInfo(name[:100])
    member.type, member.size, member.linkname = kind, size, link[:100]
    return member.tobuf(tarfile.GNU_FORMAT)


def pad(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)


def a_file(name: str, content: bytes = b"good\n") -> bytes:
    return header(name, size=len(content)) + pad(content)


def a_long_name(name: bytes, kind: bytes = tarfile.GNUTYPE_LONGNAME) -> bytes:
    return header("././@LongLink", kind, len(name) + 1) + pad(name + b"\0")


def pax(fields: Mapping[str, bytes] | Iterable[tuple[str, bytes]], kind: bytes) -> bytes:
    """An extended header (``x`` for the next member, ``g`` for all that follow)."""
    given = fields.items() if isinstance(fields, Mapping) else fields
    content = b"".join(record(name.encode(), value) for name, value in given)
    return header("././@PaxHeader", kind, len(content)) + pad(content)


def record(name: bytes, value: bytes) -> bytes:
    length = len(name) + len(value) + 3
    while len(str(length)) + len(name) + len(value) + 3 != length:
        length = len(str(length)) + len(name) + len(value) + 3
    return b"%d %s=%s\n" % (length, name, value)


def sparse_of_old(blocks: int, more: bool) -> bytes:
    """An old GNU sparse member with ``blocks`` of extended map; ``more``: it never ends."""
    first = bytearray(header("sparse", tarfile.GNUTYPE_SPARSE, 0))
    first[482] = 1  # isextended
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    rows = bytearray(BLOCK)
    rows[504] = 1
    return bytes(first) + bytes(rows) * blocks + (b"" if more else bytes(BLOCK))


TARS: dict[str, bytes] = {
    "a chain of long names": a_long_name(b"a") * 2000 + a_file("a.md"),
    "a chain of long links": a_long_name(b"a", tarfile.GNUTYPE_LONGLINK) * 2000 + a_file("a.md"),
    "a chain of extended headers": pax({"path": b"a"}, b"x") * 2000 + a_file("a.md"),
    "a chain of headers for all": pax({"comment": b"a"}, b"g") * 2000 + a_file("a.md"),
    "many fields for all members": (
        pax([(f"k{number}", b"") for number in range(40_000)], b"g") + header("a") * 3000
    ),
    "digits for ever": header("././@PaxHeader", b"x", 1 << 20) + b"1" * (1 << 20) + a_file("a.md"),
    "an old sparse map without end": sparse_of_old(9, more=True),
    "an old sparse map of a million blocks": sparse_of_old(20_000, more=False),
    "a sparse map of one number": pax({"GNU.sparse.map": b"1,x"}, b"x") + a_file("a.md"),
    "a sparse map that is cut": (
        pax({"GNU.sparse.major": b"1", "GNU.sparse.minor": b"0"}, b"x")
        + a_file("a.md", b"999999999\n1\n")
    ),
    "a size that is no number": pax({"size": b"many"}, b"x") + a_file("a.md"),
    "a size below nothing": pax({"size": b"-1024"}, b"x") + a_file("a.md"),
    "a size of a thousand digits": pax({"size": b"9" * 1000}, b"x") + a_file("a.md"),
    "a field that is longer than its header": (
        header("././@PaxHeader", b"x", 30) + pad(b"99999999999 path=a\n") + a_file("a.md")
    ),
    "a character set nobody knows": pax({"hdrcharset": b"\xff\xfe"}, b"x") + a_file("a.md"),
    "a header in the middle that is damaged": (
        a_file("a.md") + b"\x07" * BLOCK + a_file("lost.md")
    ),
    "a member that is cut": header("a.md", size=1 << 20) + b"cut",
}


def pack(content: bytes, how: str) -> bytes:
    """``content`` as a tar of this suffix would hold it."""
    match how:
        case "gz":
            return gzip.compress(content)
        case "bz2":
            return bz2.compress(content)
        case "xz":
            return lzma.compress(content)
    return content


EMPTY_GZIP = gzip.compress(b"", mtime=0)


def a_plain_zip(files: Mapping[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return made.getvalue()


def patch(zipped: bytes, signature: bytes, offset: int, form: str, value: int) -> bytes:
    """The field at ``offset`` of the first record with this signature holds ``value``."""
    raw = bytearray(zipped)
    struct.pack_into(form, raw, zipped.index(signature) + offset, value)
    return bytes(raw)


LOCAL, CENTRAL, ENDING = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
ZIP64 = struct.pack(
    "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1 << 62, 1 << 62, 1 << 62, 1 << 62
)
ZIP64_PLACE = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
SOUND = a_plain_zip({"a.md": b"good\n" * 9})


def with_extra(kind: int, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        member = zipfile.ZipInfo("a.md")
        member.extra = struct.pack("<HH", kind, len(content)) + content
        out.writestr(member, b"good\n")
    return made.getvalue()


ZIPS: dict[str, bytes] = {
    "many members that are not there": patch(SOUND, ENDING, 10, "<H", 65535),
    "a directory longer than the file": patch(SOUND, ENDING, 12, "<L", 1 << 31),
    "a directory behind the end": patch(SOUND, ENDING, 16, "<L", 1 << 31),
    "a content behind the end": patch(SOUND, CENTRAL, 42, "<L", 1 << 31),
    "a packed size behind the end": patch(SOUND, CENTRAL, 20, "<L", 1 << 31),
    "a size that is not so": patch(SOUND, CENTRAL, 24, "<L", 3),
    "a packing nobody knows": patch(SOUND, CENTRAL, 10, "<H", 97),
    "lzma that is none": patch(SOUND, CENTRAL, 10, "<H", 14),
    "a version of the future": patch(SOUND, CENTRAL, 6, "<H", 9999),
    "a name that is no UTF-8": patch(
        SOUND.replace(b"a.md", b"\xff\xfe\xfd\xfc"), CENTRAL, 8, "<H", 0x800
    ),
    "a second directory of zip64": SOUND[:-22] + ZIP64 + ZIP64_PLACE + SOUND[-22:],
    "a field of zip64 that is cut": with_extra(1, b"\1\2"),
    "a name in another field that is cut": with_extra(0x7075, b"\1"),
    "an empty file": b"",
    "an end and nothing else": SOUND[-22:],
}
