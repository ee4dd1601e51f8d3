"""Which document replaces this one, where it says so: «Superseded by [ADR 9](0009-orders.md)»."""

from __future__ import annotations

import posixpath
import re

HEAD_CHARS = 3_000  # of a document, in which its status stands
LONGEST = 120  # characters of a name
_NAMED = re.compile(
    r"\b(?:superseded|replaced|obsoleted|deprecated|ersetzt|abgelöst|reemplazado|sustituido|remplacé)"
    r"[*_\"']{0,3}(?:[ _-](?:by|with|durch|por|par)|,? in favou?r of|[,;:–—-]+ ?(?:see|use))\b"
    r"[*_\"': \t|`]*(?P<by>[^\n]{2,300})|"
    r"\b(?:obsolete|retired|no longer valid|outdated|archived)\b[^\n.]{0,20}\bsee\b:?[ \t]*"
    r"(?P<see>[^\n]{2,300})|"
    r"^\W{0,6}see (?P<refers>(?:\[|(?:adr|rfc|kep|decision)\b)[^\n]{2,300})",
    re.IGNORECASE | re.MULTILINE,
)
_LINK = re.compile(
    r"[^\n\[\]]{0,40}?\[(?P<name>[^\]\n]{1,160})\](?:\((?P<to>[^)\s]{1,300})[^)\n]*\))?"
)
_RECORD = re.compile(
    r"(?:the |our )?[`*_]{0,2}(?P<name>(?:[a-z]{1,10}[- #])?(?:adr|rfc|kep|pep|rfd|decision|"
    r"proposal|record)[- #.:]*\d{1,6}|#?\d{1,6}\b)",
    re.IGNORECASE,
)
_PATH = re.compile(r"[`*_]{0,2}(?P<to>[\w./-]{1,200}\.(?:mdx?|rst|adoc|org|txt))\b")
_NOBODY = re.compile(r"\W*(?:null|none|nil|n/?a|nobody|nothing|tbd)?\W*$", re.IGNORECASE)
_ENDS = re.compile(r"[.,;:()|*_`\"'<>\n]| (?:on|in|at|because|since|as|which|and) ")


def successor_of(text: str, path: str) -> str | None:
    """The path of the document that replaces ``text``, where it links to it, else its name."""
    for match in _NAMED.finditer(text, 0, HEAD_CHARS):
        target = match["by"] or match["see"] or match["refers"]
        if _NOBODY.match(target):
            continue
        if (link := _LINK.match(target)) and not _ENDS.search(target[: link.start("name") - 1]):
            return resolve_link(link["to"], path) if link["to"] else link["name"].strip()
        if file := _PATH.match(target):
            return resolve_link(file["to"], path)
        if record := _RECORD.match(target):
            return record["name"].strip()
        if name := _ENDS.split(target, maxsplit=1)[0].strip()[:LONGEST]:
            return name
    return None


def resolve_link(target: str, path: str) -> str:
    """A link as a path of the same root; an address stays one."""
    bare = target.partition("#")[0]
    if not bare or "://" in bare:
        return target
    if bare.startswith("/"):
        return bare.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), bare))
