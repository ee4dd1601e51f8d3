"""Export files of services as JSON objects that are safe to walk: rows, issues, messages.

Their meaning is not known here. An object nested deeper than 64 levels or larger than a frame is
refused, and its neighbours are not.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from connectors.unpacking.budget import Bounds, Refused, UnpackingBudget
from connectors.unpacking.frames import Frame
from connectors.unpacking.tables import NoExport, decode, read_table
from schemas.decoding import preload

AT_ONCE = 200  # objects in one frame, when they are small
FRAME_CHARS = 1024 * 1024
MAX_DEPTH = 64
MAX_OBJECT_CHARS = 16 * 1024 * 1024
NO_OBJECT = "it is no object"


class JiraReader:
    """A file of issues: JSON or CSV."""

    def __init__(self, file: IO[bytes], spool: None, options: dict[str, Any]) -> None:
        self._file = file

    @staticmethod
    def prepare() -> None:
        """Loads what is otherwise loaded at first use."""
        preload()

    def issues(self) -> Iterator[Frame]:
        """First the format, then lists of objects: issues of JSON, or rows of a table.

        The format of a table holds its headings; of JSON the names of fields that the file tells.
        A record that is no object, or exceeds a limit, is its refusal instead: a string.
        """
        content = decode(self._file.read())
        if content[:1000].lstrip()[:1] in ("{", "["):
            names, issues = _issues(content)
            yield {"json": True, "names": names}, b""
            yield from _in_frames(issues)
            return
        heads, rows = read_table(content)
        yield {"json": False, "heads": heads}, b""
        yield from _in_frames(rows)


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
        """Lists of the objects of a file; what is no object is its refusal instead: a string."""
        member = self._zip.getinfo(name)
        if member.file_size > self._file_bytes:
            raise Refused(f"a file in it has more than {self._file_bytes:,} bytes")
        rows = json.loads(self._zip.read(member).decode("utf-8-sig"))
        if not isinstance(rows, list):
            raise NoExport("no list of objects")
        yield from _in_frames(iter(rows))


def _issues(content: str) -> tuple[dict[str, str], Iterator[Any]]:
    """The names of fields, and the issues: in an object with ``issues``, in a list, or a line each.

    A line that is no JSON is lost alone, if others are.
    """
    try:
        value = json.loads(content)
    except json.JSONDecodeError:
        value = _lines(content)
    names = value.get("names") if isinstance(value, dict) else None
    issues = value.get("issues", [value]) if isinstance(value, dict) else value
    if not isinstance(issues, list):
        raise NoExport("no list of objects")
    pairs = names.items() if isinstance(names, dict) else ()
    return {str(key): str(name) for key, name in pairs}, iter(issues)


def _lines(content: str) -> list[Any]:
    lines: list[Any] = []
    for line in content.split("\n"):
        if line.strip():
            try:
                lines.append(json.loads(line))
            except json.JSONDecodeError:
                lines.append(None)
    if not any(isinstance(it, dict) for it in lines):
        raise NoExport("no JSON")
    return lines


def _in_frames(objects: Iterator[Any]) -> Iterator[Frame]:
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


def _check(value: Any) -> tuple[Any, int]:
    """The object, with `?` for unpaired surrogates, and its length; or why it is refused."""
    if not isinstance(value, dict):
        return NO_OBJECT, len(NO_OBJECT)
    try:
        _check_depth(value)
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (Refused, ValueError) as error:
        reason = str(error) if isinstance(error, Refused) else "it holds a number that is none"
        return reason, len(reason)
    if len(written) > MAX_OBJECT_CHARS:
        reason = f"it has more than {MAX_OBJECT_CHARS:,} characters"
        return reason, len(reason)
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
    raise Refused(f"it is nested deeper than {MAX_DEPTH} levels")
