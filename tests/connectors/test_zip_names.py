"""Names in a zip are told in the charset they were written in."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.connectors.worlds import codes, contents, list_source


def a_zip_of(file: Path, names: Sequence[bytes], extra: bytes = b"") -> Path:
    """A zip whose members have these raw names, without the flag that says UTF-8."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for number, name in enumerate(names):
            member = zipfile.ZipInfo(chr(ord("A") + number) * len(name))
            member.extra = extra
            out.writestr(member, str(number))
    raw = packed.getvalue()
    for number, name in enumerate(names):
        raw = raw.replace(bytes([ord("A") + number]) * len(name), name)
    file.write_bytes(raw)
    return file


@pytest.mark.parametrize(
    ("charset", "names"),
    [
        ("utf-8", ["maße/設計.md", "maße/naïve.md"]),
        ("cp437", ["maße/übersicht.md", "maße/naïve.md"]),
        ("cp850", ["informações/relatório.md", "informações/versão.md"]),
        ("cp1252", ["maße/résumé – neu.md", "maße/übersicht.md"]),
        ("cp932", ["仕様書/表示機能.md", "仕様書/ソース構成.md"]),  # 表 and ソ end with a backslash
        ("gb18030", ["需求文档/接口设计.md", "需求文档/测试计划.md"]),
        ("big5", ["需求文件/介面設計.md", "需求文件/功能說明.md"]),
        ("cp949", ["요구사항/설계서.md", "요구사항/시험계획.md"]),
        ("cp866", ["Проект/Требования.md", "Проект/Архитектура.md"]),
        ("cp1251", ["Проект/Требования.md", "Проект/Архитектура.md"]),
    ],
)
def test_names_are_read_in_the_charset_that_fits_all(
    tmp_path: Path, charset: str, names: list[str]
) -> None:
    file = a_zip_of(tmp_path / "x.zip", [name.encode(charset) for name in names])
    listing = list_source(file, tmp_path)
    assert {f"{listing.root}/{path}" for path in contents(listing)} == set(names)


def test_a_name_that_the_zip_gives_in_unicode_is_believed(tmp_path: Path) -> None:
    raw, name = b"b\x81cher.md", "bücher.md".encode()
    field = struct.pack("<BI", 1, zlib.crc32(raw)) + name
    extra = struct.pack("<HH", 0x7075, len(field)) + field
    file = a_zip_of(tmp_path / "x.zip", [raw], extra)
    assert list(contents(list_source(file, tmp_path))) == ["bücher.md"]
    stale = struct.pack("<BI", 1, 7) + name  # was renamed by a packer that does not know the field
    extra = struct.pack("<HH", 0x7075, len(stale)) + stale
    file = a_zip_of(tmp_path / "y.zip", [b"other.md"], extra)
    assert list(contents(list_source(file, tmp_path))) == ["other.md"]


def test_what_macos_keeps_beside_files_is_told_and_not_read(tmp_path: Path) -> None:
    names = [b"Plan/a.md", b"__MACOSX/Plan/._a.md", b"Plan/._a.md", b"Plan/._own.md"]
    listing = list_source(a_zip_of(tmp_path / "x.zip", names), tmp_path)
    assert listing.root == "Plan"
    assert set(contents(listing)) == {"a.md", "._own.md"}
    assert codes(listing) == {
        "__MACOSX/Plan/._a.md": "mac_metadata",
        "Plan/._a.md": "mac_metadata",
    }
