"""Folders and work trees: what belongs to them, and what is told of it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from connectors.connector import Item, SourceUnavailable
from connectors.contents import read_content
from connectors.documents import Documents
from tests.connectors.worlds import (
    a_folder,
    a_repository,
    codes,
    commit,
    contents,
    git,
    items_by_path,
    list_source,
)

OLD, NEW = "2019-05-06T07:08:09+02:00", "2021-01-01T00:00:00+00:00"


def test_a_file_has_the_author_date_of_the_last_commit_that_touched_it(tmp_path: Path) -> None:
    a_folder(tmp_path, {"a.md": b"1", "b.md": b"1"})
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, OLD)
    (tmp_path / "b.md").write_bytes(b"2")
    head = commit(tmp_path, NEW)
    found = items_by_path(list_source(tmp_path, tmp_path))
    assert found["a.md"].source_time == datetime(2019, 5, 6, 5, 8, 9, tzinfo=UTC)
    assert found["b.md"].source_time == datetime(2021, 1, 1, tzinfo=UTC)
    assert {item.revision_ref for item in found.values()} == {head}


def test_an_edited_file_is_no_commits_content(tmp_path: Path) -> None:
    a_repository(tmp_path, {"a.md": b"1", "b.md": b"1"})
    (tmp_path / "a.md").write_bytes(b"edited")
    listing = list_source(tmp_path, tmp_path)
    edited = listing.items[0]
    assert edited.read() == b"edited"
    edited = edited.with_content(b"edited")
    assert (edited.source_time, edited.revision_ref) == (None, None)
    assert items_by_path(listing)["b.md"].revision_ref


def test_of_a_work_tree_only_tracked_files_that_are_there_are_listed(tmp_path: Path) -> None:
    a_repository(tmp_path, {"a.md": b"1", "gone.md": b"1"})
    a_folder(tmp_path, {"untracked.md": b"1", "added.md": b"1"})
    git(tmp_path, "add", "added.md")
    (tmp_path / "gone.md").unlink()
    assert set(contents(list_source(tmp_path, tmp_path))) == {"a.md", "added.md"}


def test_a_folder_inside_a_work_tree_is_a_root_of_its_own(tmp_path: Path) -> None:
    a_repository(tmp_path, {"a.md": b"1", "docs/b.md": b"1", "docs/x/c.md": b"1"})
    listing = list_source(tmp_path / "docs", tmp_path)
    assert listing.root == "docs"
    found = items_by_path(listing)
    assert all(item.source_time and item.revision_ref for item in found.values())
    assert set(found) == {"b.md", "x/c.md"}


def test_a_folder_of_which_git_tracks_nothing_is_a_plain_one(tmp_path: Path) -> None:
    a_repository(tmp_path, {"a.md": b"1"})
    a_folder(tmp_path / "notes", {"n.md": b"1"})
    assert set(contents(list_source(tmp_path / "notes", tmp_path))) == {"n.md"}
    git(a_folder(tmp_path / "new", {"n.md": b"1"}), "init", "--quiet")
    assert set(contents(list_source(tmp_path / "new", tmp_path))) == {"n.md"}


def test_a_shallow_clone_does_not_date_what_its_edge_only_seems_to_add(tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "origin", {"a.md": b"1"})
    (origin / "b.md").write_bytes(b"1")
    commit(origin, NEW)
    (origin / "c.md").write_bytes(b"1")
    commit(origin, NEW)
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{origin}", "shallow")
    found = items_by_path(list_source(tmp_path / "shallow", tmp_path))
    dated = {path: bool(item.source_time) for path, item in found.items()}
    assert dated == {"a.md": False, "b.md": False, "c.md": True}


def test_a_repositorys_configuration_runs_no_program(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    work = a_repository(tmp_path / "hostile", {"a.md": b"1"})
    (work / ".gitattributes").write_text("* filter=evil diff=evil\n")
    commit(work)
    (work / "a.md").write_bytes(b"2")
    program = f"touch {mark}; cat"
    for name in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv",
                 "diff.external", "core.pager", "gpg.program"):  # fmt: skip
        git(work, "config", name, program)
    git(work, "config", "filter.evil.required", "true")
    git(work, "config", "log.showSignature", "true")
    assert contents(list_source(work, tmp_path))["a.md"] == b"2"
    assert not mark.exists()


def test_links_are_not_followed_and_loops_do_no_harm(tmp_path: Path) -> None:
    a_folder(tmp_path / "root", {"a.md": b"1", "d/b.md": b"2"})
    a_folder(tmp_path / "secret", {"s.md": b"3"})
    root = tmp_path / "root"
    (root / "alias.md").symlink_to("a.md")
    (root / "d" / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "out").symlink_to("../secret")
    os.mkfifo(root / "pipe")
    listing = list_source(root, tmp_path)
    assert codes(listing) == {
        "alias.md": "link", "d/up": "link", "self": "link", "out": "link", "pipe": "special_file",
    }  # fmt: skip
    assert contents(listing) == {"a.md": b"1", "d/b.md": b"2"}


def test_a_tracked_folder_that_became_a_link_is_not_left_through_it(tmp_path: Path) -> None:
    work = a_repository(tmp_path / "work", {"a.md": b"1", "d/e/b.md": b"2"})
    a_folder(tmp_path / "secret", {"b.md": b"3", "e/b.md": b"3"})
    (work / "d" / "e" / "b.md").unlink()
    (work / "d" / "e").rmdir()
    (work / "d").rmdir()
    (work / "d").symlink_to("../secret")
    assert set(contents(list_source(work, tmp_path))) == {"a.md"}


def test_a_file_that_becomes_a_link_after_the_listing_is_not_read(tmp_path: Path) -> None:
    root = a_folder(tmp_path / "root", {"a.md": b"1"})
    [item] = list_source(root, tmp_path).items
    (root / "a.md").unlink()
    (root / "a.md").symlink_to("/etc/passwd")
    with pytest.raises(SourceUnavailable, match="a.md"):
        item.read()


def test_odd_names_are_read_and_told(tmp_path: Path) -> None:
    names = [b"new\nline.md", b"\xff.md", b"esc\x1b[31m.md", b"tab\t.md"]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_bytes(name)
    expected = {
        "new\\u000aline.md": names[0], "\\xff.md": names[1], "esc\\u001b[31m.md": names[2],
        "tab\\u0009.md": names[3],
    }  # fmt: skip
    for repository in (False, True):
        if repository:
            git(tmp_path, "init", "--quiet")
            commit(tmp_path)
        listing = list_source(tmp_path, tmp_path)
        assert contents(listing) == expected
        assert codes(listing) == dict.fromkeys(expected, "escaped_name")
    assert all(item.source_time for item in items_by_path(list_source(tmp_path, tmp_path)).values())


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_folder_that_cannot_be_read_makes_nothing_count_as_gone(tmp_path: Path) -> None:
    a_folder(tmp_path, {"a.md": b"1", "d/b.md": b"2"})
    (tmp_path / "d").chmod(0)
    try:
        listing = list_source(tmp_path, tmp_path)
    finally:
        (tmp_path / "d").chmod(0o700)
    assert not listing.complete
    assert codes(listing) == {"d": "unreadable_folder"}


def test_submodules_are_told_and_not_entered(tmp_path: Path) -> None:
    inner = a_repository(tmp_path / "inner", {"i.md": b"1"})
    work = a_repository(tmp_path / "work", {"a.md": b"1"})
    head = git(inner, "rev-parse", "HEAD")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{head},lib")
    git(work, "commit", "--quiet", "--message=lib")
    for spec in (work, f"file://{work}"):
        listing = list_source(spec, tmp_path / "clones")
        assert codes(listing) == {"lib": "submodule"}
        assert set(contents(listing)) == {"a.md"}


def test_what_a_sparse_checkout_leaves_out_is_read_from_git(tmp_path: Path) -> None:
    files = {f"{name}/README.md": f"# {name}\n".encode() for name in ("a", "b", "c")}
    at = a_repository(tmp_path / "r", files)
    git(at, "sparse-checkout", "set", "a")
    listing = list_source(at, tmp_path)
    assert codes(listing) == {"b/README.md": "outside_checkout", "c/README.md": "outside_checkout"}
    assert listing.complete
    items = items_by_path(listing)
    assert set(items) == set(files)
    assert all(item.source_time and item.revision_ref for item in items.values())
    assert contents(list_source(at, tmp_path)) == files


def test_a_file_that_was_deleted_in_a_sparse_checkout_is_gone(tmp_path: Path) -> None:
    at = a_repository(tmp_path / "r", {"a/1.md": b"1", "a/2.md": b"2", "b/3.md": b"3"})
    git(at, "sparse-checkout", "set", "a")
    (at / "a" / "2.md").unlink()
    assert contents(list_source(at, tmp_path)) == {"a/1.md": b"1", "b/3.md": b"3"}


def test_what_was_neither_checked_out_nor_fetched_says_so(tmp_path: Path) -> None:
    a_repository(tmp_path / "origin", {"a/1.md": b"1", "b/2.md": b"2"})
    git(tmp_path / "origin", "config", "uploadpack.allowFilter", "true")
    address = f"file://{tmp_path / 'origin'}"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--sparse", address, "r")
    git(tmp_path / "r", "sparse-checkout", "set", "a")
    with list_source(tmp_path / "r", tmp_path) as listing, Documents() as documents:
        found = {item.path: read_content(item, documents) for item in listing.items}
    assert {path: (it.content, it.unread) for path, it in found.items()} == {
        "a/1.md": (b"1", None),
        "b/2.md": (b"", "not_fetched"),
    }


def test_pointers_to_contents_elsewhere_are_told_and_not_read() -> None:
    lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0f" * 32 + b"\nsize 7\n"
    given = {
        "plan.md": lfs,
        "talk.bin": b"/annex/objects/SHA256E-s7--" + b"0f" * 32 + b".bin\n",
        "about.md": b"# LFS\n\n" + lfs,
        "long.md": lfs + b"We use LFS for all large files of the project.\n" * 40,
    }
    with Documents() as documents:
        found = {
            path: read_content(Item(path, 0, partial(bytes, content)), documents).unread
            for path, content in given.items()
        }
    assert found == {
        "plan.md": "not_fetched",
        "talk.bin": "not_fetched",
        "about.md": None,
        "long.md": None,
    }


def test_what_git_does_not_track_or_ignores_is_told(tmp_path: Path) -> None:
    at = a_repository(tmp_path / "r", {"a.md": b"a", ".gitignore": b"*.log\nbuild/\n"})
    for path in ("new.md", "fresh/x.md", "fresh/y.md", "build/out.md", "run.log", "sub/b.log"):
        (at / path).parent.mkdir(exist_ok=True)
        (at / path).write_bytes(b"x")
    listing = list_source(at, tmp_path)
    told = codes(listing)
    assert {path for path, code in told.items() if code == "untracked"} == {"new.md", "fresh/"}
    assert {"build/", "run.log"} <= {path for path, code in told.items() if code == "ignored"}
    assert set(contents(listing)) == {"a.md", ".gitignore"}
