"""The files of one run: a folder of its own, and a branch in the repository that it comes from.

The working tree of the person who asks is never touched. What the commands of a model may write is
the folder alone; git's own directory lies outside of it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from agents.development.errors import SandboxError
from agents.development.workflow_ports import Commit, FileChange, Tree
from infra.platform.errors import Conflict
from infra.runtime.walls.errors import WorkspaceUnfit
from infra.runtime.walls.git import GitFailed, call_git, overrule_filters, run_git
from infra.runtime.walls.trees import (
    Author,
    check_out_tree,
    commit_tree,
    diff_trees,
    list_tree,
    move_branch,
    write_tree,
)
from infra.runtime.walls.workspace import remove_trees
from infra.service.development.repositories import find_git_dir
from schemas.ids import sha256_hex

T = TypeVar("T")
AUTHOR = ("Cairn", "cairn@localhost")
BRANCHES = "cairn"  # what the names of branches of runs begin with


@dataclass(frozen=True, slots=True)
class RunTrees:
    """See ``agents.development.workflow_ports.Trees``, whose ``tree_id`` is git's hash of a tree.

    ``base`` is the commit that the run has begun with, ``branch`` the one that its commits go to.
    """

    workspace: Path
    git_dir: Path
    branch: str
    base: str
    now: Callable[[], datetime]

    async def prepare(self) -> Tree:
        tree = await self._do(
            lambda: run_git(self.git_dir, "rev-parse", f"{self.base}^{{tree}}").strip()
        )
        await self.restore(tree)
        return Tree(tree_id=tree)

    async def restore(self, tree_id: str) -> None:
        await self._do(lambda: self._restore(tree_id))

    async def snapshot(self) -> Tree:
        tree = await self._do(lambda: write_tree(self.workspace, self.git_dir, self.base))
        return Tree(tree_id=tree)

    async def list_changes(self, before: str, after: str) -> Sequence[FileChange]:
        return await self._do(lambda: self._list_changes(before, after))

    async def show_diff(self, before: str, after: str) -> str:
        return await self._do(lambda: diff_trees(self.git_dir, before, after))

    async def read_files(self, tree_id: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Those of the files that are there, as text."""
        return await self._do(lambda: self._read_files(tree_id, paths))

    async def commit(self, tree_id: str, message: str, key: str) -> Commit:
        commit = await self._do(lambda: self._commit(tree_id, message, key))
        return Commit(commit_id=commit, tree_id=tree_id, branch=self.branch)

    async def _do(self, work: Callable[[], T]) -> T:
        """Raises SandboxError where git or the folder cannot be used."""
        try:
            return await asyncio.to_thread(work)
        except (GitFailed, WorkspaceUnfit, OSError) as error:
            raise SandboxError(f"The files of the run cannot be used: {error}") from error

    def _restore(self, tree: str) -> None:
        self.workspace.mkdir(parents=True, exist_ok=True)
        remove_trees(*(entry.path for entry in os.scandir(self.workspace)))
        check_out_tree(self.git_dir, tree, self.workspace)

    def _list_changes(self, before: str, after: str) -> list[FileChange]:
        first, then = list_tree(self.git_dir, before), list_tree(self.git_dir, after)
        changed = sorted({name for name, _ in first.items() ^ then.items()})
        return [
            FileChange(
                path=name, sha256=sha256_hex(self._read(then[name][1])) if name in then else None
            )
            for name in changed
        ]

    def _read_files(self, tree: str, paths: Sequence[str]) -> dict[str, str]:
        rows = list_tree(self.git_dir, tree)
        return {
            path: self._read(rows[path][1]).decode(errors="replace")
            for path in paths
            if path in rows
        }

    def _read(self, blob: str) -> bytes:
        return call_git(self.git_dir, ("cat-file", "blob", blob))

    def _commit(self, tree: str, message: str, key: str) -> str:
        """The commit on the branch, made once for its key: its last line names that."""
        head = find_branch(self.git_dir, self.branch)
        text = f"{message.rstrip()}\nCairn-Effect: {key}\n"
        if head is not None and self._is_made(head, key):
            return head
        author = Author(*AUTHOR, self.now())
        commit = commit_tree(self.git_dir, tree, [head or self.base], text, author)
        move_branch(self.git_dir, self.branch, commit, head)
        return commit

    def _is_made(self, head: str, key: str) -> bool:
        message = run_git(self.git_dir, "show", "-s", "--format=%B", head)
        return message.rstrip().endswith(f"\nCairn-Effect: {key}")


def branch_of(issue_number: int, run_id: str) -> str:
    """The branch of a run; each run has its own."""
    return f"{BRANCHES}/issue-{issue_number}-{run_id.rpartition('_')[2][:8]}"


def find_branch(git_dir: Path, branch: str) -> str | None:
    """The commit that a branch names; None: there is no such branch."""
    arguments = ("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return call_git(git_dir, arguments, fine=(0, 1)).decode().strip() or None


def find_base(repository: Path) -> tuple[Path, str]:
    """The git directory of a repository, and the commit that its branch names.

    Raises Conflict for a working tree with changes or a head without a branch: nobody could tell
    what the run has changed. Raises Invalid where there is no repository.
    """
    git_dir = find_git_dir(str(repository))
    head = call_git(git_dir, ("symbolic-ref", "--quiet", "HEAD"), fine=(0, 1))
    if not head.strip():
        raise Conflict(f"{repository} is on no branch: check one out first.", code="detached_head")
    commit = run_git(git_dir, "rev-parse", "--verify", "HEAD^{commit}").strip()
    # What a submodule has checked out counts; in it nothing is run.
    of_files = ("--untracked-files=no", "--ignore-submodules=dirty")
    arguments = ("--work-tree=.", "status", "--porcelain", *of_files)
    without = overrule_filters(git_dir)
    if call_git(git_dir, arguments, more=without, directory=repository).strip():
        raise Conflict(
            f"{repository} has changes that are in no commit: commit or stash them first.",
            code="dirty_tree",
        )
    return git_dir, commit
