"""Checks a draft before anybody is asked to review it. No model, no files: what it says alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from agents.development.checks.files_table import FileToChange, files_in, requirements_in
from agents.development.checks.markdown import Document, Heading, Line, blank_code, read_document
from agents.development.checks.problems import Problem
from agents.development.checks.rules import DraftRules, required_sections

_WORD = re.compile(r"(?<![\w-])(?:TODO|TBD|FIXME)(?![\w-])")
_ANGLES = re.compile(r"(?<![\w<])<(?P<inner>[^<>\s][^<>]*)>")
_TAG = re.compile(
    r"/?(?:a|abbr|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li"
    r"|mark|ol|p|picture|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th"
    r"|thead|tr|u|ul|var|video)(?:\s+[\w:-]+\s*=.*|\s+(?:open|hidden))?\s*/?$",
    re.IGNORECASE | re.DOTALL,
)
_AUTOLINK = re.compile(r"[a-z][a-z0-9+.-]*:\S*$|[^\s@]+@[^\s@]+$", re.IGNORECASE)
_LINK = re.compile(r"\]\(\s*(?:<(?P<angled>[^<>]*)>|(?P<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*))")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]^][^\]]*\]:[ \t]*(?:<(?P<angled>[^<>]*)>|(?P<target>\S+))")
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_PLACE = re.compile(r":\d+(?:-\d+)?$")


def validate_draft(
    text: str, rules: DraftRules, paths: Collection[str] | None
) -> tuple[Problem, ...]:
    """What is wrong with the draft, by line; empty: nothing. ``paths``: files of the repository,
    relative, with ``/``; None where it is not known, so that nobody can say what exists.
    """
    if not text.strip():
        return (Problem("empty", 0, f"The {rules.name} is empty: write it."),)
    document, files = read_document(text), files_in(read_document(text))
    folders = {folder for path in paths or () for folder in _folders_of(path)}
    targets = None if paths is None else {*paths, *folders, *(it.path for it in files)}
    problems = [
        *_fence_problems(document),
        *_section_problems(document, rules),
        *_placeholders(document),
        *_link_problems(document, targets),
    ]
    if rules.has_files:
        problems += _file_problems(files, None if paths is None else set(paths), folders)
    if rules.has_requirements:
        problems += _requirement_problems(document)
    return tuple(sorted(problems, key=lambda it: it.line))


def _fence_problems(document: Document) -> Iterator[Problem]:
    if (line := document.open_fence) is not None:
        yield Problem("open_fence", line, "This code fence is never closed: close it.")
    if (line := document.open_comment) is not None:
        yield Problem("open_comment", line, "This comment is never closed: close it with «-->».")


def _section_problems(document: Document, rules: DraftRules) -> Iterator[Problem]:
    last: tuple[int, str] = (0, "")
    levels: list[Heading] = []
    for rule, sections in required_sections(document, rules).items():
        if not sections:
            yield Problem("section_missing", 0, f"The section «{rule.title}» is missing: add it.")
            continue
        first = sections[0].heading
        levels.append(first)
        for again in sections[1:]:
            text = f"«{rule.title}» stands at line {first.line} already: join the two."
            yield Problem("section_twice", again.heading.line, text)
        if not rule.may_be_empty and not any(_has_text(it, document) for it in sections[0].lines):
            yield Problem("section_empty", first.line, f"«{rule.title}» is empty: write it.")
        if first.line < last[0]:
            text = f"«{rule.title}» must come after «{last[1]}»: move it."
            yield Problem("section_order", first.line, text)
        else:
            last = first.line, rule.title
    for heading in levels:
        if heading.level != levels[0].level:
            text = f"«{heading.title}» must have the level of «{levels[0].title}»."
            yield Problem("heading_level", heading.line, text)


def _has_text(line: Line, document: Document) -> bool:
    if line.kind != "prose":
        return line.kind == "code" and bool(line.text.strip())
    is_heading = any(it.line <= line.number <= it.last_line for it in document.headings)
    # A code span is a text, a comment is none; the latter leaves no mark of its own.
    words = blank_code(line.text) != line.text or line.prose.strip()
    return bool(words) and not is_heading


def _placeholders(document: Document) -> Iterator[Problem]:
    for line in document.lines:
        for match in _WORD.finditer(line.prose):
            text = f"«{match[0]}» is a placeholder: write what is meant."
            yield Problem("placeholder", line.number, text)
        for match in _ANGLES.finditer(line.prose):
            inner = match["inner"].strip()
            is_target = line.prose[: match.start()].rstrip().endswith(("](", "]:"))
            if not (is_target or _TAG.match(inner) or _AUTOLINK.match(inner)):
                text = f"«<{inner[:60]}>» is a placeholder: write what is meant, or set it as code."
                yield Problem("placeholder", line.number, text)


def _link_problems(document: Document, targets: Collection[str] | None) -> Iterator[Problem]:
    anchors = _anchors(document)
    for line in document.lines:
        for match in [*_LINK.finditer(line.prose), *_DEFINITION.finditer(line.prose)]:
            target = (match["angled"] or match["target"] or "").strip()
            if not target or _SCHEME.match(target):
                continue
            if target.startswith("#"):
                if unquote(target[1:]).casefold() not in anchors:
                    text = f"The link «{target[:100]}» leads to no heading of this draft."
                    yield Problem("link_unresolved", line.number, text)
            elif (problem := _path_problem(target, targets)) is not None:
                yield Problem("link_unresolved", line.number, problem)


def _path_problem(target: str, targets: Collection[str] | None) -> str | None:
    path = unquote(target.split("#")[0].split("?")[0]).lstrip("/")
    path = posixpath.normpath(_PLACE.sub("", path))
    if path == ".." or path.startswith("../"):
        return f"The link «{target[:100]}» leads out of the repository."
    if targets is not None and path != "." and path not in targets:
        return f"The link «{target[:100]}» leads to no file of the repository: correct the path."
    return None


def _anchors(document: Document) -> set[str]:
    """The names that headings have as targets of links, the way code hosts make them."""
    anchors: set[str] = set()
    for heading in document.headings:
        name = "".join(
            "-" if it == " " else it
            for it in heading.title.casefold()
            if it.isalnum() or it in " -_"
        )
        number, unique = 0, name
        while unique in anchors:
            number += 1
            unique = f"{name}-{number}"
        anchors.add(unique)
    return anchors


def _file_problems(
    files: tuple[FileToChange, ...], paths: Collection[str] | None, folders: Collection[str]
) -> Iterator[Problem]:
    if not files:
        yield Problem(
            "no_files",
            0,
            "No file to change is listed: add a table with the columns File and Change below"
            " «Files to change».",
        )
    lines: dict[str, int] = {}
    for file in files:
        if file.path in lines:
            text = f"«{file.path}» is listed at line {lines[file.path]} already: join the two rows."
            yield Problem("file_twice", file.line, text)
        lines.setdefault(file.path, file.line)
        if (message := _message_of(file, paths, folders)) is not None:
            yield Problem(*message)


def _message_of(
    file: FileToChange, paths: Collection[str] | None, folders: Collection[str]
) -> tuple[str, int, str] | None:
    if file.path.startswith("/") or ".." in file.path.split("/"):
        text = f"«{file.path}» must be a path inside the repository, relative to its root."
        return "file_outside", file.line, text
    if paths is None:
        return None
    if file.path.rstrip("/") in folders:
        return "file_is_folder", file.line, f"«{file.path}» is a folder: list its files."
    if file.change == "new" and file.path in paths:
        return "file_exists", file.line, f"«{file.path}» is marked new, but exists: mark it modify."
    if file.change != "new" and file.path not in paths:
        text = f"«{file.path}» does not exist: correct the path, or mark it new."
        return "file_missing", file.line, text
    return None


def _requirement_problems(document: Document) -> Iterator[Problem]:
    requirements = requirements_in(document)
    if not requirements:
        text = "No requirement has an id: begin each one with an id such as REQ-1."
        yield Problem("no_requirements", 0, text)
    lines: dict[str, int] = {}
    for requirement in requirements:
        if requirement.id in lines:
            text = f"«{requirement.id}» is defined at line {lines[requirement.id]} already."
            yield Problem("requirement_twice", requirement.line, text)
        lines.setdefault(requirement.id, requirement.line)


def _folders_of(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))
