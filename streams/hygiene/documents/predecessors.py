"""Which documents this one replaces, where it alone says so: «Supersedes ADR-3».

Said in a field («supersedes: 3»), at the start of a sentence or line, or of «this decision». What
is replaced in part, or by another document, is not meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.events.hygiene import DocumentStatus
from streams.hygiene.documents.successor import resolve_link

MOST_NAMED = 20
MOST_CHARS = 60_000  # of a document
LONGEST = 120  # characters of a name
_VERB = (
    r"(?:supersedes?|superseding|replaces?|replacing|obsoletes?|obsoleting|ersetzt|"
    r"löst ab|reemplaza|sustituye|remplace)\b"
)
_SAID = re.compile(
    rf"^[ \t>]*(?:[-*+|][ \t]*|#{{1,4}}[ \t]+)?[:*_#\"']{{0,4}}{_VERB}[*_\"']{{0,3}}"
    r"[ \t]*+[:|]?[*_]{0,2}[ \t]*+(?P<field>[^\n]{0,400})|"
    r"\b(?:this|the present|our new|diese[rs]?|dieses|esta|cette) (?:[\w-]+ )?"
    r"(?:decision|adr|record|document|rfc|proposal|kep|design|spec|specification|entscheidung|"
    rf"dokument|decisión|décision|page|one)[^\n.]{{0,40}}?\b{_VERB}[: \t]*"
    r"(?P<said>[^\n]{1,300})|"
    rf"(?:^|[.;,(][ \t]+|\baccepted[^\w\n]{{1,3}})(?:and )?(?:it |this |which )?{_VERB}[: \t]*"
    r"(?P<clause>[^\n]{1,300})|"
    r"\bwe (?:hereby |therefore |now )?(?:supersede|replace|obsolete) (?P<we>[^\n]{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(r"[ \t]*-[ \t]+(?P<name>[^\n]{1,200})\n?")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n){0,2}")
_LINK = re.compile(r"\[(?P<name>[^\]\n]{1,160})\](?:\((?P<to>[^)\s]{1,300})[^)\n]*\))?")
_PATH = re.compile(r"[\w./-]{1,200}\.(?:mdx?|rst|adoc|org|txt)\b")
_RECORD = re.compile(
    r"(?:[a-z]{1,10}-)?\b(?:adr|rfc|kep|pep|rfd|decision|proposal|record|entscheidung)"
    r"s?[- #.:nr]{0,4}\d{1,6}\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[\s\"'#]*(?P<number>\d{1,6})(?=[\s\"',\]&;.]|$)")
_FURTHER = re.compile(
    r"(?:,|\band\b|&|\bund\b|/)\s*#?(?P<number>\d{1,6})\b(?![.\w])", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“„«'](?P<name>[^\"“”„«»'\n]{3,120})[\"”“»']")
_PART = re.compile(
    r"\b(?:partially|partly|in part|parts? of|sections? \S+ of|some of|teilweise|parcialmente)\b",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"\W*(?:null|none|nil|n/?a|nobody|nothing|tbd|no)?\W*$", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|nicht|would|could|may|might|should|if)\b", re.IGNORECASE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1|\Z)", re.MULTILINE)
_LISTING = re.compile(r"(?:readme|index|changelog|changes|history|news)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;](?:\s|$)|\bbecause\b|\bsince\b")


def predecessors_of(text: str, path: str, status: DocumentStatus | None) -> list[str]:
    """Paths, numbers or titles of what ``text`` replaces; none while that is not decided."""
    if status in ("proposed", "rejected") or _LISTING.match(path.rpartition("/")[2]):
        return []
    plain = _FENCED.sub("\n", text[:MOST_CHARS])
    names: dict[str, None] = {}
    for match in _SAID.finditer(plain):
        field = match["field"]
        said = field if field is not None else match["said"] or match["clause"] or match["we"]
        before = match.group()[: -len(said)] if said else match.group()
        if _PART.search(f"{before} {said}") or _DENIED.search(before):
            continue
        names |= dict.fromkeys(_names_in(said, path, is_field=field is not None))
        if field is not None and _NOBODY.match(field):
            names |= dict.fromkeys(_listed_after(plain, match.end(), path))
    return list(names)[:MOST_NAMED]


def _listed_after(text: str, at: int, path: str) -> Iterator[str]:
    """The items of a list under a field that says nothing itself."""
    at += len(_BLANK_LINES.match(text, at)[0])  # type: ignore[index]  # matches anything
    while item := _LISTED.match(text, at):
        yield from _names_in(item["name"], path, is_field=True)
        at = item.end()


def _names_in(text: str, path: str, *, is_field: bool) -> Iterator[str]:
    """What a sentence names: links, else files, else records and numbers, else a title."""
    ends = None if is_field else _SENTENCE.search(_PATH.sub(lambda it: "_" * len(it[0]), text))
    text = text[: ends.start()] if ends else text
    if _NOBODY.match(text):
        return
    links = list(_LINK.finditer(text))
    if any(it["to"] for it in links):
        yield from (resolve_link(it["to"], path) for it in links if it["to"])
        return
    if files := _PATH.findall(text):
        yield from (resolve_link(it, path) for it in files)
        return
    if records := [it.group() for it in _RECORD.finditer(text)]:
        yield from records
        yield from (it["number"] for it in _FURTHER.finditer(text))
        return
    if is_field and (number := _NUMBER.match(text.lstrip("[( "))):
        yield number["number"]
        yield from (it["number"] for it in _FURTHER.finditer(text))
        return
    if quoted := [it["name"] for it in _QUOTED.finditer(text)]:
        yield from quoted
    elif links:
        yield from (it["name"] for it in links)
    elif is_field and (name := text.strip(" \t*_`|.[]()")[:LONGEST]):
        yield name
