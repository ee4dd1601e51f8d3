"""Git on the host stores what is in a workspace, byte for byte, and runs nothing of it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.platform.errors import Invalid
from infra.runtime.walls.errors import WallsBroken, WorkspaceUnfit
from infra.runtime.walls.git import GitFailed
from infra.runtime.walls.layout import layout_of_this_machine
from infra.runtime.walls.trees import (
    Author,
    check_out_tree,
    commit_tree,
    diff_trees,
    list_tree,
    move_branch,
    write_tree,
)
from infra.runtime.walls.walls import Command, Walls, choose_walls
from tests.packages import find_program

AUTHOR = Author("Cairn", "cairn@example.org", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


def git(folder: Path, *arguments: str) -> str:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    command = ("git", "-C", str(folder), *arguments)
    answer = subprocess.run(command, capture_output=True, text=True, env=environ, check=True)
    return answer.stdout


@pytest.fixture
def git_dir(shared: Path) -> Path:
    folder = shared / "repository.git"
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(folder)), check=True)
    return folder


def commit(git_dir: Path, workspace: Path, base: str | None = None) -> str:
    tree = write_tree(workspace, git_dir, base)
    return commit_tree(git_dir, tree, [base] if base else [], "Change it", AUTHOR)


def test_a_tree_holds_files_modes_and_links_as_they_are(git_dir: Path, workspace: Path):
    (workspace / "dir").mkdir()
    (workspace / "dir/crlf.txt").write_bytes(b"a\r\nb\n\x00\xff")
    (workspace / "run").write_text("#!/bin/sh\n")
    (workspace / "run").chmod(0o755)
    (workspace / "link").symlink_to("/etc/passwd")
    (workspace / 'ünï "q".txt').write_text("x")
    tree = write_tree(workspace, git_dir)
    rows = list_tree(git_dir, tree)
    assert {name: mode for name, (mode, _) in rows.items()} == {
        "dir/crlf.txt": "100644",
        "run": "100755",
        "link": "120000",
        'ünï "q".txt': "100644",
    }
    blob = subprocess.run(
        ("git", "--git-dir", git_dir, "cat-file", "blob", rows["dir/crlf.txt"][1]),
        capture_output=True,
        check=True,
    )
    assert blob.stdout == b"a\r\nb\n\x00\xff"
    assert git(git_dir, "cat-file", "blob", rows["link"][1]) == "/etc/passwd"


def test_the_same_files_have_the_same_tree(git_dir: Path, workspace: Path):
    (workspace / "a").write_text("a")
    assert write_tree(workspace, git_dir) == write_tree(workspace, git_dir)


def test_ignored_files_stay_out_unless_they_were_there_before(git_dir: Path, workspace: Path):
    (workspace / "kept.log").write_text("kept")
    base = commit(git_dir, workspace)
    (workspace / ".gitignore").write_text("*.log\nbuild/\n")
    (workspace / "new.log").write_text("new")
    (workspace / "build").mkdir()
    (workspace / "build/out").write_text("out")
    rows = list_tree(git_dir, write_tree(workspace, git_dir, base))
    assert sorted(rows) == [".gitignore", "kept.log"]


def test_no_program_of_a_workspace_runs_on_the_host(
    git_dir: Path, workspace: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    """Hooks, filters, aliases and the file watcher, in the workspace and in a nested git."""
    trap = shared / "trap"
    program = f"#!/bin/sh\ntouch {trap}\n"
    evil = f"touch {trap}"
    (workspace / "evil").write_text(program)
    (workspace / "evil").chmod(0o755)
    (workspace / ".gitattributes").write_text("* filter=x diff=x merge=x text eol=crlf ident\n")
    config = (
        f"[core]\n\tfsmonitor = {evil}\n\thooksPath = hooks\n\tpager = {evil}\n\teditor = {evil}\n"
        f'[filter "x"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\trequired\n'
        f'[diff "x"]\n\ttextconv = {evil}\n\tcommand = {evil}\n[alias]\n\twrite-tree = !{evil}\n'
    )
    for name in (".git", "sub/.git"):
        folder = workspace / name
        (folder / "hooks").mkdir(parents=True)
        (folder / "config").write_text(config)
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
        for hook in ("pre-commit", "reference-transaction", "post-commit", "post-index-change"):
            (folder / "hooks" / hook).write_text(program)
            (folder / "hooks" / hook).chmod(0o755)
    (workspace / ".gitconfig").write_text(config)
    (workspace / "a.txt").write_text("$Id$\n")
    monkeypatch.setenv("HOME", str(workspace))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(workspace / ".gitconfig"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(workspace / "evil"))
    monkeypatch.chdir(workspace)
    first = commit(git_dir, workspace)
    (workspace / "a.txt").write_text("changed\n")
    second = commit(git_dir, workspace, first)
    move_branch(git_dir, "main", second, None)
    assert "+changed" in diff_trees(git_dir, first, second)
    check_out_tree(git_dir, second, shared / "again")
    assert (shared / "again/a.txt").read_text() == "changed\n"
    assert not trap.exists()
    assert not [name for name in list_tree(git_dir, second) if ".git/" in name]


def test_a_commit_has_exactly_the_reviewed_tree_with_its_trailers(git_dir: Path, workspace: Path):
    (workspace / "a").write_text("reviewed")
    tree = write_tree(workspace, git_dir)
    (workspace / "a").write_text("changed behind the review")
    sha = commit_tree(git_dir, tree, [], "Add a\n\nBody.", AUTHOR, {"Atom": "atm_1", "Task": "2"})
    assert git(git_dir, "rev-parse", f"{sha}^{{tree}}").strip() == tree
    assert git(git_dir, "cat-file", "blob", f"{sha}:a") == "reviewed"
    assert git(git_dir, "log", "-1", "--format=%an <%ae> %at%n%B", sha).strip() == (
        "Cairn <cairn@example.org> 1767323045\nAdd a\n\nBody.\n\nAtom: atm_1\nTask: 2"
    )
    trailers = git(git_dir, "log", "-1", "--format=%(trailers:only)", sha)
    assert trailers.split("\n")[:2] == ["Atom: atm_1", "Task: 2"]


def test_a_branch_is_moved_only_from_the_commit_that_was_seen(git_dir: Path, workspace: Path):
    first = commit(git_dir, workspace)
    move_branch(git_dir, "task/1", first, None)
    (workspace / "a").write_text("a")
    second = commit(git_dir, workspace, first)
    with pytest.raises(GitFailed):
        move_branch(git_dir, "task/1", second, second)
    move_branch(git_dir, "task/1", second, first)
    assert git(git_dir, "rev-parse", "task/1").strip() == second
    with pytest.raises(GitFailed):
        move_branch(git_dir, "../../hooks/x", second, None)


@pytest.mark.parametrize("wrong", ["HEAD", "--output=x", "main", "", "abc"])
def test_only_hashes_name_trees(git_dir: Path, workspace: Path, wrong: str):
    tree = write_tree(workspace, git_dir)
    with pytest.raises(Invalid):
        diff_trees(git_dir, tree, wrong)
    with pytest.raises(Invalid):
        commit_tree(git_dir, wrong, [], "x", AUTHOR)


@pytest.mark.parametrize("trailers", [{"A b": "x"}, {"A": "x\nB: y"}, {"A": " "}, {"": "x"}])
def test_a_trailer_is_one_line(git_dir: Path, workspace: Path, trailers: dict[str, str]):
    with pytest.raises(Invalid):
        commit_tree(git_dir, write_tree(workspace, git_dir), [], "x", AUTHOR, trailers)


def test_a_name_with_a_line_feed_is_refused(git_dir: Path, workspace: Path):
    (workspace / "a\nb").write_text("x")
    with pytest.raises(WorkspaceUnfit, match="line feed"):
        write_tree(workspace, git_dir)


def test_a_tree_is_checked_out_as_it_is_and_only_into_an_empty_folder(
    git_dir: Path, workspace: Path, shared: Path
):
    (workspace / "dir").mkdir()
    (workspace / "dir/a").write_bytes(b"\x00\r\n")
    (workspace / "run").write_text("x")
    (workspace / "run").chmod(0o755)
    (workspace / "link").symlink_to("dir/a")
    (workspace / "empty").write_text("")
    tree = write_tree(workspace, git_dir)
    check_out_tree(git_dir, tree, shared / "copy")
    assert write_tree(shared / "copy", git_dir) == tree
    with pytest.raises(WorkspaceUnfit):
        check_out_tree(git_dir, tree, shared / "copy")


def test_commands_use_git_in_a_copy_that_is_thrown_away(
    walls: Walls, git_dir: Path, workspace: Path
):
    (workspace / "a").write_text("first\n")
    first = commit(git_dir, workspace)
    move_branch(git_dir, "main", first, None)
    secret = git_dir / "config"
    secret.write_text(secret.read_text() + '[remote "o"]\n\turl = https://token@example.org/x\n')
    (workspace / "a").write_text("second\n")
    before = {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()}
    text = (
        "git status --short; git diff; git log --format=%s; git config --list | grep -c token;"
        "git add a && git commit -qm mine && git log --format=%s; echo x > $GIT_DIR/hooks-mark"
    )
    command = Command(("/bin/sh", "-c", text), workspace, git_dir)
    output = asyncio.run(walls.run(command)).finished.output
    assert " M a\n" in output
    assert "+second" in output
    assert output.endswith("Change it\n0\nmine\nChange it\n")
    after = {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()}
    assert after == before


def test_a_checkout_is_worked_in_without_its_git_directory(walls: Walls, workspace: Path):
    git(workspace, "init", "-q", "-b", "main")
    (workspace / "a").write_text("a\n")
    git(workspace, "add", "a")
    git(workspace, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "First")
    hooks = workspace / ".git/hooks"
    text = "git log --format=%s; ls .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; true"
    command = Command(("/bin/sh", "-c", text), workspace)
    if walls.kind == "landlock":
        with pytest.raises(WallsBroken, match="Landlock cannot hide it"):
            asyncio.run(walls.run(command))
        return
    before = sorted(hooks.iterdir())
    output = asyncio.run(walls.run(command)).finished.output
    assert output.startswith("First\n")
    assert sorted(hooks.iterdir()) == before
    assert git(workspace, "status", "--short") == ""


def test_a_git_directory_that_was_moved_is_kept_and_its_successor_removed(workspace: Path):
    find_program("bwrap", "bubblewrap")
    nested = workspace / "sub"
    nested.mkdir()
    git(nested, "init", "-q")
    text = "mv sub old && mkdir -p sub/.git && echo '[core]' > sub/.git/config"
    walls = choose_walls(layout_of_this_machine(), "bubblewrap")
    outcome = asyncio.run(walls.run(Command(("/bin/sh", "-c", text), workspace)))
    assert outcome.removed == ("sub/.git",)
    assert (workspace / "old/.git/HEAD").exists()
    assert not (workspace / "sub/.git").exists()
