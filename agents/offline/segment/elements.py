"""Elements of HTML and of components in Markdown: ``<Card title="Seals">``, ``<li>``, ``<dt>``.

What an element is titled stands over its text as a heading does, until it ends; how deep its text
is indented says nothing. A tag may go over several lines.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from agents.offline.segment.scan import TITLED, Scan

_MODULE = re.compile(
    r"(?:import\s+(?:[\w*{][^'\"]*\sfrom\s+)?['\"]|import\s+(?:\{|\*)|"
    r"export\s+(?:const|let|default|function|async|\{|\*))"
)  # of MDX, in Markdown hardly how a paragraph begins
_TAG_OPENS = re.compile(r"<(?P<name>[A-Za-z][\w.:-]*)(?:\s[^<>]*)?$")
_OPEN = re.compile(
    r"<(?P<name>[A-Za-z][\w.:-]*)(?P<said>(?:\s+(?:\{[^{}]*\}|[\w:@.-]+"
    r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s\"'<>{}]+))?))*)\s*(?P<whole>/?)>"
)
_CLOSE = re.compile(r"</(?P<name>[A-Za-z][\w.:-]*)\s*>")
_NAMED = re.compile(
    r"\s(?P<name>title|header|heading|question|summary|description)\s*=\s*\{?\s*"
    r"(?P<mark>[\"'`])(?P<said>.*?)(?P=mark)",
    re.DOTALL,
)
_HTML_BLOCKS = load_words("documents", "html_blocks")
_HTML = re.compile(r"[a-z][a-z\d]*$")
# what is titled so shows something else, or one of several ways to do the same
_UNTITLED = Wording("documents", "untitled")
MOST_TAG_LINES = 20
LONGEST_TITLE = 200


def take_element(scan: Scan, line: str, bare: str, at: int, indent: int) -> bool:
    """Whether the line is a tag or a module's, or opens with a tag that is taken with its text."""
    if scan.tag_from >= 0:
        return _go_on(scan, line, bare, at)
    if scan.block is None and indent == 0 and _MODULE.match(bare):
        scan.skips_paragraph = True
        return True
    if bare[0] != "<":
        return False
    if closed := _CLOSE.match(bare):
        return _close(scan, closed["name"], bare[closed.end() :])
    if _TAG_OPENS.match(bare) and _is_block(_TAG_OPENS.match(bare)["name"]):  # type: ignore[index]
        scan.flush()
        scan.tag_from, scan.tag_lines = at + indent, 1
        return True
    opened = _OPEN.match(bare)
    if opened is None or not _is_block(opened["name"]):
        return False
    return _open(scan, opened, at + line.index(bare), at + len(line), indent)


def _is_block(name: str) -> bool:
    return not _HTML.match(name) or name in _HTML_BLOCKS or name == "dt"


def _go_on(scan: Scan, line: str, bare: str, at: int) -> bool:
    """A further line of a tag; what has no end is none."""
    scan.tag_lines += 1
    end = at + len(line)
    if bare.endswith(">") and (opened := _OPEN.match(scan.text, scan.tag_from, end)):
        start, scan.tag_from = scan.tag_from, -1
        indent = start - scan.text.rfind("\n", 0, start) - 1
        return _open(scan, opened, opened.start(), end, indent)
    if not bare or scan.tag_lines > MOST_TAG_LINES:
        scan.tag_from = -1
    return True


def _open(scan: Scan, opened: re.Match[str], start: int, end: int, indent: int) -> bool:
    """An opening tag; what stands behind it in its last line is its text."""
    name, shift = opened["name"], start - opened.start()
    named = {it["name"]: it for it in _NAMED.finditer(opened.string, *opened.span("said"))}
    description = named.pop("description", None)
    title = next(iter(named.values()), None) if not _UNTITLED.match(name) else None
    rest_from = shift + opened.end()
    rest = scan.text[rest_from:end]
    if not title and not description and rest.strip() and name not in ("li", "dt", "dd"):
        return False  # a line of prose with its tags: «<Note>Lanes are sealed at night.</Note>»
    if rest.strip() and not _ends_with_element(name, rest):
        return False  # or a word of it
    scan.flush()
    if name == "dt":
        _end_term(scan)
    level = TITLED + len(scan.elements)
    if title and title["said"].strip() and len(title["said"]) <= LONGEST_TITLE:
        span = (shift + title.start("said"), shift + title.end("said"))
        scan.heading(level, " ".join(title["said"].split()), *span)
    if description and len(description["said"].split()) > 2:
        scan.open(
            shift + description.start("said"), shift + description.end("said"), "paragraph", indent
        )
        scan.flush()
    if not opened["whole"]:
        scan.elements.append((name, indent, level))
        scan.inside = (indent, -1)
        _take_rest(scan, name, rest, rest_from, indent)
    elif title:
        _pop_headings(scan, level)
    return True


def _take_rest(scan: Scan, name: str, rest: str, rest_from: int, indent: int) -> None:
    """What stands behind an opening tag in its line."""
    begin = rest_from + len(rest) - len(rest.lstrip())
    closing = f"</{name}"
    text, closed, _ = rest.strip().partition(closing)
    if name == "dt" and text.strip():
        level = scan.elements[-1][2]
        scan.heading(
            level, re.sub(r"<[^<>]*>", "", text).strip(), begin, begin + len(text.rstrip())
        )
        scan.elements[-1] = ("dt", indent, level)
        return
    if text.strip():
        scan.open(
            begin, begin + len(text.rstrip()), "item" if name == "li" else "paragraph", indent
        )
    if closed:
        _close(scan, name, "")


def _ends_with_element(name: str, rest: str) -> bool:
    closing = f"</{name}>"
    return closing not in rest or not rest.partition(closing)[2].strip()


def _end_term(scan: Scan) -> None:
    """The next term of a list ends the one before."""
    if scan.elements and scan.elements[-1][0] == "dt":
        _pop_headings(scan, scan.elements.pop()[2])


def _close(scan: Scan, name: str, rest: str) -> bool:
    """The end of an element and of what was opened in it; a term stands over what follows it."""
    if rest.strip() and not rest.strip().startswith("<"):
        return False
    scan.flush()
    if name == "dt":
        return True
    for place in range(len(scan.elements) - 1, -1, -1):
        if scan.elements[place][0] == name:
            _pop_headings(scan, scan.elements[place][2])
            del scan.elements[place:]
            break
    scan.inside = (scan.elements[-1][1], -1) if scan.elements else None
    return True


def _pop_headings(scan: Scan, level: int) -> None:
    while scan.stack and scan.stack[-1][0] >= level:
        scan.stack.pop()
    scan.lead, scan.announced, scan.list_indent = None, False, -1
    scan.intro, scan.parents = None, []
