"""Whether its author owns a need: what is rejected, undecided, reported, doubted, former, another's
or only supposed binds nobody, however it is worded.

A modal says that something is needed, the clause that governs it says to whom. So a sentence is
read from its beginning, and from its end: what stands in between belongs to the need. Words of a
law, of a standard, of customers and of the team are their project's own. Decided against training
it: of 30,000 statements of public documents 36 are of this sort, too few to learn from.
"""

from __future__ import annotations

import re
from typing import Literal

from agents.offline.lexicons import Wording

Attribution = Literal[
    "rejected", "undecided", "reported", "doubted", "former", "others", "supposed"
]

MOST_CHARS = 400  # of a sentence; what is longer is read at its beginning
_LABELS: tuple[tuple[Attribution, Wording], ...] = (
    ("rejected", Wording("disowned", "rejected_label")),
    ("undecided", Wording("disowned", "undecided_label")),
)
_STARTS: tuple[tuple[Attribution, Wording], ...] = (
    ("doubted", Wording("disowned", "doubted")),
    ("undecided", Wording("disowned", "undecided")),
    ("reported", Wording("disowned", "reported")),
    ("others", Wording("disowned", "others")),
)
_ENDS: tuple[tuple[Attribution, Wording], ...] = (
    ("rejected", Wording("disowned", "rejected_after")),
    ("undecided", Wording("disowned", "undecided_after")),
    ("reported", Wording("disowned", "reported_after")),
    ("supposed", Wording("disowned", "supposed")),
)
_STATE = Wording("disowned", "state_label")
_FORMER = Wording("disowned", "former")
_NOW = Wording("disowned", "now")
_COMPARES = Wording("disowned", "compares")
_COMPARES_CLAUSE = Wording("disowned", "compares_clause")
_OPINION = Wording("disowned", "opinion")
_DISSENT_WITHIN = Wording("disowned", "dissent_within")
_DISSENT_NEXT = Wording("disowned", "dissent_next")
_OPPOSED_AT_END = Wording("disowned", "opposed_at_end")
_IDEA_OF = Wording("disowned", "idea_of")
_NOT_FOLLOWED = Wording("disowned", "not_followed")
_SUBORDINATE = Wording("disowned", "subordinate")
_MODAL = Wording("disowned", "modal")
_SPEAKER = Wording("disowned", "speaker")
_REPORTED = Wording("disowned", "reported")
_POINTS = Wording("disowned", "points")
_PRONOUN = re.compile(r"\W*(?:that|this|it)\b", re.IGNORECASE)
_LINK = re.compile(r"^[\s,;.–—-]+")
_RELATIVE = re.compile(r"\s*(?:which|who|whose|whom|where|that|in which|die|der|das|que)\b", re.I)
_UNLIKE_INSIDE = re.compile(r", (?:unlike|in contrast to|as opposed to)\b", re.IGNORECASE)
_QUOTATION = re.compile(r"[“„][^”“\n]{10,1200}[”“]|«[^»\n]{10,1200}»|\"[^\"\n]{10,1200}\"")
_BEFORE_QUOTATION = 160  # characters in which its speaker is named


def find_label(raw: str, *, listed: bool) -> Attribution | None:
    """What a label says of the need behind it: «Idea – the lift must sing».

    ``listed``: it is an item of a list, whose label may be a state of things.
    """
    raw = raw[:MOST_CHARS]
    for attribution, wording in _LABELS:
        if wording.match(raw):
            return attribution
    return "undecided" if not listed and _STATE.match(raw) else None


def find_attribution(text: str, before: str = "", after: str = "") -> Attribution | None:
    """How a sentence takes its need from its author; nothing where it is his own.

    ``before`` is the sentence before it, of which a pronoun may speak; ``after`` is the next one,
    which may contradict it.
    """
    text = " ".join(text[:MOST_CHARS].split())
    if not _SUBORDINATE.match(text):
        for attribution, wording in _STARTS:
            if wording.match(text):
                return attribution
    for attribution, wording in _ENDS:
        if wording.search(text):
            return attribution
    if (former := _FORMER.match(text)) and not _NOW.search(text, former.end()):
        return "former"
    if _is_comparison(text):
        return "others"
    if contradicted := _find_contradiction(text, " ".join(after[:MOST_CHARS].split())):
        return contradicted
    return "reported" if _POINTS.match(text) and _is_of_speaker(before) else None


def is_reported(text: str) -> bool:
    """Whether a text begins by telling what somebody outside the project says."""
    text = text[:MOST_CHARS]
    return _REPORTED.match(text) is not None and not _SUBORDINATE.match(text)


def is_of_nobody(lead: str) -> bool:
    """Whether an announcement takes from its author what stands under it."""
    if _SUBORDINATE.match(lead):
        return False
    return any(wording.match(lead) for _, wording in _STARTS)


def find_quotations(text: str) -> list[tuple[int, int]]:
    """The places between quotation marks that somebody outside the project has written."""
    quotations = []
    for quotation in _QUOTATION.finditer(text):
        start = quotation.start()
        line = text[max(0, start - _BEFORE_QUOTATION) : start + 1].rpartition("\n")[2]
        sentence = re.split(r"[.!?] (?=\S)", line)[-1].lstrip("> #*_-")
        if _REPORTED.match(sentence):
            quotations.append((start, quotation.end()))
    return quotations


def _find_contradiction(text: str, after: str) -> Attribution | None:
    """Whether it is what one person wants and the others do not, here or in the next sentence."""
    if (idea := _IDEA_OF.search(text)) and _is_left(text[idea.end() :] or after, after):
        return "rejected"
    if _PRONOUN.match(after) and (idea := _IDEA_OF.search(after)):
        return "rejected" if _is_left(after[idea.end() :]) else None
    if _OPPOSED_AT_END.says(text):
        return "reported"
    opinion = _OPINION.match(text)
    if opinion is None or _SUBORDINATE.match(text):
        return None
    match = _DISSENT_WITHIN.search(text, opinion.end()) or _DISSENT_NEXT.match(after)
    return "reported" if match else None


def _is_left(*following: str) -> bool:
    """Whether what follows an idea says that nobody took it up."""
    return any(_NOT_FOLLOWED.match(_LINK.sub("", it, count=1)) for it in following)


def _is_of_speaker(before: str) -> bool:
    return bool(before) and _SPEAKER.says(before[-MOST_CHARS:])


def _is_comparison(text: str) -> bool:
    """Whether only what is compared needs something: «Unlike X, which must …, ours runs»."""
    parts = text.split(",")
    if _COMPARES.match(text):
        begin = 2 if len(parts) > 1 and _RELATIVE.match(parts[1]) else 1
    elif _COMPARES_CLAUSE.match(text):
        begin = 1
    else:
        inside = _UNLIKE_INSIDE.search(text)
        return inside is not None and not _MODAL.says(text[: inside.start()])
    compared, own = ",".join(parts[:begin]), ",".join(parts[begin:])
    return bool(own and _MODAL.says(compared)) and not _MODAL.says(own)
