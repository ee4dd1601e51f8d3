"""Repositories of all makes are read, and none reads for its maker what lies outside of it."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from connectors.connector import SourceRefused, SourceUnavailable
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

FILES = {"a.md": b"1\n", "docs/b.md": b"2\n", "docs/deep/c.md": b"3\n"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "shop", FILES)


def as_committed(spec: Path | str, clones: Path) -> dict[str, bool]:
    """Whether each file is told with a commit and a date."""
    return {
        path: bool(item.revision_ref and item.source_time)
        for path, item in items_by_path(list_source(spec, clones)).items()
    }


def every_file(folder: Path) -> dict[Path, bytes]:
    """What a source holds: reading leaves it so."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole(names: Sequence[str] = tuple(FILES)) -> dict[str, bool]:
    return dict.fromkeys(names, True)


# What is read as before


def test_a_linked_work_tree_is_read(tmp_path: Path, work: Path) -> None:
    git(work, "worktree", "add", "--quiet", "../linked", "-b", "other")
    (tmp_path / "linked" / "a.md").write_bytes(b"other\n")
    head = commit(tmp_path / "linked")
    found = items_by_path(list_source(tmp_path / "linked", tmp_path))
    assert {item.revision_ref for item in found.values()} == {head}
    assert as_committed(tmp_path / "linked" / "docs", tmp_path) == whole(("b.md", "deep/c.md"))
    assert contents(list_source(f"file://{tmp_path}/linked", tmp_path / "c"))["a.md"] == b"other\n"


def test_a_work_tree_linked_to_a_bare_repository_is_read(tmp_path: Path, work: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", "shop", "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "--quiet", "../linked")
    assert as_committed(tmp_path / "linked", tmp_path) == whole()


def test_a_submodule_that_is_checked_out_is_read_by_itself(tmp_path: Path, work: Path) -> None:
    outer = a_repository(tmp_path / "outer", {"o.md": b"1\n"})
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "--quiet", "add", str(work), "lib")
    assert as_committed(outer / "lib", tmp_path) == whole()
    assert codes(list_source(outer, tmp_path)) == {"lib": "submodule"}


@pytest.mark.parametrize(
    "make", ["sha256", "packed", "split index", "sparse", "detached", "shallow"]
)
def test_every_make_of_repository_is_read(tmp_path: Path, make: str) -> None:
    work = tmp_path / "shop"
    if make == "sha256":
        git(a_folder(work, FILES), "init", "--quiet", "--object-format=sha256")
        commit(work)
    else:
        a_repository(work, FILES)
    match make:
        case "packed":
            git(work, "gc", "--quiet")
            git(work, "pack-refs", "--all")
        case "split index":
            git(work, "update-index", "--split-index")
        case "sparse":
            git(work, "sparse-checkout", "set", "--cone", "--sparse-index", "docs/deep")
            git(work, "rm", "--quiet", "--cached", "docs/deep/c.md")
            git(work, "add", "docs/deep/c.md")
        case "detached":
            git(work, "checkout", "--quiet", "--detach")
        case "shallow":
            (work / "a.md").write_bytes(b"4\n")
            commit(work)
            work = work.rename(tmp_path / "whole")
            git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{work}", "shop")
            work = tmp_path / "shop"
    dated, before = make != "shallow", every_file(work)
    assert as_committed(work, tmp_path) == dict.fromkeys(FILES, dated)
    assert as_committed(work / ".git", tmp_path) == dict.fromkeys(FILES, dated)
    if dated:
        assert as_committed(f"file://{work}", tmp_path / "clones") == whole()
    assert every_file(work) == before


def test_a_checkout_with_line_ends_of_another_system_is_as_committed(
    tmp_path: Path, work: Path
) -> None:
    git(work, "config", "core.autocrlf", "true")
    for path in FILES:
        (work / path).unlink()
    git(work, "checkout", "--quiet", ".")
    assert (work / "a.md").read_bytes() == b"1\r\n"
    assert as_committed(work, tmp_path) == whole()


def test_a_file_swapped_after_the_listing_is_no_commits_content(tmp_path: Path, work: Path) -> None:
    listing = list_source(work, tmp_path)
    stat = (work / "a.md").stat()
    (work / "a.md").write_bytes(b"9\n")
    os.utime(work / "a.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    found = items_by_path(listing)
    assert (found["a.md"].revision_ref, found["a.md"].source_time) == (None, None)
    assert found["docs/b.md"].revision_ref


def test_a_repository_without_a_commit_is_read_as_it_lies(tmp_path: Path) -> None:
    git(a_folder(tmp_path / "shop", FILES), "init", "--quiet")
    git(tmp_path / "shop", "add", "a.md")
    assert as_committed(tmp_path / "shop", tmp_path) == {"a.md": False}
    with pytest.raises(SourceUnavailable, match="no commit"):
        list_source(tmp_path / "shop" / ".git", tmp_path)


# What is refused


def a_victim(at: Path) -> Path:
    return a_repository(at / "victim", {"s.md": b"secret\n"})


def point_by_file(work: Path, victim: Path) -> None:
    shutil.rmtree(work / ".git")
    (work / ".git").write_text(f"gitdir: {victim / '.git'}\n")


def point_by_link(work: Path, victim: Path) -> None:
    shutil.rmtree(work / ".git")
    (work / ".git").symlink_to(victim / ".git")


def share_the_folder(work: Path, victim: Path) -> None:
    (work / ".git" / "commondir").write_text(f"{victim / '.git'}\n")


def pretend_to_be_linked(work: Path, victim: Path) -> None:
    """The pointer leads to a folder of the stranger, whose own pointer leads outside."""
    own = work / "own" / "worktrees" / "x"
    own.parent.mkdir(parents=True)
    (work / ".git").rename(own)
    (own / "gitdir").write_text(f"{work / '.git'}\n")
    (own / "commondir").write_text(f"{victim / '.git'}\n")
    (work / ".git").write_text(f"gitdir: {own}\n")


def use_anothers_link(work: Path, victim: Path) -> None:
    git(victim, "worktree", "add", "--quiet", "../linked")
    shutil.rmtree(work / ".git")
    (work / ".git").write_text(f"gitdir: {victim}/.git/worktrees/linked\n")


def borrow_objects(work: Path, victim: Path) -> None:
    (work / ".git/objects/info/alternates").write_text(f"{victim}/.git/objects\n")
    (work / ".git/refs/heads/master").write_text(git(victim, "rev-parse", "HEAD"))


def link_objects(work: Path, victim: Path) -> None:
    shutil.rmtree(work / ".git/objects")
    (work / ".git/objects").symlink_to(victim / ".git/objects")


def link_packs(work: Path, victim: Path) -> None:
    git(victim, "gc", "--quiet")
    (work / ".git/objects/pack").rmdir()
    (work / ".git/objects/pack").symlink_to(victim / ".git/objects/pack")


def link_one_object(work: Path, victim: Path) -> None:
    file = next((victim / ".git/objects").glob("??/*"))
    (work / ".git/objects" / file.parent.name).mkdir(exist_ok=True)
    (work / ".git/objects" / file.parent.name / file.name).symlink_to(file)


def link_the_index(work: Path, victim: Path) -> None:
    (work / ".git/index").unlink()
    (work / ".git/index").symlink_to(victim / ".git/index")


def link_the_configuration(work: Path, victim: Path) -> None:
    (work / ".git/config").unlink()
    (work / ".git/config").symlink_to(victim / ".git/config")


def link_the_branch(work: Path, victim: Path) -> None:
    branch = git(work, "symbolic-ref", "HEAD")
    (work / ".git" / branch).unlink()
    (work / ".git" / branch).symlink_to(victim / ".git" / branch)


LEADS_OUT = [
    point_by_file, point_by_link, share_the_folder, pretend_to_be_linked, use_anothers_link,
    borrow_objects, link_packs, link_one_object, link_the_index, link_the_configuration,
    link_the_branch,
]  # fmt: skip


@pytest.mark.parametrize("lead_out", LEADS_OUT)
def test_a_repository_that_leads_out_of_itself_is_refused_with_what_to_do(
    tmp_path: Path, work: Path, lead_out: Callable[[Path, Path], None]
) -> None:
    lead_out(work, a_victim(tmp_path))
    for spec in (work, f"file://{work}"):
        with pytest.raises(SourceRefused, match="(clone|repack)"):
            list_source(spec, tmp_path / "clones")


def test_a_repository_whose_objects_are_a_link_is_none(tmp_path: Path, work: Path) -> None:
    link_objects(work, a_victim(tmp_path))
    assert set(contents(list_source(work, tmp_path))) == set(FILES)
    with pytest.raises(SourceUnavailable, match="not a git repository"):
        list_source(f"file://{work}", tmp_path)


def test_branches_in_a_form_that_cannot_be_read_are_not_taken_for_none(
    tmp_path: Path, work: Path
) -> None:
    git(work, "config", "core.repositoryformatversion", "1")
    with (work / ".git/config").open("a") as config:
        config.write("[extensions]\nrefStorage = reftable\n")
    with pytest.raises(SourceRefused, match="reftable cannot be read"):
        list_source(work, tmp_path)


def test_a_broken_git_folder_is_not_read_as_a_folder_of_files(tmp_path: Path, work: Path) -> None:
    (work / ".git/HEAD").write_bytes(b"\0")
    with pytest.raises(SourceRefused, match="not a complete git repository"):
        list_source(work / ".git", tmp_path)
    assert contents(list_source(work, tmp_path)) == FILES


def test_a_work_tree_elsewhere_is_not_where_the_configuration_says(
    tmp_path: Path, work: Path
) -> None:
    git(work, "config", "core.worktree", str(a_folder(tmp_path / "secret", {"a.md": b"secret"})))
    assert contents(list_source(work, tmp_path)) == FILES


def an_index(paths: Sequence[bytes]) -> bytes:
    """An index that names ``paths``, which git itself would not write."""
    entries = b""
    for path in sorted(paths):
        entry = struct.pack(">10I", *(0,) * 6, 0o100644, *(0,) * 3) + b"\1" * 20
        entry += struct.pack(">H", min(len(path), 0xFFF)) + path
        entries += entry + b"\0" * (8 - len(entry) % 8)
    content = struct.pack(">4sII", b"DIRC", 2, len(paths)) + entries
    return content + hashlib.sha1(content).digest()


HOSTILE = [
    b"../secret.md", b"docs/../../secret.md", b".git/config", b".GIT/config", b"git~1/config",
    b"docs/.git/config", b"/etc/hostname", b"docs//b.md", b"./docs/b.md",
]  # fmt: skip


def test_an_index_that_names_what_lies_outside_is_told_and_not_followed(
    tmp_path: Path, work: Path
) -> None:
    (tmp_path / "secret.md").write_bytes(b"secret")
    a_folder(work, {".GIT/config": b"x", "git~1/config": b"x", "docs/.git/config": b"x"})
    (work / ".git/index").write_bytes(an_index([*HOSTILE, b"a.md"]))
    listing = list_source(work, tmp_path)
    told = {path for path, code in codes(listing).items() if code == "unsafe_name"}
    assert told == {path.decode() for path in HOSTILE}
    assert contents(listing) == {"a.md": b"1\n"}


def write_object(work: Path, kind: str, content: bytes) -> bytes:
    """The id of an object that git itself might not make."""
    done = subprocess.run(
        ("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"),
        cwd=work, input=content, capture_output=True, check=True,
    )  # fmt: skip
    return bytes.fromhex(done.stdout.decode())


def commit_tree(work: Path, entries: dict[bytes, bytes]) -> None:
    rows = (b"100644 %s\0" % name + entries[name] for name in sorted(entries))
    tree = write_object(work, "tree", b"".join(rows)).hex()
    git(work, "update-ref", "HEAD", git(work, "commit-tree", tree, "-m", "hostile"))


def test_a_tree_that_names_what_lies_outside_is_told_and_its_neighbours_are_read(
    tmp_path: Path, work: Path
) -> None:
    names = (b"..", b".git", b".GIT", b"git~1", b"a.md", b"x/../../y")
    commit_tree(work, dict.fromkeys(names, write_object(work, "blob", b"x")))
    for spec in (work / ".git", f"file://{work}"):
        listing = list_source(spec, tmp_path / "clones")
        assert contents(listing) == {"a.md": b"x"}
        assert set(codes(listing).values()) == {"unsafe_name"}
        assert len(listing.notices) == 5


def test_objects_that_are_missing_damaged_or_no_files_cost_their_neighbours_nothing(
    tmp_path: Path, work: Path
) -> None:
    good, damaged = (
        write_object(work, "blob", b"good\n"),
        write_object(work, "blob", os.urandom(200_000)),
    )
    tree = bytes.fromhex(git(work, "rev-parse", "HEAD^{tree}"))
    commit_tree(
        work,
        {
            b"a": good,
            b"b": tree,
            b"c": good,
            b"d": b"\1" * 20,
            b"e": good,
            b"f": damaged,
            b"g": good,
        },
    )
    file = work / ".git/objects" / damaged.hex()[:2] / damaged.hex()[2:]
    file.chmod(0o600)
    os.truncate(file, 100_000)
    with list_source(work / ".git", tmp_path) as listing:
        for item in listing.items * 2:
            if item.path in "aceg":
                assert item.read() == b"good\n"
            else:
                with pytest.raises(SourceUnavailable, match="git fsck"):
                    item.read()


@pytest.mark.parametrize("address", ["shop%00", "loop", "none", "shop/docs"])
def test_an_address_of_no_repository_is_one_sentence(
    tmp_path: Path, work: Path, address: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceUnavailable, match="not a git repository"):
        list_source(f"file://{tmp_path}/{address}", tmp_path / "clones")


def test_a_tree_of_trees_without_end_is_refused(tmp_path: Path, work: Path) -> None:
    """Ten trees of ten entries each: ten thousand million names in a few kilobytes."""
    row, kind = f"100644 blob {git(work, 'rev-parse', 'HEAD:a.md')}", "blob"
    for _ in range(10):
        rows = "".join(f"{row}\t{name}\n" for name in range(10))
        done = subprocess.run(
            ("git", "mktree"), cwd=work, input=rows.encode(), capture_output=True, check=True
        )
        row = f"040000 tree {done.stdout.decode().strip()}"
    git(work, "update-ref", "HEAD", git(work, "commit-tree", row.split()[2], "-m", kind))
    git(work, "gc", "--quiet")
    with pytest.raises(SourceRefused, match="1,000,000"):
        list_source(work / ".git", tmp_path)
