"""Checks that a specification says of each file all that somebody needs who changes it.

Below «Instructions» each file has a heading with its path, and below that, as labels or headings:
«Location» (a line, or what it stands in), «Current» (the code as it is, in a fence), «Target
signature» and «Tests» (a file, or the name of a test).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from agents.development.checks.files_table import FileToChange, clean_path, files_in
from agents.development.checks.markdown import (
    Document,
    Line,
    Section,
    blank_code,
    code_spans,
    normalize_title,
    read_document,
    sections_of,
)
from agents.development.checks.problems import Problem
from agents.development.checks.rules import FILES_TITLES

_LABEL = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<marks>#{1,6}[ \t]+|\*\*|__)?"
    r"(?P<name>[A-Za-z][A-Za-z /-]{0,40}?)"
    r"(?P<end>[ \t]*[:：](?:\*\*|__)?|(?:\*\*|__)[:：]?|[ \t]*$)"
    r"[ \t]*(?P<rest>.*)$"
)
_PARTS = {
    "location": re.compile(r"^(?:locations?|lines?|where|place|insert at)\b"),
    "current": re.compile(r"^(?:current|existing|before|excerpt)\b"),
    "signature": re.compile(r"^(?:target signatures?|target|new signatures?|signatures?|after)\b"),
    "tests": re.compile(r"^(?:tests?|test references?|tested by|covered by)\b"),
}
_LOCATION = re.compile(
    r"\blines?\s+\d+|\bL\d+\b|:\d+\b|\b(?:after|before|in|inside|below|above|within)\s+\S", re.I
)
_PATH = re.compile(r"^[\w.@+-]+(?:/[\w.@+ -]+)+\.\w{1,8}$")
_TEST_NAME = re.compile(r"\btest\w*|\w+(?:_test|Test|Spec)\b|\bT-?\d+\b|::")
_MESSAGES = {
    "location": ("no_location", "no location: name the lines, or what it stands in"),
    "current": ("no_excerpt", "no excerpt of the code as it is: quote it in a fence"),
    "signature": ("no_signature", "no target signature: write it as code"),
    "tests": ("no_test", "no test: name the file or the test that shows the change"),
}
_NEEDED = {
    "modify": ("location", "current", "signature", "tests"),
    "new": ("signature", "tests"),
    "delete": (),
}


def check_completeness(spec: str, paths: Collection[str] | None) -> tuple[Problem, ...]:
    """What the specification leaves open, by file; a specification without files is a problem.

    ``paths``: files of the repository; None where it is not known.
    """
    document = read_document(spec)
    files = files_in(document)
    if not files:
        text = "No file to change is listed: add a table below «Files to change»."
        return (Problem("no_files", 0, text),)
    new = {it.path for it in files if it.change == "new"}
    allowed = None if paths is None else {*paths, *new}
    problems = [it for file in files for it in _file_problems(document, file, allowed)]
    return tuple(sorted(problems, key=lambda it: it.line))


def _file_problems(
    document: Document, file: FileToChange, allowed: Collection[str] | None
) -> Iterator[Problem]:
    if allowed is not None and file.path not in allowed:
        text = f"«{file.path}» does not exist: correct the path, or mark it new."
        yield Problem("file_missing", file.line, text)
    sections = [it for it in sections_of(document) if _is_about(it, file.path)]
    if not any(line.text.strip() for section in sections for line in section.lines):
        text = f"«{file.path}» has no instructions: add a heading with its path, and them below it."
        yield Problem("no_instructions", file.line, text)
        return
    parts = _parts([line for section in sections for line in section.lines])
    at = sections[0].heading.line
    for name in _NEEDED[file.change]:
        if not _is_there(name, parts.get(name, [])):
            code, text = _MESSAGES[name]
            yield Problem(code, at, f"The instructions for «{file.path}» have {text}.")
    for span in (it for line in parts.get("tests", []) for it in code_spans(line.text)):
        path = clean_path(span.split("::")[0])
        if allowed is not None and _PATH.match(path) and path not in allowed:
            text = f"The test file «{path}» does not exist and is not listed as new."
            yield Problem("test_missing", at, text)


def _is_about(section: Section, path: str) -> bool:
    """Whether the heading names the path, alone or among other words."""
    title = section.heading.title
    if normalize_title(title) in {normalize_title(it) for it in FILES_TITLES}:
        return False
    words = re.split(r"[\s`*()\[\],;]+", title)
    return path in (clean_path(word.rstrip(":.")) for word in [*code_spans(title), *words])


def _parts(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines behind each label, the label's own among them, up to the next label."""
    parts: dict[str, list[Line]] = {}
    name = ""
    for line in lines:
        if line.kind == "prose" and (label := _label(line.text)) is not None:
            name = label
        if name:
            parts.setdefault(name, []).append(line)
    return parts


def _label(text: str) -> str | None:
    """The part that a line begins; an empty name: a label of something else; None: no label."""
    match = _LABEL.match(text)
    if not match or not (match["marks"] or ":" in match["end"] or "：" in match["end"]):
        return None
    title = normalize_title(match["name"])
    return next((name for name, pattern in _PARTS.items() if pattern.search(title)), "")


def _is_there(name: str, lines: Sequence[Line]) -> bool:
    texts = [line.text for line in lines if line.kind == "prose"]
    has_code = any(line.kind == "code" and line.text.strip() for line in lines)
    has_span = any(blank_code(text) != text for text in texts)
    match name:
        case "location":
            return has_span or any(_LOCATION.search(text) for text in texts)
        case "current":
            return has_code
        case "signature":
            return has_code or has_span
        case _:
            behind = [text.partition(":")[2] if ":" in text else text for text in texts[:1]]
            return has_span or any(_TEST_NAME.search(text) for text in [*behind, *texts[1:]])
