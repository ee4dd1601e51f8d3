"""The title that a document gives itself before its text: in front matter or a proposal's preamble.

Documents of a site begin with ``title: Live views`` and have sections only; without it each would
be named after its first section or its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FRONT = re.compile(
    r"\A(?P<mark>---|\+\+\+)[ \t]*\n(?P<front>.{0,4000}?)\n(?:(?P=mark)|\.\.\.)[ \t]*$", re.S | re.M
)
_PREAMBLE = re.compile(
    r"\A\s*(?:```[^\n]*\n|<pre>\s*\n)?"
    r"(?:[ \t]*[A-Z][\w -]{1,24}:[^\n]*\n(?:[ \t]{4,}\S[^\n]*\n)*){3,20}"
)
_TITLE = re.compile(r"^[ \t]{0,4}title[ \t]*[:=][ \t]*(?P<title>\S[^\n]*)$", re.M | re.I)
_NO_TITLE = re.compile(r"[|>][+-]?\s*$|.*(?:\{\{|\{%|<%)")  # YAML's blocks; a template's place
_TOP = re.compile(r"^[#=] \S", re.M)
LONGEST = 160  # characters; more is no title


def title_over(text: str, paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The title before ``text`` as the heading over all sections, whose heading paths are
    ``paths``; nothing where it has none, or a first heading stands over all of them.
    """
    title = _title_in(text)
    if title is None:
        return ()
    tops = {path[0] for path in paths if path}
    return (title,) if len(tops) > 1 or _TOP.search(text) is None else ()


def _title_in(text: str) -> str | None:
    before = _FRONT.match(text) or _PREAMBLE.match(text)
    found = _TITLE.search(before.group()) if before else None
    if found is None or _NO_TITLE.match(found["title"]):
        return None
    title = found["title"].strip().strip("\"'").strip()
    return title if 2 < len(title) <= LONGEST else None
