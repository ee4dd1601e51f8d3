"""The one check for paths, and what is opened beneath a root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.connector import MAX_PATH_CHARS, Notice
from connectors.paths import Root, check_path, has_openat2, is_beneath
from tests.connectors.worlds import a_chain, a_folder, swap

REFUSED = [
    "", ".", "..", "/", "/etc/hostname", "a//b", "a/", "./a", "a/./b", "../a", "a/../b", "a/..",
    "../../../x", "a\0b", ".git", ".git/config", "a/.git/config", ".GIT/config", ".giT",
    "git~1", "GIT~1/config", "a/Git~1", ".git.", ".git ", ".git . ./x", ".git::$INDEX_ALLOCATION/x",
    ".git:stream", ".git\\config", ".g\u200cit/config", "\ufeff.git", ".gi\u202et", ".git\u206f",
]  # fmt: skip
ALLOWED = [
    "a", "a/b", ".gitignore", ".github/workflows/ci.yml", ".gitattributes", "git", "a.git",
    "git~10", ".git-blame-ignore-revs", "...", "a/..b", "..a/b", "-option", "a b/c", "é/ü.md",
    "digit/x.md", "a\\b", "\u200ca",
]  # fmt: skip


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_leads_out_or_into_git_is_refused_and_told(path: str) -> None:
    notices: list[Notice] = []
    assert check_path(path, notices) is None
    assert check_path(path.encode(), notices) is None
    assert [notice.code for notice in notices] == ["unsafe_name"] * 2


@pytest.mark.parametrize("path", ALLOWED)
def test_any_other_path_is_left_as_it_is(path: str) -> None:
    notices: list[Notice] = []
    assert check_path(path, notices) == path
    assert check_path(path.encode(), notices) == path
    assert notices == []


def test_a_path_too_long_for_a_record_is_refused() -> None:
    notices: list[Notice] = []
    assert check_path("a/" * MAX_PATH_CHARS + "b", notices) is None
    [notice] = notices
    assert len(notice.path) == MAX_PATH_CHARS


PARTS = st.sampled_from([b"", b".", b"..", b".git", b".GIT", b"git~1", b"a", b"b", b"\xff", b"\0"])


@given(st.lists(PARTS).map(b"/".join) | st.binary())
def test_no_accepted_path_leaves_its_root(path: bytes) -> None:
    if is_beneath(path):
        assert os.path.normpath(os.path.join(b"/root", path)) == b"/root/" + path
        assert not any(part.lower() == b".git" for part in path.split(b"/"))


@pytest.fixture(params=[False, True], ids=["openat2", "step by step"])
def stepwise(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_this_kernel_has_the_call() -> None:
    assert has_openat2()


def test_a_file_is_opened_beneath_its_root(tmp_path: Path, stepwise: bool) -> None:
    a_folder(tmp_path, {"a/b/c.md": b"1"})
    root = Root(tmp_path, stepwise=stepwise)
    with root.open_file(b"a/b/c.md") as file:
        assert file.read() == b"1"
    folder = root.open_folder(b"a")
    assert os.listdir(folder) == ["b"]
    os.close(folder)


@pytest.mark.parametrize("path", [b"link", b"out/s.md", b"a/up/a.md", b"a/abs", b"../secret/s.md",
                                  b"pipe", b"a", b"none", b"a/fd/0"])  # fmt: skip
def test_links_and_what_is_no_file_are_not_opened(
    tmp_path: Path, stepwise: bool, path: bytes
) -> None:
    a_folder(tmp_path, {"secret/s.md": b"1", "root/a/a.md": b"2"})
    root = tmp_path / "root"
    (root / "link").symlink_to("a/a.md")
    (root / "out").symlink_to("../secret")
    (root / "a" / "up").symlink_to("../a")
    (root / "a" / "abs").symlink_to("/etc/hostname")
    (root / "a" / "fd").symlink_to("/proc/self/fd")
    os.mkfifo(root / "pipe")
    with pytest.raises(OSError):
        Root(root, stepwise=stepwise).open_file(path)


def test_a_path_longer_than_one_call_takes_is_opened(tmp_path: Path, stepwise: bool) -> None:
    with a_chain(tmp_path, "n" * 200, depth=25) as path:
        assert len(path) > 4096
        Root(tmp_path, stepwise=stepwise).open_file(path).close()


def test_a_folder_swapped_for_a_link_wins_nothing(tmp_path: Path, stepwise: bool) -> None:
    a_folder(tmp_path, {"root/a/b/c.md": b"ours", "secret/b/c.md": b"secret"})
    (tmp_path / "link").symlink_to("../secret")
    root = Root(tmp_path / "root", stepwise=stepwise)
    seen: set[bytes] = set()
    with swap(tmp_path / "root" / "a", tmp_path / "link", tmp_path / "away"):
        for _ in range(3000):
            try:
                with root.open_file(b"a/b/c.md") as file:
                    seen.add(file.read())
            except OSError:
                seen.add(b"refused")
    assert b"secret" not in seen
    assert seen <= {b"ours", b"refused"}


def test_a_root_that_is_closed_opens_nothing(tmp_path: Path) -> None:
    root = Root(a_folder(tmp_path, {"a.md": b"1"}))
    root.close()
    with pytest.raises(OSError):
        root.open_file(b"a.md")
