"""What a document says of its own standing: proposed, accepted, rejected or superseded.

A record's chunks are read one by one, and only one of them holds its status. Without it, what was
proposed, or turned down, would be told as if it held. Said by a line of the head, by a section of
that name, by a notice, or else by the folder; a template's list of choices says nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from schemas.events.hygiene import DocumentStatus
from streams.hygiene.chunks.prose import Heading
from streams.hygiene.documents.notices import HEAD_CHARS, statuses_in_head
from streams.hygiene.documents.status_words import GONE, OWN_WORDS, WORDS, read_status

SECTION_CHARS = 600  # of a section of status; more tells of something else
_LINE = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\|[ \t]*)?[:*_]{0,3}"
    r"(?:#\+)?(?:current |document |record |proposal |decision |adr )?(?:status|estado|statut)"
    r"(?:[*_]{0,3}[ \t]*(?:(?:\n[ \t]{0,3})?:|\|)[:*_]{0,3}|[*_]{2,3}[ \t])[ \t]*"
    r"(?P<said>[^\n]{3,80})",
    re.IGNORECASE | re.MULTILINE,
)
_FIELD = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\|[ \t]*)?[:*_]{0,3}(?:state|life-?cycle|resolution|stand|"
    r"zustand|estado|état|verdict|disposition)[*_]{0,3}[ \t]*[:|][:*_]{0,3}[ \t|*_`]*"
    r"(?:(?:now|is|was|has been) )?(?P<said>[^\W\d_]{5,14})",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_ONE = re.compile(r"[ \t]+(?!on\b|in\b|at\b|by\b|since\b|as\b|and\b|durch\b|am\b|por\b)[a-z]")
_CELL = re.compile(
    r"^[ \t]*\|(?P<heads>[^\n]*\bstat(?:us|e)\b[^\n]*)\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*\n"
    r"[ \t]*\|(?P<cells>[^\n]*)\|[ \t]*(?:\n(?![ \t]*\|)|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
_OF_RECORDS = re.compile(
    r"|status|state|(?:[\w ]* )?(?:date|author|owner|decider|id|number|adr|rfc|title|version|"
    r"updated|created|by|reviewer|approver|type|on|created on|team|topic|decision)s?|no|#"
)  # columns of a table that tells of one document
_HTML_CELL = re.compile(
    r"<t[hd][^>]*>\W*(?:status|state)\W*</t[hd]>\s*<td[^>]*>\s*(?P<said>[^<\n]{3,80})",
    re.IGNORECASE,
)
_ANY_HEADING = re.compile(
    r"^(?:\#{1,6}|={1,6})[ \t]+\S|^\S[^\n]*\n(?:={3,}|-{3,}|~{3,}|\^{3,})[ \t]*$", re.MULTILINE
)
_CHOICE_OF_ALL = re.compile(r"\bproposed\b.{0,40}\baccepted\b.{0,40}\b(?:or|rejected)\b", re.I)
_SECTION = re.compile(
    r"^(?:(?:\#{1,4}|={2,5})[ \t]*(?:\d+\.?[ \t]+)?(?:decision |adr |current )?status[ \t:#]*|"
    r"status[ \t]*\n[-=~^]{4,}[ \t]*)\n"
    r"\s*(?P<said>[^\n]{3,80})",
    re.IGNORECASE | re.MULTILINE,
)
_NOTICE = re.compile(
    r"^[^\w\n]{0,40}(?:(?:note|notice|warning|caution|important|attention)\W{1,40})?"
    r"this (?:document|page|file|specification|spec|record|adr|rfc|proposal|design)"
    r"(?: is| has been| was| contains| describes)(?: an?| now| currently| some)* "
    r"(?:legacy|outdated|out of date|obsolete|deprecated|superseded|"
    r"no longer (?:maintained|valid))\b",
    re.IGNORECASE | re.MULTILINE,
)
_GONE = re.compile(
    r"^\W{0,6}(?:(?:note|notice|warning|caution|important|attention|deprecated)\W{1,40})?"
    r"(?:the )?(?P<what>[^\n.,:;]{3,60}?) (?:has|have) been "
    r"(?:(?:now|entirely|completely) )?(?:removed|replaced|superseded|deprecated|retired)\b",
    re.IGNORECASE | re.MULTILINE,
)
_BADGE = re.compile(
    r"!\[[^\]\n]*\]\([^)\s]*?/badge/(?:[\w%. ]*?(?:status|state|life-?cycle|stability|maturity)"
    r"[\w%. ]*?-{1,2})?(?P<said>[\w%.]+)-[\w.]+(?:[?)])|"
    r"!\[(?:status|state|life-?cycle)\W+(?P<alt>[\w ]{4,30})\]|"
    r"image::[^\s\[]*?/badge/(?:status|state|life-?cycle)-(?P<adoc>[\w%.]+)-",
    re.IGNORECASE,
)  # one that names nothing but a status, or calls itself so
_TAGGED = re.compile(
    r"(?:\#{1,2}|={1,2})[ \t]+(?:"
    r"[\[(*_`]{1,3}(?P<first>[^\W\d_][^\])*_`\n]{3,30})[\])*_`]{1,3}[ \t:]+\S|"
    r"(?P<shouted>[A-Z]{6,12})[ \t]*[:–—-]|"
    r"[^\n]*\S[ \t]+[\[(](?P<last>[^\[\]()\n]{4,40})[\])][ \t]*$|"
    r"[^\n]*\S[ \t]+(?:[–—|-][ \t]*(?P<dash>[A-Z]{6,12})|"
    r"[*_`]{1,3}(?P<code>[A-Za-z]{6,12})[*_`]{1,3})[ \t]*$|"
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
_WORD = re.compile(r"[a-zäöüß]+")
_DOCUMENTS = frozenset(
    ("docs", "doc", "adr", "adrs", "decisions", "rfc", "rfcs", "proposals", "designs", "design")
    + ("architecture", "notes", "wiki", "specs", "documentation")
)
_UNCHECKED = re.compile(r"[ \t]*[-*+][ \t]*\[ \]")


class ToldStatus(NamedTuple):
    """The status of a document, and whether it says that itself or its folder does."""

    status: DocumentStatus | None = None
    by: Literal["", "document", "folder"] = ""


def tell_status(text: str, path: str, title: str) -> ToldStatus:
    """The status of a document of sections; None where it says none or leaves the choice open.

    Of several that it says, one by which it holds no more counts: it was added last. Its folder
    counts where it says nothing itself.
    """
    own_statuses = list(_own_statuses(text, title))
    over = [it for it in own_statuses if it in ("rejected", "superseded")]
    for status in over or own_statuses:
        return ToldStatus(status, "document")
    folder = _status_of_folder(path)
    return ToldStatus(folder, "folder") if folder else ToldStatus()


def _own_statuses(text: str, title: str) -> Iterator[DocumentStatus]:
    """What a document says of itself, the plainest first."""
    if tagged := _tagged(text):
        yield tagged
    for match in _LINE.finditer(text, 0, HEAD_CHARS):
        if status := read_status(match["said"]):
            yield status
            break
    for match in _FIELD.finditer(text, 0, HEAD_CHARS):
        word = match["said"].lower()
        if word in OWN_WORDS and not _NOT_ONE.match(text, match.end()):
            yield WORDS[word]
    if (table := _CELL.search(text, 0, HEAD_CHARS)) and (status := _read_column(table)):
        yield status
    if (cell := _HTML_CELL.search(text, 0, HEAD_CHARS)) and (status := read_status(cell["said"])):
        yield status
    if (section := _SECTION.search(text)) and (status := _read_section(text, section)):
        yield status
    yield from statuses_in_head(text)
    if _NOTICE.search(text, 0, HEAD_CHARS) or _is_gone(text, title):
        yield "superseded"


def _status_of_folder(path: str) -> DocumentStatus | None:
    """What the name of a folder says of what is kept in it."""
    folders = path.lower().split("/")[:-1]
    for at, folder in enumerate(folders):
        if GONE.get(folder) and (folder != "archive" or _DOCUMENTS.intersection(folders[:at])):
            return GONE[folder]
    return None


def _read_section(text: str, section: re.Match[str]) -> DocumentStatus | None:
    """The status of a section of that name: the last of its lines that says one, or that it is
    replaced.
    """
    following = _ANY_HEADING.search(text, section.end())
    end = min(following.start() if following else len(text), section.start("said") + SECTION_CHARS)
    parts = text[section.start("said") : end].split("\n")
    lines = [it for it in parts if it.strip() and not _UNCHECKED.match(it)]
    if _CHOICE_OF_ALL.search(parts[0]):
        return None
    statuses = [status for line in lines if (status := read_status(line))]
    if "superseded" in statuses:
        return "superseded"
    return (
        statuses[-1] if statuses and read_status(lines[0]) else (statuses[0] if statuses else None)
    )


def _read_column(table: re.Match[str]) -> DocumentStatus | None:
    """The status in the only row of a table that has a column for it."""
    heads = [it.strip(" *_`").lower() for it in table["heads"].split("|")]
    cells = table["cells"].split("|")
    if not all(map(_OF_RECORDS.fullmatch, heads)):
        return None
    at = next((n for n, it in enumerate(heads) if it in ("status", "state")), len(cells))
    return read_status(cells[at]) if at < len(cells) else None


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
        if match := _LINE.match(line):
            return read_status(match["said"])
    return None


def _tagged(text: str) -> DocumentStatus | None:
    """The status in a tag of the first heading or a badge of the head, where one is there."""
    first = _FIRST_HEADING.search(text, 0, HEAD_CHARS)
    if first and (heading := _TAGGED.match(text, first.start())):
        if heading["struck"]:
            return "rejected"
        said = heading["first"] or heading["shouted"] or heading["last"] or ""
        said = said or heading["dash"] or heading["code"] or ""
        if (status := read_status(said)) in ("rejected", "superseded"):
            return status
    for badge in _BADGE.finditer(text, 0, HEAD_CHARS):
        said = re.sub(r"%20|_", " ", badge["said"] or badge["adoc"] or badge["alt"] or "")
        if (status := read_status(said)) in ("rejected", "superseded"):
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
