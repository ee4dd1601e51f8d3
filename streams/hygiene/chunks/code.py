"""Definitions of languages with braces, by balanced blocks, and of Ruby by its ends.

Not a parser: one scan finds braces outside strings and comments, and the words before an opening
brace say what it opens. Types are entered, functions and all other blocks are skipped as a whole.
Braces that do not balance mean that the scan misread the language; the caller then falls back to
windows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from schemas.data_files import read_table
from streams.hygiene.chunks.units import Unit

_WORDS = {
    name: frozenset(words.split()) for name, words in read_table(__package__, "code.toml").items()
}
BRACES, CONTROL = _WORDS["braces"], _WORDS["control"]
BARE_FUNCTIONS, BARE_METHODS = _WORDS["bare_functions"], _WORDS["bare_methods"]
LONGEST_HEADER = 3_000
DEEPEST_TYPE = 16  # types nested deeper are read as one block
COMMENT = r"//[^\n]*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
HASH_COMMENT = r"(?<![$\w{\\])\#[^\n]*"
LONG_STRING = r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:""")?'
STRING = r'"(?:[^"\\\n]|\\[\s\S])*+"?'
MULTILINE_STRING = r'"(?:[^"\\]|\\[\s\S])*+"?'
SINGLE_QUOTED = r"'(?:[^'\\\n]|\\[\s\S])*+'?"
CHARACTER = r"'(?:\\[^\n]{1,8}?|[^'\\\n])'"
RAW = r"`[^`]*+`?"
SHELL_SINGLE = r"'[^']*+'?"
STYLES = {
    "go": (COMMENT, STRING, RAW, CHARACTER),
    "javascript": (COMMENT, STRING, SINGLE_QUOTED, r"`(?:[^`\\]|\\[\s\S])*+`?"),
    "php": (COMMENT, HASH_COMMENT, STRING, SINGLE_QUOTED),
    "groovy": (COMMENT, LONG_STRING, STRING, SINGLE_QUOTED),
    "dart": (COMMENT, LONG_STRING, STRING, SINGLE_QUOTED),
    "shell": (HASH_COMMENT, MULTILINE_STRING, SHELL_SINGLE, r"\$\{[^}\n]*\}?"),
    "": (COMMENT, LONG_STRING, STRING, CHARACTER),
}
STYLES["typescript"] = STYLES["javascript"]
# Every alternative begins with a literal: so the engine skips to the next of these characters.
OUTSIDE = {
    style: re.compile("|".join((*parts, r"\{", r"\}", ";")), re.VERBOSE)
    for style, parts in STYLES.items()
}
INSIDE = {
    style: re.compile("|".join((*parts, r"\{", r"\}")), re.VERBOSE)
    for style, parts in STYLES.items()
}
HEADER_NOISE = re.compile(
    rf"{COMMENT}|{STRING}|@[\w.:]+(?:\((?:[^()]|\([^()]{{0,300}}\)){{0,600}}\))?"
    rf"|\#\[[^\]]{{0,200}}\]",
    re.VERBOSE,
)
TYPE = re.compile(
    r"(?:^|[\s)}])(?:class|interface|enum|record|struct|union|trait|object|namespace|module"
    r"|extension"
    r"|protocol|impl(?:\s*<[^>]{0,80}>)?|mod|actor|contract|library|message"
    r"|service)(?:\s+([\w.$:]+)|\s*$)"
)
KEYWORD_FUNCTION = re.compile(
    r"(?:^|\s)(?:func|fun|fn|function|def|constructor|init|deinit"
    r"|modifier)\b\s*(?:<[^>]{0,80}>\s*)?"
    r"(?:\([^()]{0,120}\)\s*)?([\w$.]*)\s*[<(\[]?"
)
BARE_FUNCTION = re.compile(r"[^(=]*?(?<![\w$~:])([\w$~:]++)\s*+\(")
ARROW = re.compile(
    r"(?:const|let|var)\s+([\w$]+)[^=\n]{0,200}=\s*(?:async\s*)?(?:function\b"
    r"|(?:\([^;]*\)|[\w$]+)[^=;]{0,200}=>\s*$)"
)
SHELL_FUNCTION = re.compile(r"(?:^|\n)[ \t]*(?:function\s+)?([\w:.-]+)\s*(?:\(\s*\))?\s*$")
CONTINUES = re.compile(r"(?:throws|extends|implements|where|permits|with|->|=>|[:),.{&|?])")
ABOVE = re.compile(r"//|/\*|\*|@|#\[|\[[A-Z]|///")
TYPE_LINE = re.compile(
    r"(?:static|extern|inline|const|public|private|protected|template\s*<|[\w:<>]+[\s*&]*$)"
)
RUBY = re.compile(r"^([ \t]*)(?:(def|class|module)\s+([\w:.?!=<]+)[^\n]*|end\b)", re.MULTILINE)


class Opening(NamedTuple):
    """From the offset ``start``, a line's beginning, on the text belongs to this unit."""

    start: int
    unit: Unit


def definitions(text: str, language: str, line_starts: list[int]) -> list[Unit] | None:
    """The text as functions, type heads and the rest; None when its blocks do not balance."""
    openings = (
        _ruby_openings(text, line_starts)
        if language == "ruby"
        else _brace_openings(text, language, line_starts)
    )
    if openings is None:
        return None
    starts = list(accumulate((opening.start for opening in openings), max, initial=0))
    kinds = [Unit("module", 0, 0), *(opening.unit for opening in openings)]
    return [
        Unit(unit.kind, start, end, *unit[3:])
        for unit, start, end in zip(kinds, starts, [*starts[1:], len(text)], strict=True)
        if start < end
    ]


def _around(path: tuple[str, ...]) -> Unit:
    return Unit("class", 0, 0, path, path[:-1]) if path else Unit("module", 0, 0)


def _brace_openings(text: str, language: str, line_starts: list[int]) -> list[Opening] | None:
    style = language if language in STYLES else ""
    outside, inside = OUTSIDE[style], INSIDE[style]
    openings: list[Opening] = []
    paths: list[tuple[str, ...]] = [()]
    boundary = at = 0
    while match := outside.search(text, at):
        at = match.end()
        mark = match[0]
        if mark == ";":
            boundary = at
        elif mark == "}":
            if len(paths) == 1:
                return None
            paths.pop()
            boundary = at
            openings.append(Opening(_next_line(text, at, line_starts), _around(paths[-1])))
        elif mark == "{":
            header = text[max(boundary, match.start() - LONGEST_HEADER) : match.start()]
            kind, name = _classify_header(header, language, bool(paths[-1]))
            path = (*paths[-1], name) if name else paths[-1]
            if kind == "type" and len(paths) > DEEPEST_TYPE:
                kind = "block"
            if kind != "block":
                start, documented = _first_line(text, boundary, match.start(), line_starts)
            if kind == "type":
                openings.append(Opening(start, Unit("class", 0, 0, path, path[:-1], documented)))
                paths.append(path)
                boundary = at
                continue
            close = _find_closing(text, at, inside)
            if close < 0:
                return None
            if kind == "function":
                unit = Unit("function", 0, 0, path, paths[-1], documented)
                openings.append(Opening(start, unit))
                after = _next_line(text, close, line_starts)
                openings.append(Opening(after, _around(paths[-1])))
            at = close
            if kind == "function" or not text.startswith((")", ",", "]"), close):
                boundary = close
    return openings if len(paths) == 1 else None


def _find_closing(text: str, at: int, inside: re.Pattern[str]) -> int:
    """The offset after the brace that closes the block open at ``at``; -1 when none does."""
    depth = 1
    for match in inside.finditer(text, at):
        mark = match[0]
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if not depth:
                return match.end()
    return -1


def _classify_header(header: str, language: str, in_type: bool) -> tuple[str, str]:
    """What the words before a brace open: ``type``, ``function`` or ``block``; and its name."""
    words = header if language == "shell" else HEADER_NOISE.sub(" ", header)
    words = words.strip()
    if language == "shell":
        match = SHELL_FUNCTION.search(header)
        named = match is not None and ("()" in match[0] or "function" in match[0])
        return ("function", match[1]) if match and named else ("block", "")
    if not words or words[-1] in "(,[":
        return "block", ""
    function = KEYWORD_FUNCTION.search(words)
    type_head = TYPE.search(words)
    is_value = words[-1] == "=" or (words[-1] == ")" and language in ("c", "cpp"))
    first = type_head and (not function or type_head.start() < function.start())
    if type_head and first and not is_value:
        return "type", type_head[1] or ""
    if function and (function[1] or "init" in function[0] or "constructor" in function[0]):
        return "function", function[1]
    if language in ("javascript", "typescript") and (arrow := ARROW.search(words)):
        return "function", arrow[1]
    if language in BARE_FUNCTIONS or (in_type and language in BARE_METHODS):
        return _bare_function(words)
    return "block", ""


def _bare_function(words: str) -> tuple[str, str]:
    last_line = words[words.rfind("\n#") + 1 :]  # preprocessor lines have no end mark
    if last_line.startswith("#"):
        last_line = last_line.partition("\n")[2]
    match = BARE_FUNCTION.match(last_line)
    if not match or match[1] in CONTROL or last_line.split(None, 1)[0] in CONTROL:
        return "block", ""
    return ("function", match[1]) if last_line[-1] not in "=>" else ("block", "")


def _next_line(text: str, at: int, line_starts: list[int]) -> int:
    """The start of the line after ``at``."""
    number = bisect_right(line_starts, at)
    return line_starts[number] if number < len(line_starts) else len(text)


def _first_line(text: str, boundary: int, brace: int, line_starts: list[int]) -> tuple[int, bool]:
    """Where a definition's head begins with its annotations and doc comment; whether it has one."""
    line = bisect_right(line_starts, brace) - 1
    floor = bisect_right(line_starts, boundary) - 1
    if text[line_starts[floor] : boundary].strip():
        floor += 1
    below = text[line_starts[line] : brace].strip()
    open_brackets = below.count(")") - below.count("(")
    documented = in_block = False
    while line > floor:
        above = text[line_starts[line - 1] : line_starts[line]].strip()
        if in_block or above.endswith("*/"):
            documented, in_block = True, "/*" not in above
        elif ABOVE.match(above):
            documented = documented or above.startswith("//")
        elif not _goes_on(above, below, open_brackets):
            break
        if above:
            open_brackets += above.count(")") - above.count("(") if not documented else 0
            below = above
        line -= 1
    return line_starts[min(max(line, floor), len(line_starts) - 1)], documented


def _goes_on(above: str, below: str, open_brackets: int) -> bool:
    """Whether a head that begins with ``below`` had begun on the line above it."""
    if open_brackets > 0:
        return True
    if not above or above.startswith("#"):
        return False
    if not below or CONTINUES.match(below) or above[-1] in ",(<":
        return True
    return above[-1] not in ")\"'" and TYPE_LINE.match(above) is not None and "(" in below


def _ruby_openings(text: str, line_starts: list[int]) -> list[Opening] | None:
    openings: list[Opening] = []
    stack: list[tuple[str, str, tuple[str, ...]]] = []
    for match in RUBY.finditer(text):
        indent, word, name = match[1], match[2], match[3]
        path = stack[-1][2] if stack else ()
        inside_function = bool(stack) and stack[-1][1] == "def"
        if not word:
            if stack and stack[-1][0] == indent:
                stack.pop()
                outer = stack[-1][2] if stack else ()
                after = _next_line(text, match.end(), line_starts)
                openings.append(Opening(after, _around(outer)))
        elif not inside_function and not match[0].rstrip().endswith("end"):
            own = (*path, name)
            kind = Unit("function" if word == "def" else "class", 0, 0, own, path)
            openings.append(Opening(_above_comments(text, match.start(), line_starts), kind))
            stack.append((indent, word, own))
    return None if stack else openings


def _above_comments(text: str, start: int, line_starts: list[int]) -> int:
    line = bisect_right(line_starts, start) - 1
    while line and text[line_starts[line - 1] : line_starts[line]].lstrip().startswith("#"):
        line -= 1
    return line_starts[line]
