"""What each tool takes, and how a model is told of it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

LONGEST_PATTERN = 2_000


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ReadFile(Arguments):
    """Read lines of a text file of the workspace."""

    path: str
    first_line: int = Field(1, ge=1)
    lines: int = Field(2_000, ge=1, le=20_000)


class WriteFile(Arguments):
    """Make a text file, or replace all of it. Folders above it are made."""

    path: str
    content: str


class EditFile(Arguments):
    """Replace a text in a file. It has to be there exactly once, unless `every` is true."""

    path: str
    old: str
    new: str
    every: bool = False


class Glob(Arguments):
    """List files whose paths fit a pattern, such as `src/**/*.py`."""

    pattern: str = Field(max_length=LONGEST_PATTERN)


class Grep(Arguments):
    """Find lines that fit an extended regular expression, with file and line number."""

    pattern: str = Field(max_length=LONGEST_PATTERN)
    path: str = "."


class Bash(Arguments):
    """Run one program in the workspace. No shell: no pipes, no redirection, no variables."""

    command: str


class WriteDesignDoc(Arguments):
    """Write a design document as a Markdown file of the workspace."""

    path: str
    content: str


ARGUMENTS: Mapping[str, type[Arguments]] = {
    "read_file": ReadFile,
    "write_file": WriteFile,
    "edit_file": EditFile,
    "glob": Glob,
    "grep": Grep,
    "bash": Bash,
    "write_design_doc": WriteDesignDoc,
}
DEVELOPER_TOOLS = ("read_file", "write_file", "edit_file", "glob", "grep", "bash")
BRAINSTORM_TOOLS = ("write_design_doc",)
