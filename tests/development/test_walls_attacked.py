"""What a command leaves behind on purpose harms neither the host nor the next command."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.development.errors import SecurityError, ToolError
from agents.development.tools import files as file_tools
from infra.runtime.walls import trees
from infra.runtime.walls.errors import WorkspaceUnfit
from infra.runtime.walls.files import Files
from infra.runtime.walls.git import call_git
from infra.runtime.walls.trees import Author, check_out_tree, commit_tree, list_tree, write_tree
from infra.runtime.walls.walls import Command, Outcome, Walls
from infra.runtime.walls.workspace import Handover, remove_trees
from infra.service.development.context_files import read_context_files


def run(walls: Walls, workspace: Path, program: str) -> Outcome:
    return asyncio.run(walls.run(Command(("python3", "-c", program), workspace)))


@pytest.fixture
def git_dir(shared: Path) -> Path:
    folder = shared / "repository.git"
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(folder)), check=True)
    return folder


def test_a_command_inherits_nothing_but_its_output(walls: Walls, workspace: Path):
    program = "import os; print(sorted(int(fd) for fd in os.listdir('/dev/fd')))"
    if walls.kind == "landlock":
        program = (
            "import os, errno\nleft = []\nfor fd in range(1024):\n    try:\n        os.fstat(fd)\n"
            "        left.append(fd)\n    except OSError:\n        pass\nprint(left)"
        )
    output = run(walls, workspace, program).finished.output
    assert output.strip() in ("[0, 1, 2]", "[0, 1, 2, 3]")  # 3: the folder that is listed


DEEP = """
import os, sys
os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.environ["HOME"])
for _ in range(1_500):
    os.mkdir("d")
    os.chdir("d")
"""


def test_very_deep_folders_are_removed_again(walls: Walls, workspace: Path):
    assert run(walls, workspace, DEEP).finished.code == 0
    program = f"import sys; sys.argv = ['', {str(workspace)!r}]\n{DEEP}"
    assert run(walls, workspace, program).finished.code == 0
    remove_trees(workspace)
    assert not workspace.exists()


def test_a_copy_is_not_written_through_a_link(workspace: Path, shared: Path):
    outside, other = shared / "outside", shared / "other"
    outside.write_text("untouched")
    (workspace / "a").write_text("evil")
    os.link(workspace / "a", other)
    (workspace / ".a.copy").symlink_to(outside)
    handover = Handover(workspace)
    handover.take()
    handover.give_back()
    assert outside.read_text() == "untouched"
    assert (workspace / "a").read_text() == "evil"
    assert not os.path.samefile(workspace / "a", other)


def test_a_pipe_that_git_would_read_is_refused(git_dir: Path, workspace: Path):
    os.mkfifo(workspace / ".gitignore")
    with pytest.raises(WorkspaceUnfit, match="pipe"):
        write_tree(workspace, git_dir)


def test_other_pipes_are_left_out_and_odd_names_are_names(git_dir: Path, workspace: Path):
    os.mkfifo(workspace / "pipe")
    for name in ("-rf", "--stdin", ":(top)x", "*", "a\tb", "ü"):
        (workspace / name).write_text(name)
    tree = write_tree(workspace, git_dir)
    assert sorted(list_tree(git_dir, tree)) == sorted(
        ("-rf", "--stdin", ":(top)x", "*", "a\tb", "ü")
    )


def test_a_crafted_tree_makes_nothing_behind_its_own_link(git_dir: Path, shared: Path):
    """Two entries of one name, a link and a folder: git itself would not write such a tree."""

    def store(kind: str, data: bytes) -> str:
        command = ("git", "--git-dir", git_dir, "hash-object", "--literally", "-t", kind)
        answer = subprocess.run(
            (*command, "-w", "--stdin"), input=data, capture_output=True, check=True
        )
        return answer.stdout.decode().strip()

    def entry(mode: str, name: str, sha: str) -> bytes:
        return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(sha)

    outside = shared / "outside"
    outside.mkdir()
    link, file = store("blob", str(outside).encode()), store("blob", b"evil")
    inner = store("tree", entry("40000", "c", store("tree", entry("100644", "b", file))))
    tree = store("tree", entry("120000", "a", link) + entry("40000", "a", inner))
    with pytest.raises(WorkspaceUnfit, match="behind a link"):
        check_out_tree(git_dir, tree, shared / "again")
    assert not list(outside.iterdir())


def test_files_of_a_tree_are_written_in_parts(
    git_dir: Path, workspace: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    """Some sparse files cost a command nothing; all of them at once would fill the memory."""
    for number in range(4):
        os.truncate(os.open(workspace / str(number), os.O_CREAT | os.O_WRONLY), 1_000_000)
    tree = write_tree(workspace, git_dir)
    longest: list[int] = []
    real = call_git

    def call(*given: Any, **more: Any) -> bytes:
        answer = real(*given, **more)
        longest.append(len(answer))
        return answer

    monkeypatch.setattr(trees, "call_git", call)
    monkeypatch.setattr(trees, "READ_AT_ONCE_BYTES", 1_500_000)
    check_out_tree(git_dir, tree, shared / "again")
    assert max(longest) < 1_500_000
    assert all((shared / "again" / str(it)).stat().st_size == 1_000_000 for it in range(4))


def test_a_message_of_a_model_makes_a_commit_whatever_is_in_it(git_dir: Path, workspace: Path):
    tree = write_tree(workspace, git_dir)
    author = Author("Cairn", "cairn@example.org", datetime(2026, 1, 2, tzinfo=UTC))
    assert commit_tree(git_dir, tree, [], "A\0 b\ud800\x1b[2J", author, {"Name": "value"})


def test_an_edit_cannot_blow_up_a_file(workspace: Path):
    (workspace / "a").write_text("a" * 1_000_000)
    with pytest.raises(ToolError, match="longer"):
        file_tools.edit_file(Files(workspace), "a", "a", "b" * 1_000_000, every=True)


def test_a_pattern_has_a_bounded_number_of_parts(workspace: Path):
    with pytest.raises(ToolError, match="parts"):
        file_tools.glob(Files(workspace), "**/" * 600 + "x")


def test_a_link_that_comes_between_check_and_use_shows_nothing(
    workspace: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    outside = shared / "outside"
    outside.mkdir()
    (outside / "a").write_text("secret")
    (workspace / "sub").mkdir()
    (workspace / "sub/a").write_text("open")
    real = os.open

    def swap(path: Path, flags: int) -> int:
        (workspace / "sub").rename(workspace / "was")
        (workspace / "sub").symlink_to(outside)
        return real(path, flags)

    monkeypatch.setattr(os, "open", swap)
    with pytest.raises(SecurityError):
        read_context_files(workspace, ["sub/a"], str)
