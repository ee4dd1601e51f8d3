"""What a document says of its own standing: proposed, accepted, rejected or superseded.

A record's chunks are read one by one, and only one of them holds its status. Without it, what was
proposed, or turned down, would be told as if it held. Said by a line of the head, by a section of
that name, by a notice or the folder; a template's list of choices says nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from schemas.events.hygiene import DocumentStatus
from streams.hygiene.chunk_prose import Heading

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
_BADGE = re.compile(
    r"!\[[^\]\n]*\]\([^)\s]*?/badge/(?:[\w%. ]*?(?:status|state|life-?cycle|stability|maturity)"
    r"[\w%. ]*?-{1,2})?(?P<said>[\w%.]+)-[\w.]+(?:[?)])|"
    r"image::[^\s\[]*?/badge/(?:status|state|life-?cycle)-(?P<adoc>[\w%.]+)-",
    re.IGNORECASE,
)  # one that names nothing but a status, or calls itself so
_TAGGED = re.compile(
    r"(?:\#{1,2}|={1,2})[ \t]+(?:"
    r"[\[(*_`]{1,3}(?P<first>[^\W\d_][^\])*_`\n]{3,30})[\])*_`]{1,3}[ \t:]+\S|"
    r"(?P<shouted>[A-Z]{6,12})[ \t]*[:–—-]|"
    r"[^\n]*\S[ \t]+[\[(](?P<last>[^\[\]()\n]{4,40})[\])][ \t]*$|"
    r"(?P<struck>~~[^~\n]+~~)[ \t]*$)",
    re.MULTILINE,
)  # «# ADR 3: One lane (superseded by ADR 9)»
_FIRST_HEADING = re.compile(r"^(?:\#{1,2}|={1,2})[ \t]+\S", re.MULTILINE)
_OF_DOCUMENT = re.compile(
    r"(?:\d+[.)]? )?(?:meta ?data|meta|header|status|state|summary|preamble|abstract|overview|"
    r"about|introduction|context|info(?:rmation)?|details|document.*|decision|einleitung|übersicht|"
    r"examples?|templates?|samples?|usage|beispiele?)\b",
    re.IGNORECASE,
)  # sections whose line of status speaks of the document, or of nothing
_SAYS = re.compile(r"^(?![#=\s-])[^\n]*\w", re.MULTILINE)  # a line that is no heading
DEEPEST = 12  # sections that a piece may begin inside of
_FIRST_LINES = 4  # of a section, among which its own status stands
_LEAVING = ("migrat", "upgrad", "remov", "deprecat", "moving")  # what such a page tells is so
_WORDS_OF: dict[DocumentStatus, str] = {
    "proposed": """
        proposed proposal draft provisional pending review reviewing discussion progress wip idea
        hold defer deferred postponed open planned
        entwurf vorgeschlagen vorschlag offen geplant zurückgestellt
    """,
    "accepted": """
        accepted approved implemented implementable active adopted final finished done merged agreed
        decided complete completed stable angenommen akzeptiert beschlossen freigegeben umgesetzt
        gültig
    """,
    "rejected": """
        rejected declined withdrawn abandoned closed dropped reverted cancelled canceled retracted
        abgelehnt verworfen zurückgezogen storniert gestrichen
    """,
    "superseded": """
        superseded obsolete obsoleted replaced deprecated retired outdated archived historical
        legacy unmaintained defunct discontinued
        ersetzt abgelöst veraltet überholt obsolet archiviert
    """,
}
_WORDS = {word: status for status, words in _WORDS_OF.items() for word in words.split()}
_WORD = re.compile(r"[a-zäöüß]+")
_FIRST_WORDS = 3  # among which the status is: «in review», «partially accepted», «work in progress»
_CHOICES = re.compile(r"[|/{?]|\bor\b")


def status_of(text: str, path: str, title: str) -> DocumentStatus | None:
    """The status of a document of sections; None where it says none or leaves the choice open."""
    for folder in path.lower().split("/")[:-1]:
        if _WORDS.get(folder) in ("rejected", "superseded"):
            return _WORDS[folder]
    if _NOTICE.search(text, 0, HEAD_CHARS) or _is_gone(text, title):
        return "superseded"
    if tagged := _tagged(text):
        return tagged
    if "tatus" not in text and "TATUS" not in text:
        return None
    for found in (_LINE.search(text, 0, HEAD_CHARS), _SECTION.search(text)):
        if found and (status := _read_status(found["said"].lower())):
            return status
    return None


class SectionStatus(NamedTuple):
    """``[start, end)`` is a section with all that stands under its heading."""

    start: int
    end: int
    status: DocumentStatus


def statuses_of_sections(text: str, headings: Iterable[Heading]) -> list[SectionStatus]:
    """What sections say of their own standing: several records in one file have one each."""
    if "tatus" not in text and "TATUS" not in text:
        return []
    listed = list(headings)
    found = []
    for at, heading in enumerate(listed):
        following = listed[at + 1].start if at + 1 < len(listed) else len(text)
        status = _first_status(text[heading.start : following])
        if status is None or _OF_DOCUMENT.match(heading.title):
            continue
        later = next((it for it in islice(listed, at + 1, None) if it.level <= heading.level), None)
        if heading.level > 1 or (later is not None and later.level == 1):  # no document's title
            end = later.start if later else len(text)
            found.append(SectionStatus(heading.start, end, status))
    return found


def status_within(
    text: str, sections: Sequence[SectionStatus], start: int, end: int
) -> DocumentStatus | None:
    """The status of the innermost section that holds all that ``[start, end)`` says."""
    until = bisect_left(sections, end, key=lambda it: it.start)
    for section in reversed(sections[max(0, until - DEEPEST) : until]):
        before = text[start : max(start, section.start)]
        bare = not _SAYS.search(before)
        if bare and end <= section.end:
            return section.status
    return None


def _first_status(section: str) -> DocumentStatus | None:
    lines = [line for line in section.split("\n")[1:] if line.strip(" \t=-~^")][:_FIRST_LINES]
    for line in lines:
        if found := _LINE.match(line):
            return _read_status(found["said"].lower())
    return None


def _tagged(text: str) -> DocumentStatus | None:
    """The status in a tag of the first heading or a badge of the head, where one is there."""
    first = _FIRST_HEADING.search(text, 0, HEAD_CHARS)
    if first and (heading := _TAGGED.match(text, first.start())):
        if heading["struck"]:
            return "rejected"
        said = heading["first"] or heading["shouted"] or heading["last"] or ""
        if (status := _read_status(said.lower())) in ("rejected", "superseded"):
            return status
    for badge in _BADGE.finditer(text, 0, HEAD_CHARS):
        said = re.sub(r"%20|_", " ", badge["said"] or badge["adoc"] or "")
        if (status := _read_status(said.lower())) in ("rejected", "superseded"):
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
