"""Folders of any depth and breadth, and folders that change while they are listed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from connectors import folder
from connectors.connector import MAX_PATH_CHARS, SourceRefused, SourceUnavailable
from tests.connectors.worlds import (
    a_chain,
    a_folder,
    a_repository,
    codes,
    contents,
    list_source,
    swap,
)

DEPTH = 1_500  # above Python's limit for recursion


def test_a_file_below_more_than_a_thousand_folders_is_read(tmp_path: Path) -> None:
    a_folder(tmp_path, {"a.md": b"1"})
    with a_chain(tmp_path, "d", DEPTH) as path:
        listing = list_source(tmp_path, tmp_path)
        assert listing.complete
        assert contents(listing) == {"a.md": b"1", path.decode(): b""}


@pytest.mark.parametrize(("name", "depth"), [("d", 2_100), ("n" * 250, 40)])
def test_what_lies_too_deep_to_be_named_is_told_and_nothing_counts_as_gone(
    tmp_path: Path, name: str, depth: int
) -> None:
    a_folder(tmp_path, {"a.md": b"1"})
    with a_chain(tmp_path, name, depth):
        listing = list_source(tmp_path, tmp_path)
        [notice] = listing.notices
        assert (notice.code, listing.complete) == ("unreadable_folder", False)
        assert notice.path.startswith(f"{name}/{name}/")
        assert len(notice.path) <= MAX_PATH_CHARS
        assert contents(listing) == {"a.md": b"1"}


def test_names_as_long_as_a_file_system_takes_them_are_read(tmp_path: Path) -> None:
    files = {f"{'d' * 255}/{'f' * 252}.md": b"1", "é" * 127: b"2"}
    assert contents(list_source(a_folder(tmp_path, files), tmp_path)) == files


@pytest.mark.slow
def test_a_hundred_thousand_entries_are_listed(tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "0").write_bytes(b"")
    for number in range(1, 100_000):
        if number % 50_000 == 0:  # ext4 counts the names of a file in 16 bits
            (tmp_path / "many" / f"{number}").write_bytes(b"")
        first = number // 50_000 * 50_000
        if number != first:
            os.link(tmp_path / "many" / f"{first}", tmp_path / "many" / f"{number}")
    listing = list_source(tmp_path, tmp_path)
    assert (len(listing.items), listing.complete, listing.notices) == (100_000, True, ())


def test_more_entries_than_the_limit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MAX_ENTRIES", 20)
    a_folder(tmp_path, {f"{number % 3}/{number}": b"" for number in range(30)})
    with pytest.raises(SourceRefused, match="more than 20 files"):
        list_source(tmp_path, tmp_path)


def test_folders_that_some_file_system_takes_for_git_are_told_and_not_entered(
    tmp_path: Path,
) -> None:
    a_folder(tmp_path, {"a.md": b"1", ".GIT/config": b"2", "x/git~1/config": b"3", ".git/x": b"4"})
    listing = list_source(tmp_path, tmp_path)
    assert codes(listing) == {".GIT": "unsafe_name", "x/git~1": "unsafe_name"}
    assert contents(listing) == {"a.md": b"1"}


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("place", ["docs", "docs/deep", "docs/deep/c.md"])
def test_nothing_outside_the_root_is_read_while_a_folder_is_swapped(
    tmp_path: Path, tracked: bool, place: str
) -> None:
    ours = {"docs/a.md": b"ours", "docs/deep/b.md": b"ours", "docs/deep/c.md": b"ours"}
    root = (a_repository if tracked else a_folder)(tmp_path / "shop", ours)
    secrets = a_folder(tmp_path / "docs", {"a.md": b"secret", "b.md": b"secret", "c.md": b"secret"})
    a_folder(secrets / "deep", {"b.md": b"secret", "c.md": b"secret", "more.md": b"secret"})
    (tmp_path / "link").symlink_to(tmp_path / place)
    seen: set[bytes] = set()
    with swap(root / place, tmp_path / "link", tmp_path / "away"):
        for _ in range(8 if tracked else 40):
            with list_source(root, tmp_path) as listing:
                assert {item.path for item in listing.items} <= set(ours)
                for item in listing.items * 20:
                    try:
                        seen.add(item.read())
                    except SourceUnavailable:
                        continue
    assert seen <= {b"ours"}
