"""Markdown, reStructuredText, AsciiDoc and plain text as passages.

A line scanner, not a parser: chunks are cut out of documents, so what opens a block may be missing.
It must never fail and must leave out whatever is not prose: code, front matter, tables' heads,
directives, link definitions, markup lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.offline.segment.passages import Form, Passage, Span
from agents.offline.segment.wording import TERM

_ATX = re.compile(r"(#{1,6}|={1,6})[ \t]+(\S.*?)[ \t]*[#=]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[a-z][)])[ \t]+(?P<box>\[[ xX]\][ \t]+)?(?=\S)")
_ADOC_ITEM = re.compile(
    r"[ \t]*(?:(?P<mark>\*{1,6}|\.{1,6}|[-•])|\d{1,3}\.|[a-z]\.)[ \t]+"
    r"(?P<box>\[[ xX*]\][ \t]+)?(?=\S)"
)
_ADOC_CALLOUT = re.compile(r"<(?:\d+|\.)>[ \t]")  # remarks on code that is not read
_RULER = re.compile(r"([=\-~^\"'`*+#_.:])\1{2,}$")
_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_]{2,60}?):?(?:\*\*|__):?$")
_LABEL_LINE = re.compile(r"\*\*[A-Z][\w /-]{1,40}(?::\*\*|\*\*:)(?=\s)")
_TABLE_RULE = re.compile(r"[|:+\-= \t]+$")
_DEFINITION = re.compile(r"\[[^\]]{1,120}\]:")
_FIELD = re.compile(r":[\w -]{1,40}:(?:[ \t]|$)")
_DIRECTIVE = re.compile(r"\.\.(?:[ \t]|$)")
_KEPT_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:note|warning|important|caution|attention|tip)::", re.I)
_ADOC_LINE = re.compile(r"\[[^\]]*\]$|\.[A-Z][^.]*$|//|include::|image::|ifdef::|endif::|toc::")
_MARKER_LINE = re.compile(r"(?::::+|!!!|\?\?\?|%%|\{%|\{\{|\[!\w+\]|@\w+$|\[TOC\]|\[\[)", re.I)
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,400}>")
_RAW_HTML = re.compile(r"<(pre|script|style|table|svg|code|template)\b", re.I)
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)$")
_COMMENT_ENDS = re.compile(r"^[ \t]*-{2,}>[ \t]*$", re.MULTILINE)
WRAPPED = 60  # characters that a line of wrapped text has at least
_COMMAND = re.compile(r"[$>%#][ \t]?[a-z./]|(?:├|└|│|\|--|\+--|`--)")


@dataclass(slots=True)
class _Open:
    start: int
    end: int
    form: Form
    indent: int
    lines: int = 1
    done: bool = False


@dataclass(slots=True)
class _Scan:
    """The state of one pass over a chunk's lines."""

    text: str
    base: tuple[str, ...]
    dialect: str
    found: list[Passage] = field(default_factory=list)
    stack: list[tuple[int, str]] = field(default_factory=list)
    block: _Open | None = None
    lead: Span | None = None
    place: int = 0
    announced: bool = False
    list_indent: int = -1
    literal: bool = False
    until: str = ""
    skip_indent: int = -1

    def headings(self) -> tuple[str, ...]:
        return self.base + tuple(title for _, title in self.stack)

    def heading(self, level: int, title: str, start: int, end: int) -> None:
        self.flush()
        if not self.stack and self.base and _same(title, self.base[-1]):
            self.base = self.base[:-1]  # what stands before it is the opening of what is over it
            self.found = [replace(it, headings=self.base) for it in self.found]
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()
        outer = self.headings()
        self.stack.append((level, title))
        self.found.append(Passage(start, end, "heading", outer))
        self.lead, self.place, self.announced, self.list_indent = None, 0, False, -1

    def flush(self) -> None:
        block, self.block = self.block, None
        if block is None:
            return
        raw = self.text[block.start : block.end]
        start = block.start + len(raw) - len(raw.lstrip())
        end = block.start + len(raw.rstrip())
        if start >= end:
            return
        in_list = block.form in ("item", "task")
        opening = self.place == 0 or (in_list and self.announced)
        lead = self.lead if in_list else None
        self.found.append(
            Passage(
                start,
                end,
                block.form,
                self.headings(),
                lead,
                block.done,
                self.place,
                opening,
                block.indent,
            )
        )
        if not in_list:
            announces = self.text[end - 1] == ":" or self.text[max(0, end - 3) : end] == ":**"
            self.announced = self.place == 0 and announces
            self.lead = (start, end) if announces else None
        elif self.place == 0:
            self.announced = True
        self.place += 1

    def open(self, start: int, end: int, form: Form, indent: int, *, done: bool = False) -> None:
        self.flush()
        self.block = _Open(start, end, form, indent, done=done)


def _same(a: str, b: str) -> bool:
    return re.sub(r"\W+", "", a).lower() == re.sub(r"\W+", "", b).lower()


def dialect_of(path: str) -> str:
    """``rst``, ``adoc``, ``txt`` or ``md``, by the path's ending."""
    lowered = path.lower()
    if lowered.endswith(".txt"):
        return "txt"
    if lowered.endswith((".rst", ".rest")):
        return "rst"
    return "adoc" if lowered.endswith((".adoc", ".asciidoc", ".asc")) else "md"


def _inside_of(text: str) -> str:
    """The end of the code or comment a chunk begins inside of, or nothing: its first closing mark
    has no opening one.
    """
    end = _COMMENT_ENDS.search(text)
    if end and "<!--" not in text[: end.start()]:
        return "-->"
    marks = [line.strip() for line in text.split("\n") if line.lstrip()[:3] in ("```", "~~~")]
    return marks[0][:3] if len(marks) % 2 and marks[0] in ("```", "~~~") else ""


def passages(text: str, base: Sequence[str], path: str, *, whole: bool) -> list[Passage]:
    """The passages of ``text`` in order; headings among them as form ``heading``.

    ``base`` is the chunk's heading path; ``whole`` says that the text begins its document.
    """
    scan = _Scan(text, tuple(base), dialect_of(path))
    lines = text.split("\n")
    at, number = 0, _front_matter(lines) if whole else 0
    at = sum(len(line) + 1 for line in lines[:number])
    scan.until = "" if whole else _inside_of(text)
    for line in lines[number:]:
        _take(scan, line, at)
        at += len(line) + 1
    scan.flush()
    return scan.found


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes."""
    if lines[0].strip() not in ("---", "+++"):
        return 0
    marks = (lines[0].strip(), "...")
    for number, line in enumerate(lines[1:400], 1):
        if line.strip() in marks:
            return number + 1
    return 0


def _take(scan: _Scan, line: str, at: int) -> None:
    """One line more."""
    bare = line.strip()
    if scan.until:
        if scan.until in bare:
            scan.until = ""
        return
    if not bare or bare == ">":
        scan.flush()
        return
    indent = len(line) - len(line.lstrip())
    if scan.skip_indent >= 0:
        if indent > scan.skip_indent:
            return
        scan.skip_indent = -1
    if _is_skipped(scan, bare, indent):
        scan.flush()
        return
    if _is_heading(scan, line, bare, at):
        return
    end = at + len(line)
    item = _item(scan, line)
    if item and not (indent >= 4 and scan.list_indent < 0 and scan.block is None):
        _take_item(scan, line, item, at, indent)
    elif scan.dialect == "adoc" and TERM.match(bare):
        scan.open(at + indent, end, "item", indent)
    elif bare[0] == "|":
        _take_row(scan, line, at)
    elif scan.dialect == "txt" and _is_noted(scan, bare):
        scan.open(at + line.index(bare), end, "paragraph", indent)
    elif scan.dialect == "rst" and _is_term(scan.block, indent):
        scan.block, scan.skip_indent = None, indent - 1
    elif scan.block is not None and _LABEL_LINE.match(bare) and _is_labelled(scan):
        scan.open(at + line.index(bare), end, scan.block.form, scan.block.indent)
    elif scan.block is not None:
        scan.block.end, scan.block.lines = end, scan.block.lines + 1
    elif _is_indented_code(scan, indent) or _COMMAND.match(bare):
        scan.flush()
    else:
        if indent == 0:
            scan.list_indent = -1
        start = at + line.index(bare)
        if bare[0] == ">":
            start += len(bare) - len(bare.lstrip("> \t"))
        scan.open(start, end, "quote" if bare[0] == ">" else "paragraph", indent)


def _is_labelled(scan: _Scan) -> bool:
    """Whether the open block begins with a label too: «**Risk**: …», «**Mitigation**: …»."""
    return scan.block is not None and bool(_LABEL_LINE.match(scan.text, scan.block.start))


def _is_noted(scan: _Scan, bare: str) -> bool:
    """Whether the line before is a note of its own: short, without an end, and this one is new."""
    if scan.block is None or not (bare[0].isupper() or bare[0] == "["):
        return False
    last = scan.text[scan.block.start : scan.block.end].rsplit("\n", 1)[-1].strip()
    return len(last) < WRAPPED and last[-1:].isalnum()


def _is_term(block: _Open | None, indent: int) -> bool:
    """Whether ``block`` is the term of a definition list, whose meaning begins in the next line.

    A meaning without its term says nothing alone.
    """
    return (
        block is not None
        and block.form == "paragraph"
        and block.lines == 1
        and indent > block.indent
    )


def _is_indented_code(scan: _Scan, indent: int) -> bool:
    if scan.list_indent >= 0:
        return indent >= scan.list_indent + 6
    return indent >= 4


def _item(scan: _Scan, line: str) -> re.Match[str] | None:
    return (_ADOC_ITEM if scan.dialect == "adoc" else _ITEM).match(line)


def _take_item(scan: _Scan, line: str, item: re.Match[str], at: int, indent: int) -> None:
    box = item.group("box")
    if scan.dialect == "adoc":
        indent += 2 * (len(item.group("mark") or "-") - 1)  # «**» stands under «*»
    scan.list_indent = indent
    form: Form = "task" if box else "item"
    scan.open(at + item.end(), at + len(line), form, indent, done=bool(box and box[1] in "xX*"))


def _take_row(scan: _Scan, line: str, at: int) -> None:
    """Each wordy cell is a passage; the row above a table's ruler is its head and no passage."""
    if _TABLE_RULE.match(line):
        scan.flush()
        while scan.found and scan.found[-1].form == "row" and scan.found[-1].end >= at - 400:
            between = scan.text[scan.found[-1].end : at]
            if between.count("\n") != 1:
                break
            scan.found.pop()
        return
    scan.flush()
    start = at
    for cell in line.split("|"):
        if cell.count(" ") >= 5:
            lead = len(cell) - len(cell.lstrip())
            scan.open(start + lead, start + len(cell.rstrip()), "row", 0)
            scan.flush()
        start += len(cell) + 1


def _is_heading(scan: _Scan, line: str, bare: str, at: int) -> bool:
    first = bare[0]
    if first in "#=" and scan.dialect != "rst":
        match = _ATX.match(bare)
        if match and (first == "#" or scan.dialect == "adoc"):
            start = at + line.index(bare) + match.start(2)
            scan.heading(len(match.group(1)), match.group(2), start, start + len(match.group(2)))
            return True
    block = scan.block
    if _RULER.match(bare):
        if block and block.form == "paragraph" and block.lines == 1:
            title = scan.text[block.start : block.end].strip()
            if len(title) <= 100 and len(bare) + 3 >= min(len(title), 6):
                scan.block = None
                level = "=-~^\"'`*+#_.:".index(first) + 1
                scan.heading(level, title, block.start, block.end)
                return True
        scan.flush()
        if scan.dialect == "adoc" and first in "-.=+" and len(bare) >= 4:
            scan.until = "" if first == "=" else bare
        return True
    if first in "*_" and block is None and (bold := _BOLD_LINE.match(bare)):
        start = at + line.index(bold.group(1))
        scan.heading(8, bold.group(1), start, start + len(bold.group(1)))
        return True
    return False


def _is_skipped(scan: _Scan, bare: str, indent: int) -> bool:
    """Whether the line opens or is something that is not prose."""
    first = bare[0]
    if first in "`~" and (fence := _FENCE.match(bare)):
        if fence.group(1)[0] not in fence.group(2):
            scan.until = fence.group(1)
        return True
    if scan.dialect == "adoc" and (
        bare == "+" or _ADOC_LINE.match(bare) or _ADOC_CALLOUT.match(bare)
    ):
        return True
    if first == "<":
        return _is_html(scan, bare)
    if first == "[" and (_DEFINITION.match(bare) or bare.startswith(("[!", "[["))):
        return not bare.startswith("[![") or _is_links(bare)
    if first == "." and scan.dialect == "rst" and _DIRECTIVE.match(bare):
        if not _KEPT_DIRECTIVE.match(bare):
            scan.skip_indent = indent
        return True
    if scan.dialect == "rst" and bare.endswith("::"):
        scan.skip_indent = indent  # of the literal block; its line is prose that announces it
        return bare == "::" or bare.startswith("..")
    if first == ":" and _FIELD.match(bare):
        return scan.block is None
    return bool(_MARKER_LINE.match(bare))


def _is_links(bare: str) -> bool:
    return not re.sub(r"!?\[[^\]]*\]|\([^)]*\)|\W", "", bare)


def _is_html(scan: _Scan, bare: str) -> bool:
    if bare.startswith("<!--"):
        scan.until = "" if "-->" in bare else "-->"
        return True
    if raw := _RAW_HTML.match(bare):
        closing = f"</{raw.group(1)}"
        scan.until = "" if closing in bare else closing
        return True
    return len(_TAG.sub(" ", bare).split()) < 5
