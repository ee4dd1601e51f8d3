"""Checks that each requirement is tested by a scenario, and each scenario tests a requirement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.development.checks.files_table import ids_in, prefix_of, requirements_in
from agents.development.checks.markdown import (
    Document,
    Line,
    Section,
    normalize_title,
    read_document,
    sections_of,
    tables_of,
)
from agents.development.checks.problems import Problem

_TESTS = re.compile(r"\b(?:tests?|test plan|test cases?|testing|scenarios?)\b")
_SCENARIO = re.compile(r"^(?:test )?(?:scenario|case|test)\b|^(?:s|t|tc|ts)[- ]?\d", re.IGNORECASE)
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>\S.*)$")
_GHERKIN = re.compile(r"^\s*(?:Scenario|Scenario Outline|Example):\s*(?P<name>.*)$")


@dataclass(frozen=True, slots=True)
class Scenario:
    """``requirements``: the ids it names, whether they exist or not."""

    name: str
    line: int
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestPlan:
    """``covered`` and ``uncovered``: ids of requirements, in the order in which they are defined.

    There are no problems only where both requirements and scenarios are there.
    """

    __test__ = False  # its name begins as those of test classes do

    problems: tuple[Problem, ...]
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    scenarios: tuple[Scenario, ...]


def validate_test_plan(text: str) -> TestPlan:
    """How scenarios cover requirements.

    Requirements are the ids defined below a title with the word «requirements»; scenarios stand
    below a title such as «Test plan»: headings that begin with «Scenario» or «Test», else
    scenarios of Gherkin, else rows of a table, else items of a list.
    """
    document = read_document(text)
    lines: dict[str, int] = {}
    for requirement in requirements_in(document):
        lines.setdefault(requirement.id.upper(), requirement.line)
    scenarios = _scenarios(document, lines)
    named = {it for scenario in scenarios for it in scenario.requirements}
    uncovered = tuple(it for it in lines if it not in named)
    problems = [*_missing(lines, scenarios)]
    problems += [it for scenario in scenarios for it in _scenario_problems(scenario, lines)]
    if scenarios:
        problems += [
            Problem("requirement_uncovered", lines[it], f"No scenario names «{it}»: add one.")
            for it in uncovered
        ]
    return TestPlan(
        tuple(sorted(problems, key=lambda it: it.line)),
        tuple(it for it in lines if it in named),
        uncovered,
        scenarios,
    )


def _missing(lines: dict[str, int], scenarios: Sequence[Scenario]) -> Iterator[Problem]:
    if not lines:
        text = "No requirement has an id: list them below «Requirements», each with its id."
        yield Problem("no_requirements", 0, text)
    if not scenarios:
        yield Problem("no_scenarios", 0, "There is no scenario: add them below «Test plan».")


def _scenario_problems(scenario: Scenario, lines: dict[str, int]) -> Iterator[Problem]:
    for identifier in scenario.requirements:
        if identifier not in lines:
            text = f"«{scenario.name}» names «{identifier}», which is no requirement here."
            yield Problem("requirement_unknown", scenario.line, text)
    if not any(it in lines for it in scenario.requirements):
        text = f"«{scenario.name}» names no requirement: write the id of what it tests."
        yield Problem("scenario_without_requirement", scenario.line, text)


def _scenarios(document: Document, requirements: dict[str, int]) -> tuple[Scenario, ...]:
    prefixes = {prefix_of(it) for it in requirements}

    def make(name: str, line: int, texts: Sequence[str]) -> Scenario:
        ids = (it for it in ids_in(texts) if it in requirements or prefix_of(it) in prefixes)
        return Scenario(" ".join(name.split())[:120], line, tuple(ids))

    scenarios: dict[int, Scenario] = {}
    for section in _test_sections(document):
        blocks = [*_by_heading(document, section)] or [*_by_gherkin(section)]
        blocks = blocks or [*_by_row(section)] or [*_by_item(section)]
        scenarios |= {line: make(name, line, texts) for name, line, texts in blocks}
    return tuple(scenarios[line] for line in sorted(scenarios))


Block = tuple[str, int, list[str]]


def _test_sections(document: Document) -> Iterator[Section]:
    """The outermost sections about tests; what is below them belongs to them."""
    end = 0
    for section in sections_of(document):
        title = normalize_title(section.heading.title)
        is_about = _TESTS.search(title) and not re.search(r"\brequirements?\b", title)
        if is_about and section.heading.level > 1 and section.heading.line > end:
            end = section.lines[-1].number if section.lines else section.heading.line
            yield section


def _by_heading(document: Document, section: Section) -> Iterator[Block]:
    numbers = {line.number for line in section.lines}
    for inner in sections_of(document):
        heading = inner.heading
        if heading.line in numbers and _SCENARIO.match(normalize_title(heading.title)):
            texts = [heading.title, *(line.text for line in inner.lines)]
            yield heading.title, heading.line, texts


def _by_gherkin(section: Section) -> Iterator[Block]:
    block: Block | None = None
    tags: list[str] = []
    for line in section.lines:
        match = _GHERKIN.match(line.text) if line.kind == "code" else None
        if match or line.kind == "fence":
            if block:
                yield block
            block = (
                (match["name"] or "scenario", line.number, [line.text, *tags]) if match else None
            )
            tags = []
        elif line.kind == "code" and line.text.strip().startswith("@"):
            tags.append(line.text)
        elif block:
            block[2].extend([line.text, *tags])
            tags = []
    if block:
        yield block


def _by_row(section: Section) -> Iterator[Block]:
    for table in tables_of(section.lines):
        for row in table.rows:
            if any(row.cells):
                yield next(filter(None, row.cells)), row.line, [*row.cells]


def _by_item(section: Section) -> Iterator[Block]:
    """Each item of the outermost list with what is indented below it."""
    items: list[tuple[int, Block]] = []
    for line in section.lines:
        match = _ITEM.match(line.text) if _is_text(line) else None
        indent = len(match["indent"].expandtabs(4)) if match else 0
        if match and not (items and indent > items[0][0]):
            items.append((indent, (match["text"], line.number, [line.text])))
        elif items:
            items[-1][1][2].append(line.text)
    return (block for _, block in items)


def _is_text(line: Line) -> bool:
    return line.kind == "prose" and bool(line.prose.strip())
