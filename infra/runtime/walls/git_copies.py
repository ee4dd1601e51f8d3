"""The git directory that commands see: a copy without configuration, hooks and remotes."""

from __future__ import annotations

import os
from pathlib import Path

from infra.runtime.walls.git import GitFailed, call_git, run_git


def copy_for_commands(git_dir: Path, folder: Path) -> None:
    """Make a git directory that commands may read and write, and that nobody else uses.

    It has the branches and the index of ``git_dir``'s commit and reads its objects where they are.
    Raises GitFailed.
    """
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    is_sha256 = run_git(git_dir, "rev-parse", "--show-object-format").strip() == "sha256"
    extension = "[extensions]\n\tobjectFormat = sha256\n" if is_sha256 else ""
    (folder / "config").write_text(
        f"[core]\n\trepositoryformatversion = {int(is_sha256)}\n\tbare = false\n{extension}"
        "[user]\n\tname = sandbox\n\temail = sandbox@localhost\n"
    )
    (folder / "HEAD").write_text(_head_of(git_dir))
    (folder / "objects/info/alternates").write_text(f"{objects_of(git_dir)}\n")
    branches = run_git(git_dir, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads")
    (folder / "packed-refs").write_text(branches)
    if _has_commit(git_dir):
        run_git(folder, "read-tree", "HEAD")


def objects_of(git_dir: Path) -> Path:
    """Where the objects of a git directory are; that of a worktree names another one's."""
    return Path(os.path.realpath(run_git(git_dir, "rev-parse", "--git-path", "objects").strip()))


def _head_of(git_dir: Path) -> str:
    try:
        return f"ref: {run_git(git_dir, 'symbolic-ref', 'HEAD').strip()}\n"
    except GitFailed:
        return run_git(git_dir, "rev-parse", "HEAD")


def _has_commit(git_dir: Path) -> bool:
    arguments = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return bool(call_git(git_dir, arguments, fine=(0, 1)).strip())
