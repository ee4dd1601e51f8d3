"""What a document says of its own standing: proposed, accepted, rejected or superseded.

A record's chunks are read one by one, and only one of them holds its status. Without it, what was
proposed, or turned down, would be told as if it held. Said by a line of the head, by a section of
that name, by a notice or the folder; a template's list of choices says nothing.
"""

from __future__ import annotations

import re

from schemas.events.hygiene import DocumentStatus

HEAD_CHARS = 1_500  # a line further down is about something else
_LINE = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\|[ \t]*)?[:*_]{0,3}"
    r"(?:current |document |record |proposal )?status"
    r"(?:[*_]{0,3}[ \t]*[:|][:*_]{0,3}|[*_]{2,3}[ \t])[ \t]*(?P<said>[^\n]{3,80})",
    re.IGNORECASE | re.MULTILINE,
)
_SECTION = re.compile(
    r"^(?:(?:\#{1,4}|={2,5})[ \t]*(?:\d+\.?[ \t]+)?status[ \t:#]*|status[ \t]*\n[-=~^]{4,}[ \t]*)\n"
    r"\s*(?P<said>[^\n]{3,80})",
    re.IGNORECASE | re.MULTILINE,
)
_NOTICE = re.compile(
    r"^\W*(?:(?:note|notice|warning|caution|important|attention)\W+)?"
    r"this (?:document|page|file|specification|spec|record|adr|rfc|proposal|design)"
    r"(?: is| has been| was| contains| describes)(?: an?| now| currently| some)* "
    r"(?:legacy|outdated|out of date|obsolete|deprecated|superseded|"
    r"no longer (?:maintained|valid))\b",
    re.IGNORECASE | re.MULTILINE,
)
_GONE = re.compile(
    r"^\W{0,6}(?:(?:note|notice|warning|caution|important|attention|deprecated)\W+)?"
    r"(?:the )?(?P<what>[^\n.,:;]{3,60}?) (?:has|have) been "
    r"(?:(?:now|entirely|completely) )?(?:removed|replaced|superseded|deprecated|retired)\b",
    re.IGNORECASE | re.MULTILINE,
)
_LEAVING = ("migrat", "upgrad", "remov", "deprecat", "moving")  # what such a page tells is so
_WORDS_OF: dict[DocumentStatus, str] = {
    "proposed": """
        proposed proposal draft provisional pending review reviewing discussion progress wip idea
        hold defer deferred postponed open planned
    """,
    "accepted": """
        accepted approved implemented implementable active adopted final finished done merged agreed
        decided complete completed stable
    """,
    "rejected": """
        rejected declined withdrawn abandoned closed dropped reverted cancelled canceled
    """,
    "superseded": """
        superseded obsolete obsoleted replaced deprecated retired outdated archived historical
        legacy
    """,
}
_WORDS = {word: status for status, words in _WORDS_OF.items() for word in words.split()}
_WORD = re.compile(r"[a-z]+")
_FIRST_WORDS = 3  # among which the status is: «in review», «partially accepted», «work in progress»
_CHOICES = re.compile(r"[|/{?]|\bor\b")


def status_of(text: str, path: str, title: str) -> DocumentStatus | None:
    """The status of a document of sections; None where it says none or leaves the choice open."""
    for folder in path.lower().split("/")[:-1]:
        if _WORDS.get(folder) in ("rejected", "superseded"):
            return _WORDS[folder]
    if _NOTICE.search(text, 0, HEAD_CHARS) or _is_gone(text, title):
        return "superseded"
    if "tatus" not in text and "TATUS" not in text:
        return None
    for found in (_LINE.search(text, 0, HEAD_CHARS), _SECTION.search(text)):
        if found and (status := _read_status(found["said"].lower())):
            return status
    return None


def _is_gone(text: str, title: str) -> bool:
    """Whether the head says that what ``title`` names has been removed or replaced."""
    if text.find(" been ", 0, HEAD_CHARS) < 0:
        return False
    words = set(_WORD.findall(title.lower()))
    if any(word.startswith(_LEAVING) for word in words):
        return False
    told = (_WORD.findall(it["what"].lower()) for it in _GONE.finditer(text, 0, HEAD_CHARS))
    return any(set(it) <= words for it in told if it)


def _read_status(line: str) -> DocumentStatus | None:
    words = _WORD.findall(line)
    known = [_WORDS[word] for word in words if word in _WORDS]
    if not any(word in _WORDS for word in words[:_FIRST_WORDS]):
        return None
    if len(set(known)) > 1 and _CHOICES.search(line):
        return None
    first = next(word for word in words if word in _WORDS)
    if "not" in words[: words.index(first)]:
        return "rejected" if first == "planned" else "proposed"
    return "superseded" if "superseded" in known else known[0]
