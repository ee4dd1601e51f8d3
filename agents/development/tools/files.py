"""The tools that read and change files."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from agents.development.design_doc import SUFFIXES
from agents.development.errors import PathTraversalError, ToolError
from agents.development.tools.paths import resolve
from agents.development.tools.ports import Parts, WorkspaceFiles

T = TypeVar("T")
MOST_BYTES = 2_000_000
MOST_CHARS = 30_000
MOST_FILES = 50_000
MOST_PATHS = 1_000
MOST_PARTS = 40  # of a pattern: each is tried at each folder of a path
NO_REGULAR_FILE = (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP)


def read_file(files: WorkspaceFiles, path: str, first_line: int = 1, lines: int = 2_000) -> str:
    """The text of some lines, as they are in the file."""
    text = _read_text(files, path)
    kept = text.splitlines(keepends=True)
    part = "".join(kept[first_line - 1 : first_line - 1 + lines])
    if len(part) > MOST_CHARS:
        part = part[:MOST_CHARS] + f"\n… cut after {MOST_CHARS:,} characters: ask for fewer lines"
    if first_line > max(1, len(kept)):
        raise ToolError(f"{path} has {len(kept):,} lines, so there is no line {first_line:,}.")
    left = len(kept) - (first_line - 1 + lines)
    return part if left <= 0 else f"{part}… {left:,} more lines"


def write_file(files: WorkspaceFiles, path: str, content: str) -> str:
    """Make a file, or replace all of it."""
    data = _encode(path, content)
    _act(path, lambda: files.write(_where(files, path, writes=True), data))
    return f"Wrote {len(data):,} bytes to {path}."


def edit_file(files: WorkspaceFiles, path: str, old: str, new: str, *, every: bool = False) -> str:
    """Replace a text that is in the file exactly once, or ``every`` one."""
    if not old:
        raise ToolError("The text to replace is empty. Use write_file to make a file.")
    text = _read_text(files, path, writes=True)
    count = text.count(old)
    if count == 0:
        raise ToolError(f"The text to replace is not in {path}. Read the file and copy it exactly.")
    if count > 1 and not every:
        raise ToolError(
            f"The text to replace is in {path} {count} times. Add lines around it, or set `every`."
        )
    if len(text) + count * (len(new) - len(old)) > MOST_BYTES:
        raise ToolError(f"The text for {path} would be longer than {MOST_BYTES:,} bytes.")
    data = _encode(path, text.replace(old, new))
    _act(path, lambda: files.write(_where(files, path, writes=True), data))
    return f"Replaced {count} text{'s' if count > 1 else ''} in {path}."


def write_design_doc(files: WorkspaceFiles, path: str, content: str) -> str:
    """Write a Markdown file of the workspace, and nothing else.

    The brainstormer has no workspace: its tool of this name keeps the document in its session.
    """
    parts = _where(files, path, writes=True)
    if not all(name.casefold().endswith(SUFFIXES) for name in (path, *parts[-1:])):
        raise PathTraversalError(f"{path[:200]} is no Markdown file. Its name ends with .md.")
    return write_file(files, path, content)


def glob(files: WorkspaceFiles, pattern: str) -> str:
    """The files whose paths fit a pattern, one a line."""
    wanted = [part for part in pattern.split("/") if part not in ("", ".")]
    if len(wanted) > MOST_PARTS:
        raise ToolError(f"The pattern has more than {MOST_PARTS} parts.")
    if ".." in wanted or pattern.startswith("/"):
        raise PathTraversalError("A pattern begins at the workspace's folder and holds no `..`.")
    every = _act(pattern, lambda: files.list_files(MOST_FILES))
    paths = ["/".join(parts) for parts in every if fits(parts, wanted)]
    if not paths:
        return f"No file fits {pattern}."
    more = f"\n… {len(paths) - MOST_PATHS:,} more" if len(paths) > MOST_PATHS else ""
    return "\n".join(paths[:MOST_PATHS]) + more


def fits(parts: Parts, wanted: list[str]) -> bool:
    """Whether a path fits a pattern: ``**`` stands for any folders, ``*`` and ``?`` for signs."""
    reach = {0}  # how many parts of the path are taken by the pattern so far
    for part in wanted:
        if part == "**":
            reach = set(range(min(reach, default=len(parts) + 1), len(parts) + 1))
        else:
            reach = {at + 1 for at in reach if at < len(parts) and _name_fits(parts[at], part)}
    return len(parts) in reach


def _name_fits(name: str, pattern: str) -> bool:
    """Stars are tried from the last one back, so the time is the product of both lengths."""
    at = place = 0
    star, mark = -1, 0
    while at < len(name):
        sign = pattern[place] if place < len(pattern) else ""
        if sign == "*":
            star, mark, place = place, at, place + 1
        elif sign and sign in ("?", name[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            mark += 1
            at, place = mark, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


def locate(files: WorkspaceFiles, path: str) -> str:
    """A path of the workspace without links, for a program that is run in it."""
    return "/".join(_where(files, path)) or "."


def _where(files: WorkspaceFiles, path: str, *, writes: bool = False) -> Parts:
    parts = _act(path, lambda: resolve(path, files.root, files.read_link, writes=writes))
    if writes and not parts:
        raise ToolError(f"{path or 'The empty path'} is a folder. Give the path of a file.")
    return parts


def _read_text(files: WorkspaceFiles, path: str, *, writes: bool = False) -> str:
    data = _act(path, lambda: files.read(_where(files, path, writes=writes), MOST_BYTES + 1))
    if len(data) > MOST_BYTES:
        raise ToolError(f"{path} is longer than {MOST_BYTES:,} bytes. Use grep, or head and tail.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{path} is no text in UTF-8.") from None


def _encode(path: str, content: str) -> bytes:
    try:
        data = content.encode()
    except UnicodeEncodeError:
        raise ToolError(f"The text for {path} holds half a character.") from None
    if len(data) > MOST_BYTES:
        raise ToolError(f"The text for {path} is longer than {MOST_BYTES:,} bytes.")
    return data


def _act(path: str, act: Callable[[], T]) -> T:
    """Raises PathTraversalError for a link or a device in the way, ToolError for all else."""
    shown = path[:200] or "The empty path"
    try:
        return act()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PathTraversalError(f"{shown} leads through a link that was put there.") from None
        if error.errno in NO_REGULAR_FILE:
            raise PathTraversalError(f"{shown} is a device or another special file.") from None
        reason = error.strerror or type(error).__name__
        raise ToolError(f"{shown} cannot be used: {reason}.") from None
