"""What stands before a document begins: its title, and what it says of itself in one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.segment.passages import Passage

_FIELD = re.compile(
    r"(?P<name>title|description|summary|excerpt|tagline|subtitle|abstract|lead)[ \t]*[:=][ \t]*"
    r"(?P<mark>[\"']?)(?P<said>\S[^\n]*?)(?P=mark)[ \t]*$",
    re.IGNORECASE,
)
_FOLDED = re.compile(
    r"(?P<name>description|summary|excerpt|abstract|lead)[ \t]*:[ \t]*[>|][-+]?[ \t]*$", re.I
)
_NO_TEXT = re.compile(r"[|>{\[&*!]|https?:")
MOST_LINES = 400


def count_lines(lines: Sequence[str]) -> int:
    """How many lines the front matter takes."""
    if lines[0].strip() not in ("---", "+++"):
        return 0
    marks = (lines[0].strip(), "...")
    for number, line in enumerate(lines[1:MOST_LINES], 1):
        if line.strip() in marks:
            return number + 1
    return 0


def describe(lines: Sequence[str], base: tuple[str, ...]) -> list[Passage]:
    """What the front matter, which ``lines`` are, says of the document, under its title."""
    title, fields, at = "", [], 0
    for number, line in enumerate(lines):
        if field := _FIELD.match(line):
            value = field["said"]
            if field["name"].lower() == "title":
                title = title or value
            elif not _NO_TEXT.match(value) and len(value.split()) > 2:
                fields.append((at + field.start("said"), at + field.end("said")))
        elif _FOLDED.match(line):
            end = at + len(line)
            for further in lines[number + 1 :]:
                if not further[:1].isspace():
                    break
                end += 1 + len(further)
            begin = at + len(line) + 1
            if end > begin + 2:
                fields.append((begin, end))
        at += len(line) + 1
    headings = base or ((title,) if title else ())
    return [Passage(*span, "paragraph", headings, opening=True, titled=True) for span in fields[:1]]
