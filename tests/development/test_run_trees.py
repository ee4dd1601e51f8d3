"""Where a delivery may begin, and how its branch moves."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from agents.development.errors import SandboxError
from infra.platform.errors import Conflict, Invalid
from infra.service.development.run_trees import RunTrees, find_base
from tests.development.deliveries import NOW


def git(folder: Path, *args: str) -> str:
    command = ["git", "-c", "user.name=ana", "-c", "user.email=ana@example.com", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", "a.txt")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def test_it_begins_at_the_commit_of_the_branch(repository):
    git_dir, commit = find_base(repository)
    assert git_dir == repository / ".git"
    assert commit == git(repository, "rev-parse", "HEAD").strip()


def test_files_that_git_does_not_know_are_no_change(repository):
    (repository / "notes.txt").write_text("mine\n")
    find_base(repository)


def test_changes_in_no_commit_refuse(repository):
    (repository / "a.txt").write_text("two\n")
    with pytest.raises(Conflict) as refused:
        find_base(repository)
    assert refused.value.code == "dirty_tree"


def test_a_head_without_a_branch_refuses(repository):
    git(repository, "checkout", "-q", "--detach")
    with pytest.raises(Conflict) as refused:
        find_base(repository)
    assert refused.value.code == "detached_head"


def test_a_folder_without_a_repository_refuses(tmp_path):
    with pytest.raises(Invalid):
        find_base(tmp_path)


def test_the_tree_of_who_asks_is_not_touched_and_a_commit_is_made_once(repository, tmp_path):
    git_dir, base = find_base(repository)
    work = tmp_path / "work"
    trees = RunTrees(work, git_dir, "cairn/7", base, lambda: NOW)

    async def commit() -> tuple[str, str, str]:
        begin = await trees.prepare()
        (work / "b.txt").write_text("new\n")
        tree = (await trees.snapshot()).tree_id
        (work / "left.txt").write_text("left behind\n")
        first, again = [await trees.commit(tree, "Add b\n\nA: b", "eff_1") for _ in range(2)]
        other = await trees.commit(begin.tree_id, "Remove b\n\nA: b", "eff_2")
        await trees.restore(tree)
        assert [one.path for one in await trees.list_changes(begin.tree_id, tree)] == ["b.txt"]
        assert await trees.read_files(tree, ["b.txt", "c.txt"]) == {"b.txt": "new\n"}
        assert first == again
        return base, first.commit_id, other.commit_id

    commits = asyncio.run(commit())
    assert git(repository, "rev-list", "--reverse", "cairn/7").split() == list(commits)
    assert sorted(path.name for path in work.iterdir()) == ["a.txt", "b.txt"]
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "rev-parse", "HEAD").strip() == base


def test_a_folder_that_cannot_be_used_is_an_error_of_the_sandbox(repository, tmp_path):
    git_dir, base = find_base(repository)
    (tmp_path / "file").write_text("")
    trees = RunTrees(tmp_path / "file", git_dir, "cairn/7", base, lambda: NOW)
    with pytest.raises(SandboxError):
        asyncio.run(trees.prepare())
