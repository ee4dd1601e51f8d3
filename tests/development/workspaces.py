"""A workspace in memory for runs that write code, with a coding model by script."""

from __future__ import annotations

import difflib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

from agents.development.ports import DriverName, Reply, Spent, StreamEvent
from agents.development.workflow_ports import (
    Commit,
    FileChange,
    PullRequest,
    TestRun,
    Tree,
)
from schemas.ids import derive_id, sha256_hex
from tests.development.governed_runs import ISSUE_TEXT, Models, Script, World, approves

Files = dict[str, str]
Edit = Callable[[Files], None]
NOW = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
BASE = {"app/export.py": "def export(rows):\n    return rows\n"}
TEST_PATH = "tests/test_signing.py"
TEST_TEXT = '''\
def test_signed():
    """R-1, R-2"""
    from app.export import export

    assert export([], "ana") == ["signed by ana"]
'''
CODE = 'def export(rows, author):\n    return [*rows, f"signed by {author}"]\n'


@dataclass
class Workspace:
    """Trees by their ids. ``calls`` are those that change something outside."""

    files: Files = field(default_factory=lambda: dict(BASE))
    trees: dict[str, Files] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    commits: dict[str, Commit] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    commits_other_tree: bool = False
    after_call: Callable[[str], None] = lambda name: None

    async def prepare(self) -> Tree:
        self.files = dict(BASE)
        return await self.snapshot()

    async def restore(self, tree_id: str) -> None:
        self.files = dict(self.trees[tree_id])

    async def snapshot(self) -> Tree:
        tree_id = sha256_hex(json.dumps(self.files, sort_keys=True))
        self.trees[tree_id] = dict(self.files)
        return Tree(tree_id=tree_id)

    async def list_changes(self, before: str, after: str) -> Sequence[FileChange]:
        old, new = self.trees[before], self.trees[after]
        return [
            FileChange(path=path, sha256=sha256_hex(new[path]) if path in new else None)
            for path in sorted(old.keys() | new.keys())
            if old.get(path) != new.get(path)
        ]

    async def show_diff(self, before: str, after: str) -> str:
        old, new = self.trees[before], self.trees[after]
        lines: list[str] = []
        for path in (change.path for change in await self.list_changes(before, after)):
            left, right = old.get(path, "").splitlines(), new.get(path, "").splitlines()
            lines += difflib.unified_diff(left, right, path, path, lineterm="")
        return "\n".join(lines)

    async def read_files(self, tree_id: str, paths: Sequence[str]) -> Mapping[str, str]:
        tree = self.trees[tree_id]
        return {path: tree[path] for path in paths if path in tree}

    async def commit(self, tree_id: str, message: str, key: str) -> Commit:
        if key not in self.commits:
            made = "0" * 64 if self.commits_other_tree else tree_id
            commit_id = derive_id("cmt", made, message)
            self.commits[key] = Commit(commit_id=commit_id, tree_id=made, branch="cairn/issue-7")
            self.messages.append(message)
            self.note("commit")
        return self.commits[key]

    async def open(self, title: str, body: str, commit: Commit, key: str) -> PullRequest:
        self.note("pull_request")
        return PullRequest(address="pulls/7.md", branch=commit.branch)

    def note(self, name: str) -> None:
        self.calls.append(name)
        self.after_call(name)


@dataclass
class Coder:
    """A coding model: each prompt makes the next edit, the last one again and again, and the same
    prompt makes the same edit.
    """

    workspace: Workspace
    edits: list[Edit]
    prompts: list[str] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)
    name: DriverName = "claude"

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        return Reply("", None, Spent())

    async def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncIterator[StreamEvent | Reply]:
        earlier = dict.fromkeys(zip(self.prompts, self.sessions, strict=True))
        number = [*earlier, (prompt, session_id)].index((prompt, session_id))
        self.prompts.append(prompt)
        self.sessions.append(session_id)
        yield StreamEvent(
            id=f"sev_{number}",
            type="CLAUDE_TOOL_CALL",
            content="Writes a file.",
            timestamp=NOW,
            agent="implementer",
            workflow_id="wfl_1",
            tool_name="write_file",
            tool_input={"path": "app/export.py"},
        )
        self.edits[min(number, len(self.edits) - 1)](self.workspace.files)
        self.workspace.note("write_code")
        yield Reply("Done.", f"session_{number}", Spent(1_000, 200, 0.05))


@dataclass
class Runner:
    """Passes where the code signs. ``codes``: the exit codes of the next runs instead."""

    __test__: ClassVar[bool] = False

    workspace: Workspace
    codes: list[int | None] = field(default_factory=list)
    runner: str = "pytest"
    runs: int = 0

    async def run(self) -> TestRun:
        self.runs += 1
        self.workspace.note("run_tests")
        passes = "signed by" in self.workspace.files.get("app/export.py", "")
        code = self.codes.pop(0) if self.codes else int(not passes)
        output = f"exit {code}"
        commands = ("pytest -q",)
        return TestRun(runner=self.runner, exit_code=code, output=output, commands=commands)


def puts(path: str, text: str) -> Edit:
    def edit(files: Files) -> None:
        files[path] = text

    return edit


def removes(path: str) -> Edit:
    def edit(files: Files) -> None:
        del files[path]

    return edit


def nothing(files: Files) -> None:
    """The coding model changes nothing."""


WRITES_TESTS, WRITES_CODE = puts(TEST_PATH, TEST_TEXT), puts("app/export.py", CODE)


def scenarios(*requirements: str, path: str = TEST_PATH) -> dict[str, Any]:
    each = {"name": "test_signed", "path": path, "checks": "An export is signed."}
    return {"scenarios": [{**each, "requirements": list(requirements)}]}


def a_change(
    *edits: Edit,
    codes: Sequence[int | None] = (),
    plans: Sequence[Script] = (),
    reviews: Sequence[Script] = (),
    **more: Any,
) -> World:
    """A run of the tdd workflow with a workspace of its own."""
    workspace = Workspace()
    ports = {
        "trees": workspace,
        "implementer": Coder(workspace, list(edits) or [WRITES_TESTS, WRITES_CODE]),
        "tests": Runner(workspace, list(codes)),
        "pull_requests": workspace,
    }
    models = Models(list(plans) or [scenarios("R-1", "R-2")], list(reviews) or [approves()])
    return World("tdd_implementation", models, issue=ISSUE_TEXT, ports=ports, **more)
