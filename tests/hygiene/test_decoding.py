"""Bytes are read in the encoding they were written in, line by line where it changes."""

from __future__ import annotations

import pytest

from schemas.decoding import decode

GERMAN = "Die Prüfung läuft täglich. Größere Übertragungen müssen vorher geprüft werden.\n"
JAPANESE = "# 要件\n\n帳票は必ず五秒以内に表示されなければならない。担当者が確認する。\n"
CHINESE = "# 要求\n\n系统必须在五秒之内显示报表。所有数据都要加密保存。\n"
TRADITIONAL = "# 需求\n\n系統必須在五秒之內顯示報表。所有資料都要加密保存。\n"
KOREAN = "# 요구 사항\n\n시스템은 오 초 안에 보고서를 표시해야 한다.\n"
RUSSIAN = "# Требования\n\nСистема должна показать отчёт не позже чем через пять секунд.\n"
POLISH = "System musi pokazać raport w ciągu pięciu sekund, także gdy łącze jest słabe.\n"
GREEK = "Το σύστημα πρέπει να εμφανίζει την αναφορά εντός πέντε δευτερολέπτων.\n"


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        *((GERMAN, each) for each in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")),
        *((GERMAN, each) for each in ("utf-32", "cp1252")),
        *((JAPANESE, each) for each in ("cp932", "euc-jp", "iso2022-jp", "utf-16-le")),
        *((CHINESE, each) for each in ("gb18030", "gbk", "utf-16-be")),
        (TRADITIONAL, "big5"),
        (KOREAN, "cp949"),
        *((RUSSIAN, each) for each in ("koi8-r", "cp1251", "cp866")),
        *((POLISH, each) for each in ("cp1250", "iso8859-2")),
        (GREEK, "cp1253"),
        ("It costs £5 a month.\n", "cp1252"),
        ("A “quoted” word – and it’s short.\n", "cp1252"),
        ("Only ASCII.\n", "utf-16-le"),
    ],
)
def test_a_text_comes_back_as_it_was_written(written: str, encoding: str) -> None:
    found = decode(written.encode(encoding))
    assert found is not None and found[0] == written


def test_a_stray_byte_leaves_the_lines_around_it_alone() -> None:
    content = (
        "Zoë said “always”.\nEach naïve caf".encode() + b"\xe9 \x96 and\n" + "Müller.\n".encode()
    )
    assert decode(content) == (
        "Zoë said “always”.\nEach naïve café – and\nMüller.\n",
        "utf-8 and windows-1252",
    )


def test_lines_of_two_encodings_are_read_each_in_its_own() -> None:
    content = GERMAN.encode("cp1252") * 3 + "“Maß” naïve\n".encode()
    assert decode(content) == (GERMAN * 3 + "“Maß” naïve\n", "utf-8 and windows-1252")


def test_a_declared_charset_is_believed_before_guesses() -> None:
    assert decode(GERMAN.encode("cp850"), "cp850") == (GERMAN, "cp850")


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 8, b"\x80\x81\x8d\x8f\x90" * 40, b"\x00\x01\x02\x03" * 50]
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    assert decode(content) is None or "\0" in content.decode("latin-1")
