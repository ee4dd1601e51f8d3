"""Unified diffs, as git and diff write them: which files change, and at which lines they had.

A ledger quotes the lines that were read, which a change finds before it: lines are those of the
file as it was. Of an insertion they are the lines on both sides of it.

Decided against: `unidiff` 1.0.1 and `whatthepatch` 1.0.7. Both leave paths as git quotes them and
do not tell a copy from a rename; the first refuses a hunk that is cut off, the second takes `--cc`
of a combined diff for a path. 200,000 lines take them 0.8 and 1.1 s, this module 0.2 s. 2026-11-27
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from infra.platform.errors import Invalid

NOWHERE = "/dev/null"
_GIT = re.compile(r"diff --git (?P<paths>.+)")
_COMBINED = re.compile(r"diff --(?:cc|combined) (?P<path>.+)")
_RENAMED = re.compile(r"rename (?P<side>from|to) (?P<path>.+)")
_COPIED = re.compile(r"copy to (?P<path>.+)")
_HUNK = re.compile(r"@@ -(?P<old>\d+)(?:,(?P<had>\d+))? \+\d+(?:,(?P<has>\d+))? @@")
_PREFIXED = re.compile(r"[abciow12]/")  # also those of diff.mnemonicPrefix
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


@dataclass
class ChangedFile:
    """``lines`` are ranges of the file as it was, both ends included; none where it is binary, new,
    a copy or only renamed. ``paths``: what it was called, and what it is called now.
    """

    paths: tuple[str, ...]
    lines: list[tuple[int, int]] = field(default_factory=list)
    is_new: bool = False
    has_hunks: bool = False


def parse_diff(text: str) -> list[ChangedFile]:
    """The files of a diff in its order; none of an empty one. Raises Invalid for other text."""
    found: list[ChangedFile] = []
    lines = iter(text.split("\n"))
    before = ""
    for raw in lines:
        line = raw.rstrip("\r")
        if match := _GIT.fullmatch(line):
            found.append(ChangedFile(_paths_of_git(match["paths"])))
        elif match := _COMBINED.fullmatch(line):
            found.append(ChangedFile((_unquoted(match["path"]),)))
        elif (match := _RENAMED.fullmatch(line)) and found:
            known = found[-1].paths if match["side"] == "to" else ()
            found[-1].paths = _distinct(*known, _unquoted(match["path"]))
        elif (match := _COPIED.fullmatch(line)) and found:
            found[-1] = ChangedFile((_unquoted(match["path"]),), is_new=True)
        elif line.startswith("--- "):
            before = line[4:]
        elif line.startswith("+++ ") and before:
            paths = _paths_of(before, line[4:])
            if not (found and not found[-1].has_hunks and set(paths) & {*found[-1].paths}):
                found.append(ChangedFile(paths))
            elif not found[-1].is_new:  # of a copy, whose original stays as it is
                found[-1].paths = paths
            found[-1].is_new |= before.startswith(NOWHERE)
        elif (match := _HUNK.match(line)) and found:
            had, has = (int(match[name] or 1) for name in ("had", "has"))
            ranges = _changed(lines, int(match["old"]), had, has)
            found[-1].lines += [] if found[-1].is_new else ranges
            found[-1].has_hunks = True
    if not found and text.strip():
        raise Invalid("This is no unified diff: it names no file.", code="diff_unreadable")
    return found


def _changed(lines: Iterator[str], old: int, had: int, has: int) -> list[tuple[int, int]]:
    """The ranges that a hunk changes; its lines are taken by their numbers, whatever they say."""
    at = old if had else old + 1  # of an insertion git names the line before it
    ranges: list[tuple[int, int]] = []
    replaces = False
    while had > 0 or has > 0:
        line = next(lines, None)
        if line is None:
            break
        if line.startswith("-"):
            if replaces:
                ranges[-1] = (ranges[-1][0], at)
            else:
                ranges.append((at, at))
            at, had, replaces = at + 1, had - 1, True
        elif line.startswith("+"):
            if not replaces and (at - 1, at) not in ranges[-1:]:
                ranges.append((at - 1, at))
            has -= 1
        elif not line.startswith("\\"):  # "\ No newline at end of file" is no line
            at, had, has, replaces = at + 1, had - 1, has - 1, False
    return ranges


def _paths_of_git(written: str) -> tuple[str, ...]:
    """The paths of a header without more: two equal ones, so that blanks divide nothing."""
    half = len(written) // 2
    return _paths_of(written[:half], written[half + 1 :])


def _paths_of(before: str, after: str) -> tuple[str, ...]:
    """Without what git puts before a path: two different letters, or one beside nothing."""
    old, new = (_unquoted(side.partition("\t")[0]) for side in (before, after))
    there = [side for side in (old, new) if side != NOWHERE]
    if all(_PREFIXED.match(side) for side in there) and old[:2] != new[:2]:
        there = [side[2:] for side in there]
    return _distinct(*there)


def _unquoted(path: str) -> str:
    """A path as git quotes it: bytes in octal, and escapes as in C."""
    if not (len(path) > 1 and path.startswith('"') and path.endswith('"')):
        return path
    plain = bytearray()
    end = 0
    inside = path[1:-1]
    for match in _ESCAPE.finditer(inside):
        plain += inside[end : match.start()].encode()
        code = match[1]
        is_octal = len(code) == 3
        plain += bytes([int(code, 8) & 255]) if is_octal else _ESCAPED.get(code, code).encode()
        end = match.end()
    plain += inside[end:].encode()
    return plain.decode(errors="replace")


def _distinct(*paths: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
