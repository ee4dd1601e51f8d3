"""What a draft of each kind must look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.development.checks.markdown import (
    Document,
    Heading,
    Section,
    normalize_title,
    sections_of,
)

FILES_TITLES = ("Files to change", "Files to modify", "Files changed", "Changed files", "Files")


@dataclass(frozen=True, slots=True)
class RequiredSection:
    """``aliases`` are other titles that count as this one. ``may_be_empty``: no text is a text."""

    title: str
    aliases: tuple[str, ...] = ()
    may_be_empty: bool = False

    def has_title(self, title: str) -> bool:
        wanted = {normalize_title(it) for it in (self.title, *self.aliases)}
        return normalize_title(title) in wanted


@dataclass(frozen=True, slots=True)
class DraftRules:
    """The sections of a kind of draft in their order.

    ``has_requirements``: it defines requirements with ids. ``has_files``: it has a table of files
    to change.
    """

    name: str
    sections: tuple[RequiredSection, ...]
    has_requirements: bool = False
    has_files: bool = False

    def section_of(self, title: str) -> RequiredSection | None:
        return next((it for it in self.sections if it.has_title(title)), None)


REQUIREMENTS = RequiredSection("Requirements", ("Functional requirements",))
FILES = RequiredSection(FILES_TITLES[0], FILES_TITLES[1:])

ISSUE_BRIEF = DraftRules(
    "issue brief",
    (
        RequiredSection("Summary", ("Overview",)),
        RequiredSection("Problem", ("Problem statement", "Motivation")),
        REQUIREMENTS,
        RequiredSection("Acceptance criteria"),
        RequiredSection("Out of scope", ("Non-goals",), may_be_empty=True),
    ),
    has_requirements=True,
)
LOW_LEVEL_DESIGN = DraftRules(
    "low-level design",
    (
        RequiredSection("Context", ("Context and goal", "Background")),
        REQUIREMENTS,
        RequiredSection("Design", ("Proposed design", "Proposed changes")),
        FILES,
        RequiredSection("Test plan", ("Test scenarios", "Tests")),
        RequiredSection("Risks", ("Risks and open questions", "Open questions"), may_be_empty=True),
    ),
    has_requirements=True,
    has_files=True,
)
IMPLEMENTATION_SPEC = DraftRules(
    "implementation specification",
    (
        RequiredSection("Overview", ("Summary", "Goal")),
        FILES,
        RequiredSection("Instructions", ("Changes", "Implementation")),
        RequiredSection("Tests", ("Test plan", "Test scenarios")),
        RequiredSection("Risks", ("Open questions",), may_be_empty=True),
    ),
    has_files=True,
)
RULES = {
    "issue": ISSUE_BRIEF,
    "design": LOW_LEVEL_DESIGN,
    "specification": IMPLEMENTATION_SPEC,
}


def describe_rules(rules: DraftRules) -> str:
    """The rules as instructions for whoever writes the draft."""
    titles = ", ".join(
        f"## {it.title}" + (" (may be empty)" if it.may_be_empty else "") for it in rules.sections
    )
    parts = [f"Write Markdown with these sections in this order: {titles}."]
    if rules.has_requirements:
        parts.append(
            "Under «Requirements» each requirement is an item of a list or the first cell of a row"
            " and begins with an id of its own, such as REQ-1."
        )
    if rules.has_files:
        parts.append(
            "Under «Files to change» stands a table with the columns File, Change and Purpose;"
            " a path is relative to the repository, and Change is modify, new or delete."
        )
    parts.append("Close every code fence. Leave no TODO, TBD or <placeholder>.")
    return "\n".join(parts)


def required_sections(
    document: Document, rules: DraftRules
) -> dict[RequiredSection, tuple[Section, ...]]:
    """For each required section those of the document that have its title, in document order."""
    rule_of = match_headings(document.headings, rules)
    sections = sections_of(document)
    return {
        rule: tuple(it for it in sections if rule_of.get(it.heading.line) is rule)
        for rule in rules.sections
    }


def match_headings(headings: Sequence[Heading], rules: DraftRules) -> dict[int, RequiredSection]:
    """The required section that each heading begins, by the heading's line.

    Below another required section a heading begins one only where no other heading does: a part
    of «Context» may be called «Background».
    """
    matches = {it.line: rule for it in headings if (rule := rules.section_of(it.title))}
    nested: set[int] = set()
    above: list[Heading] = []
    for heading in headings:
        above = [it for it in above if it.level < heading.level]
        if any(it.line in matches for it in above):
            nested.add(heading.line)
        above.append(heading)
    outer = {rule.title for line, rule in matches.items() if line not in nested}
    return {
        line: rule
        for line, rule in matches.items()
        if line not in nested or rule.title not in outer
    }
