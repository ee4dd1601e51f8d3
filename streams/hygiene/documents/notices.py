"""What the head of a document says of its standing without a field of that name: in front matter,
on a line of its own, in a notice or in the title of an admonition.

Only what stands before the first section speaks of the whole document. Words of standing are
adjectives of other things, too («deprecated calls»): so a line counts where it begins with such a
word and ends there, or goes on with a date, a reason or a successor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.events.hygiene import DocumentStatus
from streams.hygiene.documents.status_words import GONE, OWN_WORDS, WORDS, read_status

HEAD_CHARS = 1_500  # of the beginning of a document
_MOST_LINES = 24  # of the head, which is seldom longer
_FRONT = re.compile(
    r"\A\s*(?P<mark>---|\+\+\+)[ \t]*\n(?P<front>.{0,4000}?)\n(?:(?P=mark)|\.\.\.)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FLAG = re.compile(
    r"^[ \t]*(?:#\+|:)?[\"']?(?:is[_-]?)?(?P<flag>archived?|deprecated|obsolete|outdated|"
    r"superseded|retired|inactive|withdrawn|rejected|cancell?ed|abandoned|historical|draft)"
    r"[\"']?[ \t]*[:=][ \t]*[\"']?(?:true|yes|on|1)[\"']?[ \t]*,?$",
    re.IGNORECASE | re.MULTILINE,
)
_FRONT_STATUS = re.compile(
    r"^[\"']?(?:status|state|lifecycle|stage|maturity|stand|estado)[\"']?[ \t]*[:=][ \t]*"
    r"(?P<said>[^\n#]{3,80})",
    re.IGNORECASE | re.MULTILINE,
)
_TAGGED = re.compile(r"\bstatus/(?P<said>[a-z]{5,12})\b", re.IGNORECASE)
_SUCCESSOR = re.compile(
    r"^[ \t>]*(?:[-*+|][ \t]*)?[*_]{0,3}[\"']?(?:superseded|replaced|obsoleted|deprecated)"
    r"[ _-](?:by|with)[\"']?[*_]{0,3}[ \t]*[:=|][*_ \t]*(?P<by>[^\n]{1,120})",
    re.IGNORECASE | re.MULTILINE,
)
_NOBODY = re.compile(r"\W*(?:null|none|nil|n/?a|nobody|nothing|tbd|no)?\W*$", re.IGNORECASE)
_BY_NOBODY = re.compile(
    r"[ _-]by\b\W*(?:null|none|nil|n/?a|nobody|nothing|tbd)?\W*$", re.IGNORECASE
)
_SECOND_HEADING = re.compile(
    r"^(?:\#{1,6}|={1,6})[ \t]+\S|^(?![.\[])\S[^\n]*\n(?:={3,}|-{3,}|~{3,}|\^{3,})[ \t]*$",
    re.MULTILINE,
)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_TITLED = re.compile(
    r"^[ \t>]*(?:(?:!!!|\?\?\?\+?|:{3,})[ \t]*+\{?(?P<kind>\w[\w-]*)?\}?[ \t]*+|"
    r"\[!(?P<sort>\w+)\][+-]?[ \t]*|"
    r"\.\. (?:admonition|warning|note|danger|attention|caution|important|error|hint|tip)::[ \t]*|"
    r"\[(?:WARNING|NOTE|CAUTION|IMPORTANT|TIP)\][ \t]*\n\.)"
    r"[\[\"(]?(?P<title>[^\n\])\"]{0,60})",
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"\b(?:title|heading|summary)[ \t]*=[ \t]*[\"'](?P<title>[^\"'\n]{3,60})")
_DIRECTIVE = re.compile(
    r"^[ \t]*\.\. deprecated::|^\{\{[<%]? ?(?P<kind>archived?|deprecated|obsolete|outdated|"
    r"superseded|historical)\b",
    re.MULTILINE | re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]*~~|<(s|del|strike)>.*?</\1>", re.IGNORECASE)
_MARKS = re.compile(r"<[^>\n]*>|!\[[^\]\n]*\]\([^)\n]*\)|(?<=\])\([^)\n]*\)|[\[\]*_`~]")
_OPENING = re.compile(r"^[\W_]*")
_LISTED = re.compile(r"[ \t>]*(?:[-+*][ \t]|\d+[.)][ \t]|\|)")
_SAID_FIRST = re.compile(
    r"^(?:(?:note|notice|warning|caution|important|attention|danger|info|tip|update|edit|hinweis|"
    r"achtung|please note(?: that)?|status|state)\b\W*)*",
    re.IGNORECASE,
)
_OWN = "|".join(sorted(OWN_WORDS, key=lambda it: (-len(it), it)))
_OWN_LINE = re.compile(rf"(?P<said>{_OWN})\b(?P<rest>[^\n]*)$", re.IGNORECASE)
_ENDS = re.compile(
    r"\W*$|\W*(?:on|in|at|since|as of|from|am|im|seit|el)?\W*(?:\d|(?:jan|feb|mar|apr|may|jun|"
    r"jul|aug|sep|oct|nov|dec)\w*\b)[^\n]{0,40}$",
    re.IGNORECASE,
)  # nothing, or a date
_GOES_ON = re.compile(
    r",? (?:by|in favou?r of|with|because|due to|as of|durch|por|and (?:replaced|superseded))\b|"
    r"[,;:.!)]*\s*(?:\(|[–—-]+\s*)?(?:please )?(?:see|use|read|refer|replaced|superseded|"
    r"obsoleted|moved|in favou?r|no longer|this|instead|kept|don['’]t|do not|siehe|wird nicht)\b",
    re.IGNORECASE,
)
_SHOUTED_REST = re.compile(r"\W*[:–—!.-]\W*[A-Za-z]")
_OF_DOCUMENT = re.compile(
    r"this (?:\w+ )?(?:document|documentation|page|file|specification|spec|record|adr|rfc|kep|"
    r"proposal|design|decision|article|guide|plan|note|approach)(?: (?:document|page|record|doc))? "
    r"(?:is|has been|was|has|got|contains|describes|should be considered)\b"
    r"(?: (?:an?|now|currently|some|since|later|therefore|formally|only|being|already|been|"
    r"considered|completely|largely|officially))* "
    r"(?P<word>out of date|out-of-date|no longer (?:maintained|valid|current|relevant|accurate|"
    r"in (?:use|force|effect)|up to date|applicable|applies)|"
    r"not (?:maintained|valid|current)(?: any ?more)?|never (?:been )?\w+|"
    r"not (?:been )?(?:accepted|approved)|kept (?:only )?for (?:historical|reference)|[a-z]+)\b",
    re.IGNORECASE,
)
_DIESES = re.compile(
    r"diese[sr]? (?:dokument|seite|entscheidung|adr|text) (?:ist|wurde)(?: \w+)? "
    r"(?P<word>[a-zäöüß]+)\b",
    re.IGNORECASE,
)
_ONLY_REFERS = re.compile(
    r"see (?:the )?(?:(?:adr|rfc|kep|decision)[ #-]*\d+|\[[^\]\n]+\]\([^)\n]+\))\W*$", re.IGNORECASE
)


def statuses_in_head(text: str) -> Iterator[DocumentStatus]:
    """The statuses that the head of ``text`` tells, in the order of how plainly it does."""
    front = _FRONT.match(text)
    if front:
        yield from _in_front_matter(front["front"])
    lead = _FENCED.sub("", _lead_of(text, front.end() if front else 0))
    for flag in _FLAG.finditer(lead):
        yield WORDS[flag["flag"].lower()]
    named = _SUCCESSOR.search(lead)
    if named and not _NOBODY.match(named["by"]):
        yield "superseded"
    if directive := _DIRECTIVE.search(lead):
        yield WORDS[(directive["kind"] or "deprecated").lower()]
    for found in (*_TITLED.finditer(lead), *_ATTRIBUTE.finditer(lead)):
        if status := _status_of_notice(found):
            yield status
    yield from _on_lines(lead)


def _lead_of(text: str, start: int) -> str:
    """What stands before the first section, with the title."""
    headings = _SECOND_HEADING.finditer(text, start, start + HEAD_CHARS)
    next(headings, None)
    second = next(headings, None)
    return text[start : second.start() if second else start + HEAD_CHARS]


def _in_front_matter(front: str) -> Iterator[DocumentStatus]:
    if (match := _FRONT_STATUS.search(front)) and (status := read_status(match["said"])):
        yield status
    for flag in _FLAG.finditer(front):
        yield WORDS[flag["flag"].lower()]
    if (tag := _TAGGED.search(front)) and (status := WORDS.get(tag["said"].lower())):
        yield status
    named = _SUCCESSOR.search(front)
    if named and not _NOBODY.match(named["by"]):
        yield "superseded"


def _status_of_notice(match: re.Match[str]) -> DocumentStatus | None:
    """The status that a notice is called after, by its title or its sort."""
    groups = match.groupdict()
    sort = (groups.get("kind") or groups.get("sort") or "").lower()
    if sort in GONE:
        return GONE[sort]
    line = _read_line(match["title"])
    return line if line in ("rejected", "superseded") else None


def _on_lines(lead: str) -> Iterator[DocumentStatus]:
    first = True
    for line in lead.split("\n")[:_MOST_LINES]:
        bare = line.strip(" \t>")
        if not bare or _SECOND_HEADING.match(line) or set(bare) <= set("=-~^"):
            continue
        if first and _ONLY_REFERS.match(bare):
            yield "superseded"
        first = False
        if status := _read_line(line, listed=_LISTED.match(line) is not None):
            yield status


def _read_line(line: str, *, listed: bool = False) -> DocumentStatus | None:
    """The status that a line says of its document; nothing where it speaks of something else."""
    words = _OPENING.sub("", _MARKS.sub("", _STRUCK.sub("", line))).strip()
    words = _SAID_FIRST.sub("", words, count=1)
    if whole := _OF_DOCUMENT.match(words) or _DIESES.match(words):
        word = whole["word"].lower()
        if word.startswith(("never", "not been", "not acc", "not app")):
            return "rejected"
        return GONE.get(word) or (None if word.isalpha() else "superseded")
    own = _OWN_LINE.match(words)
    if own is None or _BY_NOBODY.match(own["rest"]):
        return None
    status, rest = WORDS[own["said"].lower()], own["rest"]
    if _ENDS.match(rest):
        return status
    if status not in ("rejected", "superseded") or listed:
        return None
    shouted = own["said"].isupper() and _SHOUTED_REST.match(rest) is not None
    return status if shouted or _GOES_ON.match(rest) else None
