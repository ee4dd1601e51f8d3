"""Entries of JSON, YAML, TOML and settings files: a top-level key with its value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from streams.hygiene.chunks.units import Unit

JSON_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"?|[\[\]{},]|//[^\n]*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?'
)
YAML_START = re.compile(
    r"^(?:---|(?P<item>- )|[\"']?(?P<key>[\w.$/@{}-][\w.$/@{} -]{0,120}?)[\"']?[ \t]*:(?=\s))", re.M
)
TABLE_START = re.compile(
    r"^[ \t]{0,8}\[{1,2}(?P<key>[^\[\]\n]{1,200})\]{1,2}[ \t]*(?:[#;][^\n]*)?$", re.M
)
SETTING_START = re.compile(r"^(?:export )?(?P<key>[\w.$-]{1,200})[ \t]{0,8}[=:]", re.M)
KEY = re.compile(r'"((?:[^"\\\n]|\\.){0,200})"\s{0,20}:')


def entries(text: str, language: str | None) -> list[Unit] | None:
    """The text as its top-level entries, or None where they cannot be told apart."""
    finder = FINDERS.get(language or "")
    starts = finder(text) if finder else None
    if not starts:
        return None
    units = [Unit("entry", 0, starts[0][0])] if starts[0][0] else []
    ends = [*(at for at, _ in starts[1:]), len(text)]
    for (start, key), end in zip(starts, ends, strict=True):
        if start < end:
            units.append(Unit("entry", start, end, (key,) if key else ()))
    return units


def _json_starts(text: str) -> list[tuple[int, str]] | None:
    """Line starts of the members of the outermost object or list; None when unbalanced."""
    depth = 0
    expects = False
    starts: list[tuple[int, str]] = []
    for match in JSON_TOKEN.finditer(text):
        token = match[0]
        if token[0] == "/":
            continue
        if depth == 1 and expects and token not in ("]", "}", ","):
            key = KEY.match(text, match.start())
            _begin(text, starts, match.start(), key[1] if key else "")
            expects = False
        if token in ("{", "["):
            depth += 1
            expects = depth == 1 or expects
        elif token in ("}", "]"):
            depth -= 1
            if depth < 0:
                return None
        elif token == "," and depth == 1:
            expects = True
    return starts if depth == 0 else None


def _begin(text: str, starts: list[tuple[int, str]], at: int, key: str) -> None:
    """Open an entry at the line of ``at`` when nothing but blanks stands before it there."""
    line = text.rfind("\n", 0, at) + 1
    if text[line:at].isspace() or line == at:
        starts.append((line, key))


def _matches(pattern: re.Pattern[str]) -> Callable[[str], list[tuple[int, str]]]:
    def starts(text: str) -> list[tuple[int, str]]:
        return list(_with_comments(text, pattern))

    return starts


def _with_comments(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Starts moved up over the comment lines that stand directly above."""
    bound = 0
    for match in pattern.finditer(text):
        start = match.start()
        while start > bound:
            above = text.rfind("\n", bound, start - 1) + 1 or bound
            if not text.startswith(("#", ";"), above):
                break
            start = above
        yield start, (match.groupdict().get("key") or "").strip()
        bound = match.end()


def _toml_starts(text: str) -> list[tuple[int, str]]:
    tables = list(_with_comments(text, TABLE_START))
    return tables or list(_with_comments(text, SETTING_START))


FINDERS: dict[str, Callable[[str], list[tuple[int, str]] | None]] = {
    "json": _json_starts,
    "yaml": _matches(YAML_START),
    "toml": _toml_starts,
    "ini": _toml_starts,
    "properties": _matches(SETTING_START),
    "env": _matches(SETTING_START),
}
