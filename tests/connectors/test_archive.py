"""Archives, the hostile ones above all: neighbours of what is refused are read."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors import archive
from connectors.connector import SourceRefused, SourceUnavailable
from tests.connectors.worlds import (
    FILES,
    a_repository,
    a_tar,
    a_zip,
    codes,
    contents,
    git,
    list_source,
)

GOOD = {"a.md": b"good\n"}
ESCAPES = ["../evil.md", "/abs/evil.md", "x/../../evil.md", "C:/evil.md", "./../evil.md",
           "x/.git/evil.md", ".GIT/evil.md", "git~1/evil.md"]  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("make", [a_tar, a_zip])
def test_a_name_that_leads_out_is_refused_and_its_neighbours_are_read(
    tmp_path: Path, make: object, name: str
) -> None:
    assert callable(make)
    file = make(tmp_path / ("x.zip" if make is a_zip else "x.tgz"), GOOD | {name: b"evil"})
    listing = list_source(file, tmp_path)
    assert codes(listing) == {name: "unsafe_name"}
    assert contents(listing) == GOOD
    assert not list(tmp_path.parent.rglob("evil.md"))


def test_names_of_a_windows_zip_are_split_at_backslashes(tmp_path: Path) -> None:
    file = a_zip(tmp_path / "x.zip", {"d\\a.md": b"1", "d\\..\\..\\b.md": b"2"})
    assert contents(list_source(file, tmp_path)) == {"a.md": b"1"}


def test_links_and_devices_in_a_tar_are_told_and_a_second_name_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    with tarfile.open(file, "w") as tar:
        tar.addfile(member := tarfile.TarInfo("d/a.md"), io.BytesIO(b""))
        for name, kind, target in (
            ("d/sym", tarfile.SYMTYPE, "/etc/passwd"),
            ("d/again.md", tarfile.LNKTYPE, "d/a.md"),
            ("d/dangling", tarfile.LNKTYPE, "/etc/passwd"),
            ("d/null", tarfile.CHRTYPE, ""),
            ("d/fifo", tarfile.FIFOTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            tar.addfile(member)
    listing = list_source(file, tmp_path)
    assert codes(listing) == {
        "d/sym": "link", "d/dangling": "link", "d/null": "special_file", "d/fifo": "special_file",
    }  # fmt: skip
    assert contents(listing) == {"a.md": b"", "again.md": b""}


def test_links_and_encrypted_members_of_a_zip_are_told(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w") as out:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        out.writestr(link, "/etc/passwd")
        out.writestr("a.md", b"good\n")
        out.writestr("locked.md", b"x")
        out.filelist[-1].flag_bits |= 0x1
    listing = list_source(file, tmp_path)
    assert codes(listing) == {"link": "link", "locked.md": "encrypted"}
    assert contents(listing) == GOOD


@pytest.mark.parametrize("make", [a_tar, a_zip])
def test_a_bomb_is_refused_as_a_whole(tmp_path: Path, make: object) -> None:
    assert callable(make)
    bomb = {"zeros": bytes(archive.RATIO_COUNTS_FROM_BYTES + 1)}
    file = make(tmp_path / ("x.zip" if make is a_zip else "x.tgz"), bomb)
    with pytest.raises(SourceRefused, match="100 times its own size"):
        list_source(file, tmp_path)


def test_a_tar_that_claims_more_than_it_may_is_refused_unread(tmp_path: Path) -> None:
    member = tarfile.TarInfo("huge")
    member.size = 1 << 50
    file = tmp_path / "x.tar"
    file.write_bytes(member.tobuf() + bytes(10240))
    with pytest.raises(SourceRefused, match="GiB unpacked"):
        list_source(file, tmp_path)


def test_a_header_of_many_megabytes_is_not_read_into_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 64 << 20
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as tar:
        assert tar.fileobj
        tar.fileobj.write(header.tobuf(format=tarfile.GNU_FORMAT))
        for _ in range(64):
            tar.fileobj.write(b"a" * (1 << 20))
    with pytest.raises(SourceRefused, match="headers are too large"):
        list_source(tmp_path / "x.tgz", tmp_path)


def a_tar_of_wide_headers(file: Path, members: int, fields: int) -> Path:
    """Each member has an extended header that says the same ``fields`` times."""
    with tarfile.open(file, "w:gz") as tar:
        assert tar.fileobj
        for number in range(members):
            text = b"6 a=b\n" * fields
            header = tarfile.TarInfo("x")
            header.type, header.size = tarfile.XHDTYPE, len(text)
            tar.fileobj.write(header.tobuf(format=tarfile.USTAR_FORMAT) + text)
            tar.fileobj.write(bytes(-len(text) % tarfile.BLOCKSIZE))
            tar.fileobj.write(tarfile.TarInfo(f"f{number}.md").tobuf())
    return file


def test_extended_headers_are_bounded_in_all(tmp_path: Path) -> None:
    wide = a_tar_of_wide_headers(tmp_path / "x.tgz", members=12, fields=150_000)
    assert wide.stat().st_size < 50_000
    with pytest.raises(SourceRefused, match="headers are too large"):
        list_source(wide, tmp_path)
    usual = a_tar_of_wide_headers(tmp_path / "y.tgz", members=3_000, fields=300)
    assert len(contents(list_source(usual, tmp_path))) == 3_000


def test_an_archive_of_too_many_members_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 9)
    with pytest.raises(SourceRefused, match="more than 9 members"):
        list_source(a_zip(tmp_path / "x.zip", FILES), tmp_path)


def test_of_two_members_with_one_name_the_later_is_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    with tarfile.open(file, "w") as tar:
        for content in (b"old", b"new"):
            member = tarfile.TarInfo("./d/a.md")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    listing = list_source(file, tmp_path)
    assert codes(listing) == {"a.md": "duplicate_name"}
    assert contents(listing) == {"a.md": b"new"}


def test_a_damaged_member_harms_no_other(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as out:
        out.writestr("a.md", b"good\n")
        out.writestr("b.md", b"DAMAGED")
    file.write_bytes(file.read_bytes().replace(b"DAMAGED", b"damaged"))
    with list_source(file, tmp_path) as listing:
        assert listing.items[0].read() == b"good\n"
        with pytest.raises(SourceUnavailable, match="b.md"):
            listing.items[1].read()


def test_what_git_archives_names_its_commit(tmp_path: Path) -> None:
    work = a_repository(tmp_path / "shop")
    head = git(work, "rev-parse", "HEAD")
    for suffix in ("tar", "tar.gz", "zip"):
        file = tmp_path / f"x.{suffix}"
        git(work, "archive", "--prefix=shop/", f"--output={file}", "HEAD")
        listing = list_source(file, tmp_path)
        assert {item.revision_ref for item in listing.items} == {head}
        assert contents(listing) == FILES


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz", "zip"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_is_read_or_refused_and_nothing_else(
    tmp_path: Path, suffix: str, data: st.DataObject
) -> None:
    file = tmp_path / f"x.{suffix}"
    if suffix == "zip":
        a_zip(file, FILES)
    else:
        packing = {"tar.bz2": "w:bz2", "tar.xz": "w:xz", "tar": "w"}.get(suffix, "w:gz")
        with tarfile.open(file, packing) as tar:  # type: ignore[call-overload]
            for path, content in FILES.items():
                member = tarfile.TarInfo(path)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    raw = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    try:
        with list_source(file, tmp_path) as listing:
            for item in listing.items:
                try:
                    item.read()
                except SourceUnavailable:
                    continue
    except SourceRefused as error:
        assert "x." in str(error)
