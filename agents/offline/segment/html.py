"""Headings of HTML in one line of Markdown: ``<h2>Rules</h2>``, ``<summary>Old</summary>``."""

from __future__ import annotations

import re

from agents.offline.segment.scan import Scan

_HEADING = re.compile(
    r"(?:<[^<>]*>\s*)*?<(?P<tag>h[1-6]|summary)\b[^<>]*>(?P<title>.{2,200}?)</(?P=tag)>\s*"
    r"(?:</?[A-Za-z][^<>]*>\s*)*",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")
_FOLDED = 8  # the level of what can be folded away; it ends with its element


def take_html_heading(scan: Scan, line: str, bare: str, at: int) -> bool:
    """Whether the line is a heading, or ends what one stands over; what follows it is a text."""
    if bare.lower().startswith("</details"):
        scan.flush()
        while scan.stack and scan.stack[-1][0] >= _FOLDED:
            scan.stack.pop()
        return True
    found = _HEADING.match(bare)
    title = _TAG.sub("", found["title"]).strip() if found else ""
    if found is None or not title:
        return False
    start = at + line.index(bare)
    level = _FOLDED if found["tag"].lower() == "summary" else int(found["tag"][1])
    scan.heading(level, title, start + found.start("title"), start + found.end("title"))
    if rest := bare[found.end() :].strip():
        begin = start + bare.rindex(rest)
        scan.open(begin, begin + len(rest), "paragraph", 0)
    return True
