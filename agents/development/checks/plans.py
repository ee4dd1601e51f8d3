"""Reads the plan of a delivery by its form: goal, key files, phases and tasks. No model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.development.checks.files_table import clean_path
from agents.development.checks.markdown import (
    Document,
    Heading,
    Line,
    Section,
    blank_code,
    code_spans,
    normalize_title,
    own_lines,
    read_document,
    sections_of,
    tables_of,
)
from agents.development.checks.problems import Problem

_GOAL = re.compile(r"^[ \t]*\*\*Goal(?:[:：]\*\*|\*\*[:：])[ \t]*(?P<text>.*)$", re.IGNORECASE)
_KEY_FILES = re.compile(
    r"^[ \t]*(?:\*\*Key files(?:[:：]\*\*|\*\*[:：]|\*\*)|Key files[:：])[ \t]*(?P<text>.*)$",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^Task[ \t]+(?P<number>\d+(?:\.\d+)?)(?!\.?\d)[ \t]*+(?:[:：.–—-][ \t]*+)?(?P<title>.*)$",
    re.IGNORECASE,
)
_PHASE = re.compile(r"^Phase[ \t]+(?P<number>\d+)\b[ \t]*+[:：.–—-]?[ \t]*+(?P<title>.*)$", re.I)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$")
_LABEL = re.compile(r"^(?:create|modify|change|delete|test|new|add|update)[ \t]*:[ \t]*", re.I)


@dataclass(frozen=True, slots=True)
class PlanTask:
    """``number`` as the plan has it, ``2`` or ``2.1``. ``text`` can be handed over alone: it
    holds the goal and the phase besides the task.
    """

    number: str
    title: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class PlanValidationResult:
    """``total_tasks`` is None where a plan names no tasks: it is one unit, and may be valid."""

    valid: bool
    goal: str
    key_files: tuple[str, ...]
    total_tasks: int | None
    problems: tuple[Problem, ...]
    tasks: tuple[PlanTask, ...]


def validate_plan(markdown: str) -> PlanValidationResult:
    """What the plan says, and what is wrong with its form. It takes any text."""
    document = read_document(markdown)
    goal, key_files = _goal(document), _key_files(document)
    tasks = _tasks(document, goal)
    problems = [*_part_problems(document, goal, key_files), *_task_problems(document, tasks)]
    problems.sort(key=lambda it: it.line)
    total = len(tasks) or None
    return PlanValidationResult(not problems, goal, key_files, total, tuple(problems), tasks)


def _part_problems(document: Document, goal: str, key_files: Sequence[str]) -> Iterator[Problem]:
    if not goal:
        yield Problem("no_goal", 0, "The plan names no goal: add a line «**Goal:** …».")
    if not key_files:
        yield Problem("no_files", 0, "The plan names no files: add a list below «## Key files».")
    if document.open_fence is not None:
        text = "This code fence is never closed, so what follows is not read as tasks: close it."
        yield Problem("open_fence", document.open_fence, text)


def _task_problems(document: Document, tasks: Sequence[PlanTask]) -> Iterator[Problem]:
    phases = {it.line: match["number"] for it, match in _matching(document, _PHASE)}
    earlier: dict[str, int] = {}
    before = (0, 0)
    for task in tasks:
        name = f"Task {task.number}"
        if task.number in earlier:
            text = f"{name} is at line {earlier[task.number]} already: number the tasks anew."
            yield Problem("task_twice", task.line, text)
        elif not _follows(before, number := _number_of(task.number)):
            text = f"{name} does not follow the task before it: number the tasks one by one."
            yield Problem("task_order", task.line, text)
        else:
            before = number
        earlier.setdefault(task.number, task.line)
        phase = next((phases[it] for it in sorted(phases, reverse=True) if it < task.line), None)
        if phase and "." in task.number and int(task.number.split(".")[0]) != int(phase):
            text = f"{name} stands below phase {phase}: move it, or correct its number."
            yield Problem("task_phase", task.line, text)
        if not task.title:
            yield Problem("task_untitled", task.line, f"{name} has no title: add one.")
    yield from (
        Problem("task_empty", it.heading.line, f"«{it.heading.title}» says nothing: write it.")
        for it in _task_sections(document)
        if not any(line.text.strip() for line in it.lines)
    )


def _number_of(number: str) -> tuple[int, int]:
    """Phase and task; phase 0 where tasks are numbered through."""
    phase, _, task = number.rpartition(".")
    return int(phase or 0), int(task)


def _follows(before: tuple[int, int], number: tuple[int, int]) -> bool:
    if number[0] == before[0]:
        return number[1] == before[1] + 1
    return number[0] == before[0] + 1 and number[1] == 1


def _goal(document: Document) -> str:
    for line in document.lines:
        match = _GOAL.match(line.text) if line.prose.strip() else None
        if match:
            return _paragraph([match["text"], *_until_heading(document, line.number)])
    for heading in document.headings:
        if normalize_title(heading.title) == "goal":
            lines = [it.text for it in own_lines(document, heading) if _is_text(it)]
            return _paragraph(lines)
    return ""


def _until_heading(document: Document, number: int) -> Iterator[str]:
    following = (it.line for it in document.headings if it.line > number)
    for line in document.lines[number : min(following, default=len(document.lines) + 1) - 1]:
        if line.kind != "prose" or line.text.lstrip().startswith("**"):
            return
        yield line.text if line.prose.strip() else ""


def _paragraph(lines: Sequence[str]) -> str:
    """The first lines up to a blank one, as one line."""
    words: list[str] = []
    for line in lines:
        if line.strip():
            words += line.split()
        elif words:
            break
    return " ".join(words)


def _key_files(document: Document) -> tuple[str, ...]:
    for heading in document.headings:
        if normalize_title(heading.title) == "key files":
            lines = own_lines(document, heading)
            return tuple(dict.fromkeys([*_listed(lines), *_in_tables(lines)]))
    for line in document.lines:
        match = _KEY_FILES.match(line.text) if line.prose.strip() else None
        if match:
            inline = [*code_spans(match["text"])] or match["text"].split(",")
            listed = _listed(_list_behind(document, line.number))
            paths = [*(clean_path(it) for it in inline), *listed]
            return tuple(dict.fromkeys(it for it in paths if it))
    return ()


def _list_behind(document: Document, number: int) -> Iterator[Line]:
    """The items directly behind a line; blank lines may stand between."""
    for line in document.lines[number:]:
        if _is_text(line) and not _ITEM.match(line.text):
            return
        yield line


def _listed(lines: Sequence[Line] | Iterator[Line]) -> Iterator[str]:
    for line in lines:
        match = _ITEM.match(line.text) if _is_text(line) else None
        if match:
            text = _LABEL.sub("", match["text"].replace("**", ""))
            has_mark = blank_code(text) != text or text.startswith("[")
            path = clean_path(text if has_mark else text.split()[0].rstrip(":,") if text else "")
            if path:
                yield path


def _in_tables(lines: Sequence[Line]) -> Iterator[str]:
    rows = (row for table in tables_of(lines) for row in table.rows if row.cells)
    return (path for row in rows if (path := clean_path(row.cells[0])))


def _is_text(line: Line) -> bool:
    return line.kind == "prose" and bool(line.text.strip()) and _is_outside_comment(line)


def _is_outside_comment(line: Line) -> bool:
    return bool(line.prose.strip()) or bool(code_spans(line.text))


def _matching(
    document: Document, pattern: re.Pattern[str]
) -> Iterator[tuple[Heading, re.Match[str]]]:
    for heading in document.headings:
        match = pattern.match(heading.title.replace("**", "").strip())
        if match and heading.level > 1:
            yield heading, match


def _task_sections(document: Document) -> Iterator[Section]:
    lines = {heading.line for heading, _ in _matching(document, _TASK)}
    for section in sections_of(document):
        if section.heading.line in lines:
            # A task ends at the next one, also where that one's heading is deeper.
            last = min((it for it in lines if it > section.heading.line), default=None)
            yield Section(
                section.heading,
                tuple(it for it in section.lines if last is None or it.number < last),
            )


def _tasks(document: Document, goal: str) -> tuple[PlanTask, ...]:
    titles = {heading.line: match for heading, match in _matching(document, _TASK)}
    phases = {heading.line: heading for heading, _ in _matching(document, _PHASE)}
    tasks = []
    for section in _task_sections(document):
        line, match = section.heading.line, titles[section.heading.line]
        phase = max((it for it in phases if it < line), default=None)
        parts = [f"**Goal:** {goal}"] if goal else []
        if phase is not None:
            parts += [f"## {phases[phase].title}", _text_of(own_lines(document, phases[phase]))]
        parts += [f"### {section.heading.title}", _text_of(section.lines)]
        text = "\n\n".join(part for part in parts if part) + "\n"
        tasks.append(PlanTask(match["number"], match["title"].strip(), text, line))
    return tuple(tasks)


def _text_of(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines).strip("\n ")
