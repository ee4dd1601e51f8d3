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
HTML_NAME = re.compile(
    r"(?:"
    r"a|abbr|acronym|address|animate|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|"
    r"body|br|button|c|canvas|caption|center|cite|circle|code|col|colgroup|data|datalist|dd|"
    r"defs|del|details|dfn|dialog|dir|div|dl|dt|ellipse|em|embed|fieldset|figcaption|figure|"
    r"font|footer|form|frame|frameset|g|h1|h2|h3|h4|h5|h6|head|header|hgroup|hr|html|i|iframe|"
    r"image|img|input|ins|kbd|label|legend|li|line|link|main|map|mark|marquee|math|menu|meta|"
    r"meter|nav|nobr|noscript|object|ol|optgroup|option|output|p|param|path|picture|polygon|"
    r"polyline|pre|progress|q|rect|rp|rt|ruby|s|samp|script|search|section|select|slot|small|"
    r"source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|text|"
    r"textarea|tfoot|th|thead|time|title|tr|track|tspan|tt|u|ul|use|v|var|video|wbr"
    r")",
    re.IGNORECASE,
)
_FOLDED = 8  # the level of what can be folded away; it ends with its element


def take_html_heading(scan: Scan, line: str, bare: str, at: int) -> bool:
    """Whether the line is a heading, or ends what one stands over; what follows it is a text."""
    if bare.lower().startswith("</details"):
        scan.flush()
        while scan.stack and scan.stack[-1][0] >= _FOLDED:
            scan.stack.pop()
        return True
    match = _HEADING.match(bare)
    title = _TAG.sub("", match["title"]).strip() if match else ""
    if match is None or not title:
        return False
    start = at + line.index(bare)
    level = _FOLDED if match["tag"].lower() == "summary" else int(match["tag"][1])
    scan.heading(level, title, start + match.start("title"), start + match.end("title"))
    if rest := bare[match.end() :].strip():
        begin = start + bare.rindex(rest)
        scan.open(begin, begin + len(rest), "paragraph", 0)
    return True
