"""Words in which documents say how they stand, in the languages that records are written in."""

from __future__ import annotations

import re
from typing import cast

from schemas.events.hygiene import DocumentStatus
from streams.lexicons import load_words, read_lexicons

WORDS: dict[str, DocumentStatus] = {
    word: cast(DocumentStatus, it.id)
    for it in read_lexicons("statuses")["statuses"].entries
    for word in it.words
}
GONE = {word: it for word, it in WORDS.items() if it in ("rejected", "superseded")}
OWN_WORDS = frozenset(WORDS) - load_words("statuses", "ambiguous")
_WORD = re.compile(r"[^\W\d_]+")
_FIRST_WORDS = 3  # among which the status is: «in review», «partially accepted», «work in progress»
_CHOICES = re.compile(r"[|/{?]|\bor\b")
_STRUCK = re.compile(r"~~[^~\n]*~~|<(s|del|strike)>.*?</\1>")
_NO_LONGER = re.compile(r"\W*no longer (?:valid|in (?:use|force|effect)|appl\w+|current|needed)\b")
_REFERS = re.compile(r"\W*see (?:\W|(?:adr|rfc|kep|decision|record)\b|\d)")


def read_status(line: str) -> DocumentStatus | None:
    """The status that a field or a line of a section says; None where it leaves it open."""
    line = _STRUCK.sub("", line.lower())
    if _NO_LONGER.match(line) or _REFERS.match(line):
        return "superseded"
    words = _WORD.findall(line)
    known = [WORDS[word] for word in words if word in WORDS]
    if not any(word in WORDS for word in words[:_FIRST_WORDS]):
        return None
    if len(set(known)) > 1 and _CHOICES.search(line):
        return None
    first = next(word for word in words if word in WORDS)
    if "not" in words[: words.index(first)]:
        return "rejected" if first == "planned" else "proposed"
    return "superseded" if "superseded" in known else known[0]
