"""Sections of Markdown, reStructuredText and AsciiDoc, by their headings.

A section's own text ends at the next heading of whatever level, since structural chunks may not
overlap: a parent does not hold its children's text again. Small sections are joined among
themselves when they have the same parent; a small one between large ones stays alone, because its
heading (say ``Decision``) tells more than its size. A heading without own text goes with its
first child.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from schemas.conflicts import blank_conflict_marks
from streams.hygiene.chunks.units import MIN_TOKENS, TARGET_TOKENS, Unit, common_path, tokens_of

LONGEST_HEADING = 200
MOST_HEADINGS = 20_000  # of a text of 2 MiB at most: more are no sections that anybody wrote
# Begins with a literal, a line feed, and not with an anchor: so the engine skips to the next one.
MARKDOWN_MARK = re.compile(
    r"\n {0,3}(?:(?P<fence>`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*"
    r"|(?P<atx>\#{1,6})(?:[ \t]+(?P<title>[^\n]*))?"
    r"|(?P<under>=+|-{2,})[ \t]*|(?P<comment><!--)[^\n]*)(?=\n)",
)
FRONT_MATTER = re.compile(r"---[ \t]*\n[\s\S]{0,20000}?\n(?:---|\.\.\.)[ \t]*\n")
RST_UNDERLINE = re.compile(r"^([=\-`:.'\"~^_*+#<>])\1{2,}[ \t]*$", re.MULTILINE)
ASCIIDOC_MARK = re.compile(
    r"^(?:(?P<fence>-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[^\n]*|(?P<mark>={1,6}"
    r"|\#{1,6})[ \t]+(?P<title>\S[^\n]*))$",
    re.MULTILINE,
)
ORG_MARK = re.compile(
    r"^(?:(?P<mark>\*{1,12})[ \t]+"
    r"(?:(?:TODO|NEXT|DONE|WAITING|STARTED|DOING|HOLD|OFFEN|ERLEDIGT)[ \t]+(?=\S))?"
    r"(?:\[\#[A-Z]\][ \t]+)?(?P<title>\S[^\n]*?)(?<![ \t])[ \t]*+(?::[\w@#%:]+:)?[ \t]*+)$",
    re.MULTILINE,
)
NO_PARAGRAPH = re.compile(r"[ \t]{4}|\t| {0,3}(?:[-*+>|#=]|\d{1,9}[.)][ \t]|```|~~~|<)")
HEADING_TRAIL = re.compile(r"[ \t]+#+[ \t]*$|[ \t]*\\?\{#[\w.:-]+\}[ \t]*$")
LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,400}\)")


class Heading(NamedTuple):
    start: int
    level: int
    title: str


def sections(text: str, language: str | None) -> list[Unit] | None:
    """The text as sections, or None where it has no heading, or too many."""
    headings = list(islice(headings_in(text, language), MOST_HEADINGS + 1))
    if not headings or len(headings) > MOST_HEADINGS:
        return None
    return _join_sections(text, _tile(text, headings))


def headings_in(text: str, language: str | None) -> Iterator[Heading]:
    """The headings in the order of the text; those of no known language as Markdown's."""
    text = blank_conflict_marks(text)  # one of them looks like an underline
    return HEADINGS_OF.get(language or "", _markdown_headings)(text)


def _markdown_headings(text: str) -> Iterator[Heading]:
    front = FRONT_MATTER.match(text)
    fence, hidden = "", 0
    for match in MARKDOWN_MARK.finditer(f"\n{text}\n", front.end() if front else 0):
        if match.start() < hidden:
            continue
        if mark := match["fence"]:
            if not fence:
                fence = mark
            elif mark.startswith(fence) and match[0].strip() == mark:
                fence = ""
        elif fence:
            continue
        elif match["comment"]:
            hidden = text.find("-->", match.start())  # what is not closed hides nothing
        elif match["atx"]:
            yield Heading(match.start(), len(match["atx"]), _title(match["title"] or ""))
        elif match["under"] and match.start() > (front.end() if front else 0):
            start = text.rfind("\n", 0, match.start() - 1) + 1
            above = text[start : match.start() - 1]
            if above.strip() and not NO_PARAGRAPH.match(above) and len(above) <= LONGEST_HEADING:
                yield Heading(start, 1 if match["under"][0] == "=" else 2, _title(above))


def _title(raw: str) -> str:
    bare = HEADING_TRAIL.sub("", raw[: 2 * LONGEST_HEADING]).strip().strip("#").replace("**", "")
    return LINK.sub(r"\1", bare)[:LONGEST_HEADING].strip()


def _rst_headings(text: str) -> Iterator[Heading]:
    """Underlined titles; a style's level is the place of its first use."""
    styles: dict[str, int] = {}
    last = -1
    for match in RST_UNDERLINE.finditer(text):
        start = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
        title = text[start : max(start, match.start() - 1)]
        if (
            start <= last
            or not title.strip()
            or title[:1] in " \t"
            and not _is_overlined(text, start)
        ):
            continue
        if len(match[0].rstrip()) < len(title.rstrip()) or RST_UNDERLINE.fullmatch(title):
            continue
        over = _is_overlined(text, start)
        style = match[1] + ("o" if over else "")
        yield Heading(
            text.rfind("\n", 0, start - 1) + 1 if over else start,
            styles.setdefault(style, len(styles) + 1),
            title.strip()[:LONGEST_HEADING],
        )
        last = match.end()


def _is_overlined(text: str, start: int) -> bool:
    if not start:
        return False
    above = text.rfind("\n", 0, start - 1) + 1
    return RST_UNDERLINE.fullmatch(text, above, start - 1) is not None


def _asciidoc_headings(text: str) -> Iterator[Heading]:
    fence = ""
    for match in ASCIIDOC_MARK.finditer(text):
        if mark := match["fence"]:
            if not fence:
                fence = mark
            elif match[0].rstrip() == fence:
                fence = ""
        elif not fence:
            yield Heading(match.start(), len(match["mark"]), _title(match["title"]))


def _org_headings(text: str) -> Iterator[Heading]:
    """Lines of stars; Org itself lets a heading end a block that nobody closed."""
    for match in ORG_MARK.finditer(text):
        if match["mark"]:
            yield Heading(
                match.start(), len(match["mark"]), match["title"][:LONGEST_HEADING].strip()
            )


HEADINGS_OF = {
    "restructuredtext": _rst_headings,
    "asciidoc": _asciidoc_headings,
    "org": _org_headings,
}


def _tile(text: str, headings: list[Heading]) -> list[Unit]:
    units = [Unit("heading", 0, headings[0].start)] if headings[0].start else []
    open_headings: list[Heading] = []
    for heading, following in zip(
        headings, [*(it.start for it in headings[1:]), len(text)], strict=True
    ):
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        path = tuple(it.title for it in open_headings)
        units.append(Unit("heading", heading.start, following, path, path[:-1], True))
    return units


def _join_sections(text: str, units: list[Unit]) -> list[Unit]:
    result: list[Unit] = []
    sizes: list[int] = []
    for unit in units:
        size = tokens_of(text[unit.start : unit.end].strip())
        if result and sizes[-1] < MIN_TOKENS and sizes[-1] + size <= TARGET_TOKENS:
            before = result[-1]
            bare = before.path and len(unit.path) > len(before.path) and _is_bare(text, before)
            preamble = not before.path and bool(unit.path)
            small = size < MIN_TOKENS and before.scope == unit.scope and before.path
            if bare or small or preamble:
                path = unit.path if not small else common_path(before.path, unit.path)
                scope = unit.scope if preamble or small else before.scope
                result[-1] = Unit("heading", before.start, unit.end, path, scope, True)
                sizes[-1] += size + 1
                continue
        result.append(unit)
        sizes.append(size)
    return result


def _is_bare(text: str, unit: Unit) -> bool:
    """Whether a section is its heading and nothing else."""
    lines = [line for line in text[unit.start : unit.end].split("\n") if line.strip(" \t=-~^*#")]
    return len(lines) <= 1
