from __future__ import annotations

import codecs
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streams.hygiene.normalise import normalise, normalise_text
from tests.hygiene.builders import cleaned

LINES = "# Título\n\nerste Zeile\nzweite Zeile\n"


@given(st.text())
@example("e\x01\u0301")
@example("\x01\ufeff\ufeffa")
@example("\r\x00\n")
def test_normalising_a_second_time_changes_nothing(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once
    assert once == unicodedata.normalize("NFC", once)


@given(st.binary(max_size=300))
def test_normalising_bytes_again_gives_the_same_text(content: bytes) -> None:
    once = normalise(content)
    if once.refusal is None and not normalise(once.text.encode()).refusal:
        assert normalise(once.text.encode()).text == once.text


@pytest.mark.parametrize(
    "variant",
    [
        LINES.encode(),
        LINES.replace("\n", "\r\n").encode(),
        LINES.replace("\n", "\r").encode(),
        LINES.replace("\n", "\u2028").encode(),
        codecs.BOM_UTF8 + LINES.encode(),
        codecs.BOM_UTF16_LE + LINES.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + LINES.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + LINES.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + LINES.encode("utf-32-be"),
        unicodedata.normalize("NFD", LINES).encode(),
        LINES.encode("cp1252"),
        LINES[:-1].encode(),
    ],
)
def test_every_encoding_and_line_end_gives_the_same_hash(variant: bytes) -> None:
    result, plain = cleaned(variant), cleaned(LINES)
    assert result.raw_normalized_hash == plain.raw_normalized_hash
    assert [it.chunk_id for it in result.chunks] == [it.chunk_id for it in plain.chunks]


def test_a_declared_charset_is_tried_before_windows_1252() -> None:
    content = "Привет, мир\n".encode("koi8-r")
    assert cleaned(content, charset="koi8-r").text == "Привет, мир\n"


@pytest.mark.parametrize("charset", ["no-such", "hex", "idna", "a\0b", "unicode_escape"])
def test_a_charset_that_decodes_no_text_is_ignored(charset: str) -> None:
    assert cleaned("Grüße".encode("cp1252"), charset=charset).encoding == "windows-1252"


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n", b"%PDF-1.7", b"PK\x03\x04x", b"MZ\x90\x00", b"a\x00b", b"\x1f\x8b\x08"],
)
def test_binary_content_is_told_by_its_bytes(content: bytes) -> None:
    result = cleaned(content)
    assert (result.skip_reason, result.chunks) == ("binary", ())


def test_bytes_that_no_encoding_fits_are_undecodable() -> None:
    assert cleaned(bytes(range(128, 160)) * 4 + b"\x01" * 40).skip_reason == "undecodable"


def test_blanks_at_line_ends_and_tabs_stay() -> None:
    assert normalise(b"a \t\nb\fc").text == "a \t\nb c\n"
