"""The tools of a workspace: what they do, what they refuse, and that links lead nowhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.development.errors import PathTraversalError
from agents.development.ports import ToolOutcome
from agents.development.tools.arguments import ARGUMENTS, BRAINSTORM_TOOLS, DEVELOPER_TOOLS
from agents.development.tools.files import fits
from agents.development.tools.paths import is_git, resolve
from agents.development.tools.toolbox import WorkspaceTools
from infra.runtime.walls.files import Files
from infra.runtime.walls.layout import layout_of_this_machine
from infra.runtime.walls.walls import Walls, choose_walls, why_missing
from infra.service.development.sandbox import WallsRunner

SECRET = "the secret outside"


class Box:
    """The tools of a folder, called one after the other."""

    def __init__(self, folder: Path, walls: Walls, tools: Sequence[str]) -> None:
        self.folder = folder
        self._tools = WorkspaceTools(Files(folder), WallsRunner(walls, folder), tools)

    @property
    def names(self) -> list[str]:
        return [each.name for each in self._tools.tools]

    def __call__(self, name: str, **arguments: object) -> ToolOutcome:
        return asyncio.run(self._tools.call(name, arguments))


@pytest.fixture
def some_walls() -> Walls:
    if why_missing("bubblewrap") and why_missing("landlock"):
        pytest.skip("this machine has no walls")
    return choose_walls(layout_of_this_machine())


@pytest.fixture
def box(workspace: Path, some_walls: Walls) -> Box:
    (workspace.parent / "secret.md").write_text(SECRET)
    return Box(workspace, some_walls, tuple(ARGUMENTS))


def test_a_file_is_written_read_edited_found_and_listed(box: Box):
    assert not box("write_file", path="src/a.py", content="one\ntwo\nthree\n").is_error
    assert box("read_file", path="src/a.py", first_line=2, lines=1).text == "two\n… 1 more lines"
    assert not box("edit_file", path="src/a.py", old="two", new="zwei").is_error
    assert box("read_file", path="src/a.py").text == "one\nzwei\nthree\n"
    assert box("glob", pattern="**/*.py").text == "src/a.py"
    assert box("grep", pattern="zw.i", path="src").text == "src/a.py:2:zwei\n"
    assert box("grep", pattern="zw.i").text == "src/a.py:2:zwei\n"
    assert box("bash", command="cat src/a.py").text == "one\nzwei\nthree\n"


def test_an_edit_needs_exactly_one_place(box: Box):
    box("write_file", path="a", content="x x")
    assert "2 times" in box("edit_file", path="a", old="x", new="y").text
    assert "not in a" in box("edit_file", path="a", old="z", new="y").text
    assert box("edit_file", path="a", old="", new="y").is_error
    assert not box("edit_file", path="a", old="x", new="y", every=True).is_error
    assert box("read_file", path="a").text == "y y"


def test_permissions_stay_when_a_file_is_written_again(box: Box):
    (box.folder / "run").write_text("a")
    (box.folder / "run").chmod(0o755)
    box("write_file", path="run", content="b")
    assert (box.folder / "run").stat().st_mode & 0o777 == 0o755


def test_writing_to_a_file_with_a_name_outside_leaves_the_other_as_it_is(box: Box):
    os.link(box.folder.parent / "secret.md", box.folder / "linked.md")
    box("write_file", path="linked.md", content="x")
    assert (box.folder.parent / "secret.md").read_text() == SECRET


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.md", "a/../../secret.md", "/etc/passwd", "/", "..", "a\0b", "/dev/null"),
        *("out/secret.md", "secret-link.md", "loop", "chain", "abs/../secret.md"),
    ],
)
@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file", "write_design_doc"])
def test_a_path_that_leads_out_is_refused(box: Box, tool: str, path: str):
    (box.folder / "out").symlink_to("..")
    (box.folder / "secret-link.md").symlink_to("../secret.md")
    (box.folder / "loop").symlink_to("loop")
    (box.folder / "chain").symlink_to("out/secret.md")
    (box.folder / "abs").symlink_to(box.folder)
    more = {
        "read_file": {},
        "write_file": {"content": "x"},
        "edit_file": {"old": "secret", "new": "x"},
        "write_design_doc": {"content": "x"},
    }
    outcome = box(tool, path=path, **more[tool])
    assert outcome.layer == "path"
    assert SECRET not in outcome.text
    assert (box.folder.parent / "secret.md").read_text() == SECRET


def test_links_and_absolute_paths_inside_are_followed(box: Box):
    box("write_file", path="dir/a.md", content="text")
    (box.folder / "link").symlink_to("dir")
    (box.folder / "whole").symlink_to(box.folder / "dir" / "a.md")
    for path in ("link/a.md", "link/../dir/a.md", "whole", f"{box.folder}/dir/a.md", "./dir//a.md"):
        assert box("read_file", path=path).text == "text"
    box("write_file", path="whole", content="new")
    assert (box.folder / "dir/a.md").read_text() == "new"
    assert (box.folder / "whole").is_symlink()


@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/pre-commit", "sub/.GIT/x", ".git ", ".git./x", "git~1/x"]
)
def test_nothing_is_written_to_gits_own_files(box: Box, path: str):
    assert box("write_file", path=path, content="x").layer == "path"
    assert list(box.folder.iterdir()) == []


def test_a_link_to_gits_own_files_is_seen_through(box: Box):
    (box.folder / ".git").mkdir()
    (box.folder / "docs").symlink_to(".git")
    assert box("write_file", path="docs/config", content="x").layer == "path"
    assert box("glob", pattern="**").text == "No file fits **."


def test_special_files_are_refused_and_never_waited_for(box: Box):
    os.mkfifo(box.folder / "pipe")
    assert box("read_file", path="pipe").layer == "path"
    assert box("write_file", path="pipe", content="x").layer == "path"


@pytest.mark.parametrize(
    ("name", "ok"),
    [("plan.md", True), ("docs/PLAN.MD", True), ("a.markdown", True)]
    + [(name, False) for name in ("a.py", "a.md.py", "Makefile", ".md/x", "md", "a.mdx")],
)
def test_a_design_document_is_markdown_and_nothing_else(box: Box, name: str, ok: bool):
    outcome = box("write_design_doc", path=name, content="# Plan\n")
    assert outcome.is_error is not ok
    assert (box.folder / name).is_file() is ok


def test_a_design_document_does_not_become_another_file_by_a_link(box: Box):
    (box.folder / "setup.py").write_text("x")
    (box.folder / "plan.md").symlink_to("setup.py")
    assert box("write_design_doc", path="plan.md", content="evil").layer == "path"
    assert (box.folder / "setup.py").read_text() == "x"


def test_a_brainstormer_has_one_tool(workspace: Path, some_walls: Walls):
    box = Box(workspace, some_walls, BRAINSTORM_TOOLS)
    assert box.names == ["write_design_doc"]
    for name in DEVELOPER_TOOLS:
        outcome = box(name, path="a.md", content="x")
        assert (outcome.is_error, "There is no tool" in outcome.text) == (True, True)


def test_developers_have_six_tools_with_schemas(workspace: Path, some_walls: Walls):
    box = Box(workspace, some_walls, DEVELOPER_TOOLS)
    assert box.names == ["read_file", "write_file", "edit_file", "glob", "grep", "bash"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {}),
        ("read_file", {"path": 3}),
        ("read_file", {"path": "a", "first_line": 0}),
        ("read_file", {"path": "a", "other": 1}),
        ("bash", {"command": ["ls"]}),
        ("glob", {"pattern": None}),
        ("no_tool", {"path": "a"}),
    ],
)
def test_a_wrong_call_is_an_answer(box: Box, name: str, arguments: dict[str, object]):
    outcome = box(name, **arguments)
    assert outcome.is_error
    assert outcome.layer is None


def test_what_is_not_there_or_no_text_is_said(box: Box):
    (box.folder / "bytes").write_bytes(b"\xff\xfe")
    (box.folder / "dir").mkdir()
    assert "No such file" in box("read_file", path="none").text
    assert "no text" in box("read_file", path="bytes").text
    assert "directory" in box("read_file", path="dir").text.lower()
    assert box("write_file", path="dir", content="x").is_error
    assert box("write_file", path="", content="x").is_error
    assert "half a character" in box("write_file", path="a", content="\ud800").text


def test_a_refused_command_names_its_layer_and_a_failed_one_its_code(box: Box):
    assert box("bash", command="ls | wc").layer == "metacharacters"
    failed = box("bash", command="ls none")
    assert (failed.layer, failed.is_error) == (None, True)
    assert failed.text.endswith("Exit code 2.")


def test_grep_takes_any_expression_as_text_and_any_path_as_a_path(box: Box):
    box("write_file", path="-r", content="--help\n")
    assert "--help" in box("grep", pattern="--help").text
    assert box("grep", pattern="x", path="../").layer == "path"
    assert box("grep", pattern="[", path="-r").is_error
    assert box("grep", pattern="absent").text == "No line of . fits absent."


def test_a_link_that_is_put_in_the_way_after_the_check_leads_nowhere(workspace: Path):
    """The files are opened by what was checked, so the swap is found at the use."""
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text(SECRET)
    (workspace / "dir").mkdir()
    (workspace / "dir/a").write_text("inside")
    files = Files(workspace)
    parts = resolve("dir/a", files.root, files.read_link, writes=True)
    (workspace / "dir").rename(workspace / "old")
    (workspace / "dir").symlink_to(outside)
    for act in (lambda: files.read(parts, 100), lambda: files.write(parts, b"x")):
        with pytest.raises(OSError, match="symbolic links"):
            act()
    (workspace / "dir").unlink()
    (workspace / "dir").mkdir()
    (workspace / "dir/a").symlink_to(outside / "a")
    for act in (lambda: files.read(parts, 100), lambda: files.write(parts, b"x")):
        with pytest.raises(OSError, match="symbolic links"):
            act()
    assert (outside / "a").read_text() == SECRET
    assert sorted(path.name for path in outside.iterdir()) == ["a"]


LINKS = st.dictionaries(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple),
    st.lists(st.sampled_from(["a", "b", "..", ".", "/", "/w", "/w/a", "/x"]), max_size=4).map(
        "/".join
    ),
    max_size=6,
)
PATHS = st.lists(st.sampled_from(["a", "b", "c", "..", ".", "", "/w", "\0"]), max_size=8)


@given(links=LINKS, path=PATHS.map("/".join))
def test_any_path_over_any_links_ends_inside_or_is_refused(
    links: dict[tuple[str, ...], str], path: str
):
    try:
        parts = resolve(path, ("w",), links.get)
    except PathTraversalError:
        return
    assert not {"..", ".", "", "/"} & set(parts)
    assert all(parts[: at + 1] not in links for at in range(len(parts)))


@given(st.text(max_size=50))
def test_any_name_is_git_or_not(text: str):
    assert is_git(text) in (True, False)
    assert is_git(".git")
    assert is_git(".g\u200cit")


@pytest.mark.parametrize(
    ("path", "pattern", "ok"),
    [
        ("a.py", "*.py", True),
        ("src/a.py", "*.py", False),
        ("src/a.py", "**/*.py", True),
        ("a.py", "**/*.py", True),
        ("src/x/a.py", "src/**", True),
        ("src/x/a.py", "src/**/a.py", True),
        ("src/x/a.py", "src/*/a.p?", True),
        ("lib/a.py", "src/**", False),
        ("a" * 200, "*a" * 60 + "b", False),
        ("/".join("a" * 60), "/".join(["**", "a"] * 30) + "/b", False),
    ],
)
def test_paths_fit_patterns(path: str, pattern: str, ok: bool):
    assert fits(tuple(path.split("/")), pattern.split("/")) is ok
