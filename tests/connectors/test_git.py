"""Repositories by address."""

from __future__ import annotations

from pathlib import Path

import pytest

from connectors.clones import GitUrl, root_of_url
from connectors.connector import SourceUnavailable
from infra.platform.addresses import without_credentials
from tests.connectors.worlds import a_repository, codes, commit, contents, list_source


def test_a_clone_is_brought_up_to_date_and_has_dates(tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "shop", {"a.md": b"1", "b.md": b"1"})
    clones = tmp_path / "clones"
    list_source(f"file://{origin}", clones).close()
    (origin / "a.md").write_bytes(b"2")
    (origin / "b.md").unlink()
    head = commit(origin)
    listing = list_source(f"file://{origin}", clones)
    assert [(item.revision_ref, item.source_time is None) for item in listing.items] == [
        (head, False)
    ]
    assert contents(listing) == {"a.md": b"2"}


def test_a_rewritten_branch_is_followed(tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "shop", {"a.md": b"1"})
    list_source(f"file://{origin}", tmp_path).close()
    (origin / ".git").rename(tmp_path / "old.git")
    (origin / "a.md").write_bytes(b"other history")
    a_repository(origin, {})
    assert contents(list_source(f"file://{origin}", tmp_path)) == {"a.md": b"other history"}


def test_links_of_a_repository_are_told_and_not_read(tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "shop", {"a.md": b"1"})
    (origin / "passwd").symlink_to("/etc/passwd")
    commit(origin)
    listing = list_source(f"file://{origin}", tmp_path)
    assert codes(listing) == {"passwd": "link"}
    assert set(contents(listing)) == {"a.md"}


def test_contents_come_whole_in_any_order(tmp_path: Path) -> None:
    files = {f"f{n}": bytes([n]) * (n * 997) for n in range(40)} | {"empty": b"", "lf": b"\n"}
    listing = list_source(f"file://{a_repository(tmp_path / 'shop', files)}", tmp_path)
    with listing:
        for item in (*reversed(listing.items), *listing.items):
            assert item.read() == files[item.path]


def test_what_cannot_be_reached_is_one_sentence_without_the_password(tmp_path: Path) -> None:
    url = "https://ada:geheim@127.0.0.1:1/shop.git"
    with pytest.raises(SourceUnavailable) as error:
        list_source(url, tmp_path)
    assert "https://127.0.0.1:1/shop.git" in str(error.value)
    assert "geheim" not in str(error.value)
    assert not any(b"geheim" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_an_address_names_its_root_without_credentials() -> None:
    assert root_of_url("https://github.com/owner/repo.git") == "owner/repo"
    assert root_of_url("git@github.com:owner/repo") == "owner/repo"
    assert root_of_url("https://me:pw@github.com/owner/repo/") == "owner/repo"
    assert root_of_url("https://git.example.org/group/sub/repo.git") == "repo"
    assert root_of_url("file:///srv/shop/.git") == "shop"
    assert (
        without_credentials("see https://a:b@c/d and ssh://x@y/z")
        == "see https://c/d and ssh://y/z"
    )


def test_the_clone_of_an_address_is_the_same_with_other_credentials(tmp_path: Path) -> None:
    one = GitUrl("https://a:b@example.org/x.git", "x", tmp_path, print)
    assert one.folder == GitUrl("https://example.org/x.git", "x", tmp_path, print).folder
    assert one.folder != GitUrl("https://example.org/y/x.git", "x", tmp_path, print).folder
