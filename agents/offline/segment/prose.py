"""Markdown, reStructuredText, AsciiDoc and plain text as passages.

A line scanner, not a parser: chunks are cut out of documents, so what opens a block may be missing.
It must never fail and must leave out whatever is not prose: code, front matter, tables' heads,
directives, link definitions, markup lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.segment.asciidoc import is_markup, take_delimiter
from agents.offline.segment.elements import take_element
from agents.offline.segment.front_matter import count_lines, describe
from agents.offline.segment.html import take_html_heading
from agents.offline.segment.org import headline_in
from agents.offline.segment.passages import Form, Passage
from agents.offline.segment.priorities import find_priority
from agents.offline.segment.scan import Block, Scan, goes_on_below
from agents.offline.segment.scenarios import take_scenario
from agents.offline.segment.stated_headings import find_stated
from agents.offline.segment.table_passages import take_table
from agents.offline.segment.tables import Place, table_at
from agents.offline.segment.wording import TERM

_ATX = re.compile(r"(#{1,6}|={1,6})[ \t]+(\S.*?)[ \t]*[#=]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•]|(?:\d{1,3}|#(?=\.))[.)]|[a-z][)])[ \t]+(?P<box>\[[ xX]\][ \t]+)?(?=\S)"
)
_ADOC_ITEM = re.compile(
    r"[ \t]*(?:(?P<mark>\*{1,6}|\.{1,6}|[-•])|\d{1,3}\.|[a-z]\.)[ \t]+"
    r"(?P<box>\[[ xX*]\][ \t]+)?(?=\S)"
)
_RULER = re.compile(r"([=\-~^\"'`*+#_.:])\1{2,}$")
_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_]{2,60}?):?(?:\*\*|__):?$")
_LABEL_LINE = re.compile(r"\*\*[A-Z][\w /-]{1,40}(?::\*\*|\*\*:)(?=\s)")
_DEFINITION = re.compile(r"\[[^\]]{1,120}\]:")
_FIELD = re.compile(r":[\w -]{1,40}:(?:[ \t]|$)")
_NEED = re.compile(r"[A-Z][\w'’-]*(?: [\w'’-]+){1,8} (?:must|shall|should)\b")  # with a subject
_DIRECTIVE = re.compile(r"\.\.(?:[ \t]|$)")
_KEPT_DIRECTIVE = Wording("documents", "kept_directive")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+\w")  # of MkDocs, its body is indented
_PROSE_FENCE = Wording("documents", "prose_fence")
_ALERT = re.compile(r">[ \t]*\[!\w+\]")
_MARKER_LINE = re.compile(r"(?::::+|!!!|\?\?\?|%%|\{%|\{\{|\[!\w+\]|@\w+$|\[TOC\]|\[\[)", re.I)
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,400}>")
_RAW_HTML = re.compile(r"<(pre|script|style|table|svg|code|template)\b", re.I)
_FENCE = re.compile(r"(?P<mark>`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(r"(?:`{3,}|~{3,})$")
_COMMENT_ENDS = re.compile(r"^[ \t]*-{2,}>[ \t]*$", re.MULTILINE)
WRAPPED = 60  # characters that a line of wrapped text has at least
_COMMAND = re.compile(r"[$>%#][ \t]?[a-z./]|(?:├|└|│|\|--|\+--|`--)")


def dialect_of(path: str) -> str:
    """``rst``, ``adoc``, ``org``, ``txt``, ``feature`` or ``md``, by the path's ending."""
    lowered = path.lower()
    ending = lowered.rpartition(".")[2]
    if ending in ("org", "txt", "feature"):
        return ending
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
    return marks[0] if len(marks) % 2 and _FENCE_END.match(marks[0]) else ""


def passages(text: str, base: Sequence[str], path: str, *, whole: bool) -> list[Passage]:
    """The passages of ``text`` in order; headings among them as form ``heading``.

    ``base`` is the chunk's heading path; ``whole`` says that the text begins its document.
    """
    over = (*base[:1], *(it for it in base[1:] if not find_stated(it)))
    scan = Scan(text, over, dialect_of(path))
    scan.gherkin = scan.dialect == "feature"
    lines = text.split("\n")
    at, number = 0, count_lines(lines) if whole else 0
    scan.found += describe(lines[:number], scan.base)
    at = sum(len(line) + 1 for line in lines[:number])
    inside = "" if whole else _inside_of(text)
    inside = "" if scan.dialect in ("rst", "adoc") and inside[:1] == "~" else inside
    scan.until, scan.fence = (inside, "") if inside == "-->" else ("", inside)
    while number < len(lines):
        place = Place(text, lines, number, at)
        table = table_at(place, scan.dialect) if _may_hold_table(scan, lines[number]) else None
        taken = table.lines if table else take_scenario(scan, lines, number, at)
        if table is not None:
            take_table(scan, table)
        elif not taken:
            _take(scan, lines[number], at)
            taken = 1
        at += sum(len(line) + 1 for line in lines[number : number + taken])
        number += taken
    scan.flush()
    return scan.found


def _may_hold_table(scan: Scan, line: str) -> bool:
    """Whether the line stands in no code, comment or paragraph that goes on."""
    bare = line.lstrip()
    drawn = scan.dialect == "rst" and (bare[:2] in ("+-", "+=", "==") or "-table::" in bare[:20])
    drawn = drawn or (scan.dialect == "md" and bare[:6].lower() == "<table")
    if ("|" not in line and not drawn) or scan.until or scan.fence:
        return False
    if scan.skips_paragraph or (scan.block is not None and bare[:1] not in "|+.<"):
        return False
    return scan.skip_indent < 0 or len(line) - len(line.lstrip()) <= scan.skip_indent


def _take(scan: Scan, line: str, at: int) -> None:
    """One line more."""
    bare = line.strip()
    if scan.until:
        if scan.until in bare:
            scan.until = ""
        return
    if scan.fence:
        if _closes(bare, scan.fence):
            scan.fence = ""
        return
    if not bare or bare == ">":
        scan.flush()
        scan.skips_paragraph, scan.alert = False, scan.alert and bool(bare)
        return
    if scan.skips_paragraph:
        return
    indent = len(line) - len(line.lstrip())
    if scan.skip_indent >= 0:
        if indent > scan.skip_indent:
            return
        scan.skip_indent = -1
    if _opens_prose(scan, line, bare, at, indent):
        return
    if bare[0] == "<" and take_html_heading(scan, line, bare, at):
        return
    if _may_be_element(scan, bare) and take_element(scan, line, bare, at, indent):
        return
    if _is_skipped(scan, bare, indent):
        scan.flush()
        return
    indent = _indent_inside(scan, indent)
    if not _is_heading(scan, line, bare, at):
        _take_words(scan, line, at, indent)


def _take_words(scan: Scan, line: str, at: int, indent: int) -> None:
    """One line more of an item, a paragraph or a quote; ``indent`` is that inside what holds it."""
    bare, end = line.strip(), at + len(line)
    item = _item(scan, line)
    if item and not (indent >= 4 and scan.list_indent < 0 and scan.block is None):
        _take_item(scan, line, item, at, indent)
    elif scan.dialect == "adoc" and TERM.match(bare):
        scan.open(at + indent, end, "item", indent)
    elif scan.dialect == "txt" and _is_noted(scan, bare):
        scan.open(at + line.index(bare), end, "paragraph", indent)
    elif scan.dialect == "rst" and _is_term(scan.block, indent):
        scan.block, scan.skip_indent = None, indent - 1
        if _NEED.match(bare):
            scan.skip_indent = -1
            scan.open(at + indent, end, "paragraph", 0)
    elif scan.block is not None and (
        (_LABEL_LINE.match(bare) and _is_labelled(scan)) or _is_ranked(scan, at + indent, end)
    ):
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
        quoted = scan.quoting or (bare[0] == ">" and not scan.alert)
        scan.open(start, end, "quote" if quoted else "paragraph", indent)


def _may_be_element(scan: Scan, bare: str) -> bool:
    """Whether the line may be a tag or a module's line of Markdown, or go on with a tag."""
    return scan.dialect == "md" and (bare[0] in "<ie" or scan.tag_from >= 0)


def _is_labelled(scan: Scan) -> bool:
    """Whether the open block begins with a label too: «**Risk**: …», «**Mitigation**: …»."""
    return scan.block is not None and bool(_LABEL_LINE.match(scan.text, scan.block.start))


def _is_ranked(scan: Scan, start: int, end: int) -> bool:
    """Whether the line and the open block begin with labels of MoSCoW: «Must: …», «Should: …»."""
    if scan.block is None or not find_priority(scan.text, start, end):
        return False
    return find_priority(scan.text, scan.block.start, scan.block.end) is not None


def _is_noted(scan: Scan, bare: str) -> bool:
    """Whether the line before is a note of its own: short, without an end, and this one is new."""
    if scan.block is None or not (bare[0].isupper() or bare[0] == "["):
        return False
    last = scan.text[scan.block.start : scan.block.end].rsplit("\n", 1)[-1].strip()
    return len(last) < WRAPPED and last[-1:].isalnum()


def _is_term(block: Block | None, indent: int) -> bool:
    """Whether ``block`` is the term of a definition list, whose meaning begins in the next line.

    A meaning without its term says nothing alone.
    """
    return (
        block is not None
        and block.form == "paragraph"
        and block.lines == 1
        and indent > block.indent
    )


def _is_indented_code(scan: Scan, indent: int) -> bool:
    if scan.list_indent >= 0:
        return indent >= scan.list_indent + 6
    return indent >= 4


def _item(scan: Scan, line: str) -> re.Match[str] | None:
    return (_ADOC_ITEM if scan.dialect == "adoc" else _ITEM).match(line)


def _take_item(scan: Scan, line: str, item: re.Match[str], at: int, indent: int) -> None:
    box = item.group("box")
    if scan.dialect == "adoc":
        indent += 2 * (len(item.group("mark") or "-") - 1)  # «**» stands under «*»
    scan.list_indent = indent
    form: Form = "task" if box else "item"
    scan.open(at + item.end(), at + len(line), form, indent, done=bool(box and box[1] in "xX*"))


def _closes(bare: str, fence: str) -> bool:
    """Whether a line ends what ``fence`` opened: the same mark, as long at least in Markdown, and
    nothing behind it.
    """
    if fence[0] not in "`~":
        return bare == fence
    mark = bare.lstrip("> ")
    return mark.startswith(fence) and not mark.strip(fence[0])


def _indent_inside(scan: Scan, indent: int) -> int:
    """The indent within the body of a directive whose body is prose, as if that stood alone."""
    if scan.inside is None:
        return indent
    outer, body = scan.inside
    if indent <= outer:
        scan.inside = None
        return indent
    if body < 0:
        scan.inside = (outer, indent)
    return max(0, indent - scan.inside[1])


def _opens_prose(scan: Scan, line: str, bare: str, at: int, indent: int) -> bool:
    """Whether the line opens a note or the like, whose body is read as what stands around it."""
    kept = _KEPT_DIRECTIVE.match(bare) if scan.dialect == "rst" else _ADMONITION.match(bare)
    if kept:
        scan.flush()
        scan.inside = (indent, -1)
        if scan.dialect == "rst" and kept["said"]:
            start = at + line.index(bare) + kept.start("said")
            scan.open(start, at + len(line), "paragraph", indent)
            scan.block = replace(scan.block, lines=2) if scan.block else None  # no term of a list
        return True
    if scan.inside and scan.inside[1] < 0 and _FIELD.match(bare) and indent > scan.inside[0]:
        return True  # an option of the directive
    if scan.prose_fence and _closes(bare, scan.prose_fence):
        scan.flush()
        scan.prose_fence, scan.gherkin = "", scan.dialect == "feature"
        return True
    if match := _PROSE_FENCE.match(bare):
        scan.flush()
        scan.prose_fence, scan.gherkin = match["fence"], match["gherkin"] is not None
        return True
    if _ALERT.match(bare):
        scan.flush()
        scan.alert = True
        return True
    return False


def _is_heading(scan: Scan, line: str, bare: str, at: int) -> bool:
    first = bare[0]
    if first in "#=" and scan.dialect != "rst":
        match = _ATX.match(bare)
        if match and goes_on_below(match.group(2)):
            start = at + line.index(bare) + match.start(2)
            scan.flush()
            scan.open(start, at + len(line), "paragraph", 0)
            scan.flush()
            return True
        if match and (first == "#" or scan.dialect == "adoc"):
            start = at + line.index(bare) + match.start(2)
            scan.heading(len(match.group(1)), match.group(2), start, start + len(match.group(2)))
            return True
    if scan.dialect == "org" and (headline := headline_in(line)):
        start = at + headline.at
        form: Form = "task" if headline.state in ("open", "done") else "heading"
        end = start + len(headline.title)
        scan.heading(headline.level, headline.title, start, end, form)
        scan.found[-1] = replace(scan.found[-1], done=headline.state == "done")
        return True
    block = scan.block
    if _RULER.match(bare):
        if block and block.form == "paragraph" and block.lines == 1:
            title = scan.text[block.start : block.end].strip()
            if len(title) <= 100 and _underlines(scan, bare, title):
                scan.block = None
                level = "=-~^\"'`*+#_.:".index(first) + 1
                scan.heading(level, title, block.start, block.end)
                return True
        scan.flush()
        if scan.dialect == "adoc" and len(bare) >= 4:
            take_delimiter(scan, bare)
        return True
    if first in "*_" and block is None and (bold := _BOLD_LINE.match(bare)):
        if goes_on_below(bare):
            return False
        start = at + line.index(bold.group(1))
        scan.heading(8, bold.group(1), start, start + len(bold.group(1)))
        return True
    return False


def _underlines(scan: Scan, bare: str, title: str) -> bool:
    """Whether a line of marks makes a title of the line before; AsciiDoc's is as long as that."""
    if scan.dialect == "adoc":
        return abs(len(bare) - len(title)) <= 2
    return len(bare) + 3 >= min(len(title), 6)


def _is_skipped(scan: Scan, bare: str, indent: int) -> bool:
    """Whether the line opens or is something that is not prose."""
    first = bare[0]
    fences = "`>" if scan.dialect in ("rst", "adoc") else "`~>"  # there «~~~» underlines
    if first in fences and (fence := _FENCE.match(bare.lstrip("> "))):
        scan.fence = fence.group("mark")
        return True
    if scan.dialect == "adoc" and is_markup(scan, bare):
        return True
    if first == "<":
        return _is_html(scan, bare)
    if first == "[" and (_DEFINITION.match(bare) or bare.startswith(("[!", "[["))):
        return not bare.startswith("[![") or _is_links(bare)
    if first == "." and scan.dialect == "rst" and _DIRECTIVE.match(bare):
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


def _is_html(scan: Scan, bare: str) -> bool:
    if bare.startswith("<!--"):
        scan.until = "" if "-->" in bare else "-->"
        return True
    if raw := _RAW_HTML.match(bare):
        closing = f"</{raw.group(1)}"
        scan.until = "" if closing in bare else closing
        return True
    return len(_TAG.sub(" ", bare).split()) < 5
