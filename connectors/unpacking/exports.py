"""Export files of services as JSON objects that are safe to walk: rows, issues, messages.

Their meaning is not known here. Objects nested deeper than 64 levels or larger than a frame are
refused.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from connectors.unpacking.budget import Bounds, Refused, UnpackingBudget
from connectors.unpacking.frames import Frame

AT_ONCE = 200  # objects in one frame, when they are small
FRAME_CHARS = 1024 * 1024
MAX_DEPTH = 64
MAX_FIELD_CHARS = 4 * 1024 * 1024
MAX_OBJECT_CHARS = 16 * 1024 * 1024


class NoExport(Exception):
    """The file is something else."""


class JiraReader:
    """A file of issues: JSON or CSV."""

    def __init__(self, file: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        self._file = file

    def issues(self) -> Iterator[Frame]:
        """First the format, then lists of objects: issues of JSON, or rows of a table."""
        content = self._file.read().decode("utf-8-sig")
        is_json = content[:1000].lstrip()[:1] in ("{", "[")
        yield {"json": is_json}, b""
        yield from _in_frames(_issues(content) if is_json else _rows(content))


class SlackReader:
    """A zip of JSON files, each a list of objects."""

    def __init__(self, archive: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        self._budget = UnpackingBudget(Bounds(**options["bounds"]))
        self._file_bytes: int = options["file_bytes"]
        self._packed = archive

    def names(self) -> Iterator[Frame]:
        """Lists of the names of all files."""
        self._zip = zipfile.ZipFile(self._packed)
        names: list[str] = []
        for member in self._zip.infolist():
            names.append(self._budget.spend(member.filename, member.file_size))
            if len(names) == AT_ONCE:
                yield names, b""
                names = []
        yield names, b""

    def rows(self, name: str) -> Iterator[Frame]:
        """Lists of the objects of a file."""
        member = self._zip.getinfo(name)
        if member.file_size > self._file_bytes:
            raise Refused(f"a file in it has more than {self._file_bytes:,} bytes")
        rows = json.loads(self._zip.read(member))
        yield from _in_frames(_objects(rows))


def _issues(content: str) -> Iterator[dict[str, Any]]:
    """One object with ``issues``, a list of issues, or an issue a line."""
    try:
        value = json.loads(content)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in content.split("\n") if line.strip()]
    return _objects(value.get("issues", [value]) if isinstance(value, dict) else value)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(it, dict) for it in value):
        raise NoExport("no list of objects")
    yield from value


def _rows(content: str) -> Iterator[dict[str, list[str]]]:
    """Each row as the values per heading, because a heading may occur several times."""
    csv.field_size_limit(MAX_FIELD_CHARS)
    reader = csv.reader(io.StringIO(content, newline=""))
    heads = [head.strip().lower() for head in next(reader, [])]
    if "issue key" not in heads or "summary" not in heads:
        raise NoExport("no table of issues")
    for values in reader:
        row: dict[str, list[str]] = {}
        for head, value in zip(heads, values, strict=False):
            if value.strip():
                row.setdefault(head, []).append(value)
        if row:
            yield row


def _in_frames(objects: Iterator[dict[str, Any]]) -> Iterator[Frame]:
    """Lists of objects, in frames small enough to pass on quickly."""
    waiting: list[Any] = []
    chars = 0
    for each in objects:
        checked, size = _check(each)
        if waiting and (len(waiting) == AT_ONCE or chars + size > FRAME_CHARS):
            yield waiting, b""
            waiting, chars = [], 0
        waiting.append(checked)
        chars += size
    yield waiting, b""


def _check(value: dict[str, Any]) -> tuple[Any, int]:
    """The object, with `?` for unpaired surrogates, and its length."""
    _check_depth(value)
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(written) > MAX_OBJECT_CHARS:
        raise Refused(f"an entry of more than {MAX_OBJECT_CHARS:,} characters")
    if written.isascii():
        return value, len(written)
    whole = written.encode("utf-8", "replace")
    return json.loads(whole), len(written)


def _check_depth(value: Any) -> None:
    """Level by level: recursion would let the file choose the depth of our stack."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
        if not below:
            return
        level = below
    raise Refused(f"nested deeper than {MAX_DEPTH} levels")
