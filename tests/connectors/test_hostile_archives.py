"""Whatever an archive does to its parser, the source is named, and an interrupt is obeyed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import psutil
import pytest

from connectors import archive, sandbox
from connectors.connector import SourceRefused, SourceUnavailable
from infra.runtime.local.process import wait_until
from tests.connectors.hostile import (
    EMPTY_GZIP,
    END,
    TARS,
    ZIPS,
    a_file,
    a_long_name,
    a_plain_zip,
    header,
    pack,
    pax,
)
from tests.connectors.worlds import FILES, a_tar, a_zip, codes, contents, list_source

ROOT = Path(__file__).parents[2]
LISTS_FOR_EVER = EMPTY_GZIP * 2_000_000  # each opens a new stream, and none has a byte


def read_or_refused(file: Path) -> dict[str, bytes]:
    """What could be read. Every refusal is a sentence that names the archive."""
    try:
        listing = list_source(file, file.parent)
    except SourceRefused as error:
        assert file.name in str(error) and str(error).endswith(".")
        return {}
    found: dict[str, bytes] = {}
    with listing:
        for item in listing.items:
            try:
                found[item.path] = item.read()
            except SourceUnavailable as error:
                assert file.name in str(error)
    return found


@pytest.mark.parametrize("how", ["", "gz"])
@pytest.mark.parametrize("name", list(TARS))
def test_a_hostile_tar_is_read_or_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    monkeypatch.setattr(sandbox, "CPU_S", 1)
    file = tmp_path / (f"x.tar.{how}" if how else "x.tar")
    file.write_bytes(pack(TARS[name] + END, how))
    assert set(read_or_refused(file).values()) <= {b"good\n"}


@pytest.mark.parametrize("name", list(ZIPS))
def test_a_hostile_zip_is_read_or_refused_by_name(tmp_path: Path, name: str) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(ZIPS[name])
    assert all(found[:3] == b"goo" for found in read_or_refused(file).values())


@pytest.mark.parametrize("how", ["gz", "bz2", "xz"])
def test_what_is_packed_badly_is_refused_by_name(tmp_path: Path, how: str) -> None:
    whole = pack(a_file("a.md", b"good\n" * 9999) + END, how)
    file = tmp_path / f"x.tar.{how}"
    for damaged in (whole[:-9], whole[: len(whole) // 2], whole[:6], b"", b"\0" * 999):
        file.write_bytes(damaged)
        with pytest.raises(SourceRefused, match=r"x\.tar"):
            list_source(file, tmp_path)


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    file.write_bytes(TARS["a header in the middle that is damaged"] + END)
    with pytest.raises(SourceRefused, match="damaged"):
        list_source(file, tmp_path)


@pytest.mark.parametrize("make", [a_tar, a_zip])
def test_files_below_more_than_a_thousand_folders_are_read(tmp_path: Path, make: object) -> None:
    assert callable(make)
    deep = {"b/" * 1500 + "a.md": b"good\n", "c.md": b"good\n"}
    assert (
        contents(
            list_source(make(tmp_path / ("x.zip" if make is a_zip else "x.tgz"), deep), tmp_path)
        )
        == deep
    )


def test_members_without_a_name_are_told_and_their_neighbours_are_read(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    file.write_bytes(a_file("") + a_long_name(b"") + a_file("x") + a_file("a.md") + END)
    listing = list_source(file, tmp_path)
    assert codes(listing) == {"": "unsafe_name"}
    assert contents(listing) == {"a.md": b"good\n"}
    zipped = tmp_path / "y.zip"
    zipped.write_bytes(a_plain_zip({"x": b"x", ".": b"x", "a.md": b"good\n"}).replace(b"x", b"\0"))
    listing = list_source(zipped, tmp_path)
    assert codes(listing) == {"": "unsafe_name", ".": "unsafe_name"}
    assert contents(listing) == {"a.md": b"good\n"}


def test_time_memory_and_disk_of_reading_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.tar.gz"
    monkeypatch.setattr(sandbox, "CPU_S", 1)
    monkeypatch.setattr(sandbox, "CPU_S_PER_MIB", 0)
    file.write_bytes(LISTS_FOR_EVER)
    with pytest.raises(SourceRefused, match="x.tar.gz .*more than 1 s of processor time"):
        list_source(file, tmp_path)
    monkeypatch.setattr(sandbox, "CPU_S", 30)
    a_tar(file, {f"{number}": os.urandom(1 << 20) for number in range(3)})
    monkeypatch.setattr(archive, "MAX_SPOOL_BYTES", 1 << 20)
    with pytest.raises(SourceRefused, match="x.tar.gz .*File too large"):
        list_source(file, tmp_path)
    zipped = tmp_path / "x.zip"
    many = {f"{number}": b"" for number in range(60_000)}
    zipped.write_bytes(a_plain_zip(many, zipfile.ZIP_STORED))
    monkeypatch.setattr(sandbox, "MEMORY_BYTES", 32 << 20)
    with pytest.raises(SourceRefused, match="x.zip .*more than 32 MiB of memory"):
        list_source(zipped, tmp_path)


def test_the_reader_of_an_archive_has_no_secret_and_opens_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_MASTER_KEY", "MARK")
    before = {child.pid for child in psutil.Process().children()}
    with list_source(a_zip(tmp_path / "x.zip", FILES), tmp_path):
        (reader,) = [it for it in psutil.Process().children() if it.pid not in before]
        assert "MARK" not in str(reader.environ())
        assert set(reader.environ()) <= {"PYTHONPATH", "LC_ALL"}
        for limit in (psutil.RLIMIT_NOFILE, psutil.RLIMIT_NPROC, psutil.RLIMIT_FSIZE):
            assert reader.rlimit(limit) == (0, 0)
        assert reader.rlimit(psutil.RLIMIT_AS)[1] == sandbox.MEMORY_BYTES
    assert not reader.is_running()


def test_an_interrupt_of_a_listing_is_obeyed_and_leaves_no_process(tmp_path: Path) -> None:
    """Sent to the process alone, as `kill -INT` does; its loop waits for a thread."""
    file = tmp_path / "x.tar.gz"
    file.write_bytes(LISTS_FOR_EVER)
    script = (
        "import signal, sys; from pathlib import Path; from connectors.archive import Archive\n"
        "from infra.platform.loop import in_thread, run\n"
        # A shell that starts the tests in the background has them ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "run(in_thread(Archive(Path(sys.argv[1])).list))"
    )
    reads = subprocess.Popen(
        (sys.executable, "-c", script, str(file)), cwd=ROOT, stderr=subprocess.PIPE
    )
    try:
        children = psutil.Process(reads.pid).children
        assert wait_until(lambda: bool(children()), timeout_s=60)
        (reader,) = children()
        reads.send_signal(signal.SIGINT)
        _, told = reads.communicate(timeout=20)
        assert b"KeyboardInterrupt" in told
        assert wait_until(lambda: not reader.is_running(), timeout_s=20)
    finally:
        reads.kill()
        reads.wait()


def test_a_killed_listing_leaves_no_process(tmp_path: Path) -> None:
    file = tmp_path / "x.tar.gz"
    file.write_bytes(LISTS_FOR_EVER)
    script = (
        "import sys; from pathlib import Path; from connectors.archive import Archive\n"
        "Archive(Path(sys.argv[1])).list()"
    )
    reads = subprocess.Popen((sys.executable, "-c", script, str(file)), cwd=ROOT)
    try:
        children = psutil.Process(reads.pid).children
        assert wait_until(lambda: bool(children()), timeout_s=60)
        (reader,) = children()
    finally:
        reads.kill()
        reads.wait()
    assert wait_until(lambda: not reader.is_running(), timeout_s=20)


def test_a_reader_that_dies_is_a_refusal_and_what_was_read_stays(tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children()}
    with list_source(a_zip(tmp_path / "x.zip", FILES), tmp_path) as listing:
        (reader,) = [it for it in psutil.Process().children() if it.pid not in before]
        assert listing.items[0].read() == FILES[listing.items[0].path]
        reader.kill()
        for item in listing.items:
            with pytest.raises(SourceUnavailable, match=r"x\.zip"):
                item.read()


def test_names_and_links_of_a_tar_are_judged_where_they_arrive(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    escapes = pax({"path": b"../../etc/passwd"}, b"x") + a_file("a.md")
    linked = pax({"linkpath": b"../../etc/group"}, b"x") + header("l", tarfile.LNKTYPE, link="x")
    file.write_bytes(escapes + linked + a_file("b.md") + END)
    listing = list_source(file, tmp_path)
    assert codes(listing) == {"../../etc/passwd": "unsafe_name", "l": "link"}
    assert contents(listing) == {"b.md": b"good\n"}
