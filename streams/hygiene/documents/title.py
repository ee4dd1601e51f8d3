"""The title that a document gives itself: in front matter, a proposal's preamble or list of fields,
as a heading of HTML, or as the first of several headings of the highest level.

Documents of a site begin with ``title: Live views`` and have sections only; without it each would
be named after its first section or its file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from streams.hygiene.chunks.prose import Heading, headings_in

_FRONT = re.compile(
    r"\A(?P<mark>---|\+\+\+)[ \t]*\n(?P<front>.{0,4000}?)\n(?:(?P=mark)|\.\.\.)[ \t]*$", re.S | re.M
)
_PREAMBLE = re.compile(
    r"\A\s*+(?:```[^\n]*\n|<pre>\s*+)?"
    r"(?:[ \t]*+[A-Z][\w -]{1,24}:[^\n]*\n(?:[ \t]{4,}\S[^\n]*\n)*){3,20}"
)
_LISTED = re.compile(
    r"\A\s*+(?P<over>#{1,3} *+(?:meta(?:data)?|header|preamble|summary) *+\n\s*+)?"
    r"(?:\[[\w-]+\]: *+#[^\n]*\n\s*+)?"
    r"(?:[-*] \*{0,2}[A-Z][\w /()-]{1,24}\*{0,2}:[^\n]*\n(?:[ \t]{2,}\S[^\n]*\n)*){2,20}",
    re.I,
)  # «# Meta», «- Name: Live views», «- Start Date: 2024-01-08»
_TITLE = re.compile(
    r"^[ \t]{0,4}(?:[-*] \*{0,2}(?:(?:feature |proposal )?name|title)\*{0,2}:\*{0,2}|"
    r"title[ \t]*[:=])[ \t]*(?P<title>\S[^\n]*)$",
    re.M | re.I,
)
_NO_TITLE = re.compile(r"[|>][+-]?\s*$|.*(?:\{\{|\{%|<%)")  # YAML's blocks; a template's place
_HTML = re.compile(r"<h(?P<level>[1-3])\b[^>]*>(?P<title>.{3,400}?)</h(?P=level)>", re.S | re.I)
_TAG = re.compile(r"<[^>]*>|!?\[[^\]]*\]\([^)]*\)")
_BEFORE = re.compile(r"<!--[\s\S]*?-->|^(?:\.\. |[\[<!:]|import )[^\n]*", re.M)  # badges, anchors
_NUMBERED = re.compile(r"(?:part|section|chapter|appendix)\b|\d+(?:\.\d+)*[.)]? ", re.I)
_COMMON = frozenset(
    """
    abstract acceptance-criteria acknowledgements acknowledgments alternatives api appendix author
    authors background changelog conclusion conclusions configuration context contributing copyright
    credits definitions design development discussion documentation example examples faq features
    further-reading getting-started glossary goals implementation install installation introduction
    license licence limitations link links motivation non-goals note notes outline overview
    performance prerequisites problem problem-statement proposal purpose quick-start quickstart
    rationale references requirements resources roadmap scope see-also setup solution status summary
    table-of-contents testing tests title usage
    """.split()  # noqa: SIM905  # as a list it would take seventy lines
)
LONGEST = 160  # characters; more is no title


class Title(NamedTuple):
    """What a document is called, and whether that stands over all of its sections though no heading
    does.
    """

    text: str = ""
    over: bool = False


def title_of(text: str, language: str | None, tops: Collection[str]) -> Title:
    """The title of ``text``, of whose sections ``tops`` are the highest ones' headings.

    The first of several highest ones is over the others where it opens the text and a later one is
    called as sections are («References», «2. Terms»): of «Orders» and «Depots» neither is.
    """
    headings, listed = headings_in(text, language), _LISTED.match(text)
    first, several = next(headings, None), len(set(tops)) > 1
    title = _title_in(text, listed, first.start if first else 0)
    if title is not None:
        meta = listed is not None and listed["over"] is not None
        return Title(title, over=several or first is None or first.level > 1 or meta)
    if first is None:
        return Title()
    return Title(first.title, over=several and _opens(text, first) and _has_sections(headings))


def _title_in(text: str, listed: re.Match[str] | None, first: int) -> str | None:
    """What front matter, preamble, fields, or HTML before the ``first`` heading call the text."""
    before = _FRONT.match(text) or _PREAMBLE.match(text) or listed
    match = _TITLE.search(before.group()) if before else None
    if match is None or _NO_TITLE.match(match["title"]):
        match = _HTML.search(text, 0, first)
    title = _TAG.sub("", match["title"]).strip().strip("\"'`").strip() if match else ""
    return " ".join(title.split()) if 2 < len(title) <= LONGEST else None


def _opens(text: str, first: Heading) -> bool:
    """Whether ``first`` is no section's heading, and nothing is said before it."""
    front = _FRONT.match(text)
    before = _BEFORE.sub("", text[front.end() if front else 0 : first.start])
    return first.level == 1 and not before.strip() and not _is_section(first.title)


def _has_sections(headings: Iterable[Heading]) -> bool:
    return any(it.level == 1 and _is_section(it.title) for it in headings)


def _is_section(title: str) -> bool:
    """Whether sections of any document are called so."""
    return bool(_NUMBERED.match(title)) or title.strip(":. ").lower().replace(" ", "-") in _COMMON
