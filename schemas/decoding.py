"""Bytes as text: which encoding they are in, exactly, or that none fits.

UTF-8 is believed wherever it is valid, also line by line: a stray byte says nothing of the lines
around it. Lines that are no UTF-8 are judged by chardet, whose answer counts only where it is sure
enough; a few accented letters are too little for it and are Windows-1252.
"""

from __future__ import annotations

import codecs
import contextlib
import encodings
import pkgutil
import re
import unicodedata

SNIFFED_BYTES = 8 * 1024
PRINTABLE_SHARE = 0.95
SURE_FROM = 0.08  # chardet's own measure; single letters of Western languages are below
WIDE_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WIDE_MARKS = tuple(mark for mark, _ in WIDE_BOMS)
NO_CHARSETS = frozenset(("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"))
CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
LETTERS = frozenset(b"\t\r\n" + bytes((*range(32, 127), *range(160, 256))))
SHIFTS = (b"\x1b$B", b"\x1b$@")  # into two-byte characters of ISO-2022-JP
HIGH = re.compile(rb"[\x80-\xff]")
WESTERN = "windows-1252"
FEWEST_BYTES = 4  # beyond ASCII, for chardet to say anything of them
OF_MANY_BYTES = frozenset(("cp932", "euc_jp", "gb18030", "big5", "cp949"))
SAMPLES = ("Größe für Übung".encode("cp1252"), "設計を読む。".encode("cp932"))


def decode(content: bytes, declared_charset: str | None = None) -> tuple[str, str] | None:
    """The text and its encoding; None where no encoding fits well enough."""
    for mark, encoding in WIDE_BOMS:
        if content.startswith(mark):
            text = _strictly(content[len(mark) :], encoding)
            if text is not None:
                return text, encoding
    if wide := wide_encoding(content):
        return content.decode(wide), wide
    if content.startswith(codecs.BOM_UTF8):
        content = content[len(codecs.BOM_UTF8) :]
    shifted = "iso2022_jp" if any(shift in content for shift in SHIFTS) else None
    for charset in (shifted, "utf-8", _text_codec(declared_charset)):
        if charset and (text := _strictly(content, charset)) is not None:
            return text, charset
    return _by_lines(content)


def wide_encoding(content: bytes) -> str | None:
    """UTF-16 without a mark: every second byte is zero beside letters of Western languages."""
    head = content[:SNIFFED_BYTES]
    zeros = [at for at, byte in enumerate(head) if not byte]
    if not zeros or len(content) % 2 or len({at % 2 for at in zeros}) > 1:
        return None
    little = zeros[0] % 2 == 1
    if not all(head[at - 1 if little else at + 1] in LETTERS for at in zeros):
        return None
    encoding = "utf-16-le" if little else "utf-16-be"
    text = _strictly(content, encoding)
    return encoding if text and _is_written(text) else None


def _is_written(text: str) -> bool:
    """Whether nearly all characters are assigned ones that a person writes."""
    sample = text[:SNIFFED_BYTES]
    odd = sum(unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") for char in sample)
    return odd - sample.count("\n") - sample.count("\r") - sample.count("\t") <= len(sample) // 20


def _by_lines(content: bytes) -> tuple[str, str] | None:
    """Each line as UTF-8 where it is valid, else in the encoding that the other lines have."""
    lines = content.split(b"\n")
    foreign = [line for line in lines if not line.isascii()]
    strays = [line for line in foreign if _strictly(line, "utf-8") is None]
    valid = len(foreign) - len(strays)
    codec, name = _codec_of(b"\n".join(strays))
    if not valid or (codec in OF_MANY_BYTES and valid * 10 < len(strays)):
        text = _strictly(content, codec) or content.decode(codec, "replace")
        return (text, name) if _fits(text) else None
    if len(strays) <= valid:
        text, name = content.decode("utf-8", STRAY), WESTERN
    else:
        text = "\n".join(_line(line, codec) for line in lines)
    return (text, f"utf-8 and {name}") if _fits(text) else None


def _line(line: bytes, codec: str) -> str:
    text = _strictly(line, "utf-8")
    return line.decode(codec, "replace") if text is None else text


def _western(error: UnicodeError) -> tuple[str, int]:
    """Stands in for bytes that are no UTF-8: what they are in Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)
    stray = error.object[error.start : error.end]
    return stray.decode("cp1252", "replace"), error.end


STRAY = "cairn-stray-bytes"
codecs.register_error(STRAY, _western)


def _codec_of(content: bytes) -> tuple[str, str]:
    """The codec for lines that are no UTF-8, and the name of the encoding."""
    import chardet  # slow to load, and most sources are UTF-8

    if len(HIGH.findall(content)) < FEWEST_BYTES:
        return "cp1252", WESTERN
    guess = chardet.detect(content)
    name = str(guess["encoding"] or "").lower()
    codec = _text_codec(name)
    if (guess["confidence"] or 0) < SURE_FROM or codec is None or _strictly(content, codec) is None:
        return "cp1252", WESTERN
    return codec, name


def _fits(text: str) -> bool:
    return _mostly_printable(text) and _is_written(text)


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


def preload() -> None:
    """Loads all that decoding may need, where nothing can be loaded later."""
    import chardet

    for sample in SAMPLES:
        guess = chardet.detect(sample)
        codecs.lookup(str(guess["encoding"] or "ascii"))
    for module in pkgutil.iter_modules(encodings.__path__):
        with contextlib.suppress(LookupError):
            codecs.lookup(module.name)
