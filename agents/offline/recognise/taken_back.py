"""Which passages of a text are taken back, by themselves or by what stands beside them, and which
quotations others said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.offline.lexicons import Wording
from agents.offline.recognise.disowned import is_reported
from agents.offline.recognise.stances import is_quoted, stance_of_label, stand_of_label, stand_over
from agents.offline.segment.passages import Passage
from agents.offline.segment.priorities import is_ranking
from agents.offline.segment.sections import Role, role_in, simplify
from agents.offline.segment.tags import (
    is_crossed,
    is_taken_back,
    label_of,
    stance_of_heading,
    status_in,
    takes_back,
)
from agents.offline.segment.wording import split_sentences, strip_markup

_ANSWERS = Wording("polarity", "answers")
TAKES_PRIOR = Wording("polarity", "takes_prior")
_ATTRIBUTED = re.compile(
    r"(?:\n[> \t]*(?:[—–]|--|- (?=[A-Z]))\s*[A-Z@][^\n]{2,80}|\n[> \t]*(?:[—–]|--)\s*[^\n]{3,60}|"
    r"[.!?*_\"”’][ \t]+(?:[—–]|--)[ \t]+[^\n.]{3,60})$"
)
_SENDER = re.compile(r"[> \t*_]*(?:From|Von|De)[*_]*: \S[^\n]*(?:\n|$)")  # of a letter
DENYING_ROLES: frozenset[Role] = frozenset(
    {"forbidden", "waived", "unsupported", "postponed", "non_goal", "rejected"}
)


def find_taken_back(text: str, passages: Sequence[Passage]) -> set[int]:
    """The places of passages that are taken back, and of quotations that others said."""
    gone: set[int] = set()
    things = find_labelled_things(text, passages)
    for at, passage in enumerate(passages):
        if passage.form == "heading":
            continue
        raw = text[passage.start : passage.end]
        if passage.form != "row" and is_ranking(text, passage.start, passage.end):
            continue  # what is left out is told as such
        asks = raw.rstrip("~ ").endswith("?")  # crossed off, as it is answered
        if (
            passage.form not in ("row", "record")
            and not asks
            and is_taken_back(raw, surely=passage.headings in things)
        ):
            gone |= {at, *_under(passages, at)}
        label = label_of(raw)
        if label and stance_of_heading(label, simplify(label)) == "others":
            gone.add(at)
        if label and passage.form != "row" and _is_label_gone(label):
            gone |= {at, *_under(passages, at)}
        if passage.form == "item" and stance_of_label(strip_markup(raw).rstrip(": ")):
            gone.add(at)  # a label that only denies what stands under it
        if passage.form == "quote" and _is_of_others(text, passages, at):
            gone.add(at)
        if any(takes_back(status_in(strip_markup(line))) for line in raw.split("\n")):
            gone |= _ruled_by(text, passages, at)
        if at and passage.form == "paragraph" and TAKES_PRIOR.match(_first(text, passage)):
            gone.add(at - 1)
    return gone


def _is_label_gone(label: str) -> bool:
    """Whether a label names what was rejected; words of a process may be states of things."""
    if stance_of_label(label) != "withdrawn":
        return False
    return len(label.split()) > 1 or stance_of_heading(label, simplify(label)) is None


def find_labelled_things(text: str, passages: Sequence[Passage]) -> set[tuple[str, ...]]:
    """The sections whose passages are labelled with names of things, as a list of states is."""
    return {
        it.headings
        for it in passages
        if it.form in ("item", "paragraph")
        and (label := label_of(text[it.start : it.end]))
        and label.replace(" ", "").isalpha()
        and len(label.split()) <= 2
        and not takes_back(label)
    }


def _first(text: str, passage: Passage) -> str:
    start, end = split_sentences(text, passage.start, passage.end)[0]
    return strip_markup(text[start:end])


def _under(passages: Sequence[Passage], at: int) -> Iterator[int]:
    """The places of what is nested under the item at ``at``."""
    own = (passages[at].start, passages[at].end)
    for later in range(at + 1, len(passages)):
        if own in passages[later].over:
            yield later
        elif passages[later].form == "heading":
            return


def _is_of_others(text: str, passages: Sequence[Passage], at: int) -> bool:
    """Whether somebody is named over or under a quotation, or the next paragraph answers it."""
    first, last = _block_of(text, passages, at)
    quote, end = passages[first], passages[last].end
    quoted = text[quote.start : end]
    if _ATTRIBUTED.search(quoted) or _SENDER.match(quoted) or is_reported(strip_markup(quoted)):
        return True
    before = passages[first - 1] if first else None
    if before is not None and before.headings == quote.headings and is_quoted(text, before):
        return True
    after = passages[last + 1] if last + 1 < len(passages) else None
    if after is None or after.form != "paragraph" or after.headings != quote.headings:
        return False
    return _ANSWERS.match(_first(text, after)) is not None


def _block_of(text: str, passages: Sequence[Passage], at: int) -> tuple[int, int]:
    """The first and the last place of the quotation that the one at ``at`` is a paragraph of."""
    first = last = at
    while first and _is_one_block(text, passages[first - 1], passages[first]):
        first -= 1
    while last + 1 < len(passages) and _is_one_block(text, passages[last], passages[last + 1]):
        last += 1
    return first, last


def _is_one_block(text: str, one: Passage, other: Passage) -> bool:
    """Whether nothing but lines of «>» is between two quoted paragraphs."""
    if one.form != "quote" or other.form != "quote":
        return False
    return re.fullmatch(r"[ \t]*\n(?:[ \t]*>[> \t]*+\n?)+", text[one.end : other.start]) is not None


def _ruled_by(text: str, passages: Sequence[Passage], at: int) -> set[int]:
    """The places of what a line of status speaks of: the item it stands under, or its section."""
    status = passages[at]
    if status.form in ("item", "task", "paragraph") and (parents := status.over):
        owner = next((n for n, it in enumerate(passages) if (it.start, it.end) == parents[-1]), at)
        if passages[owner].form in ("item", "task"):
            return {owner, at, *_under(passages, owner)}
    if len(status.headings) < 2:
        return {at}  # the document's own: it says so of all its statements
    section = [n for n, it in enumerate(passages) if it.headings == status.headings]
    lines = [n for n in section if _says_status(text, passages[n])]
    if len(lines) == 1:
        depth = len(status.headings)
        return {n for n, it in enumerate(passages) if it.headings[:depth] == status.headings}
    place = lines.index(at)
    if section[0] == lines[0]:
        end = lines[place + 1] if place + 1 < len(lines) else section[-1] + 1
        return {n for n in section if at <= n < end}
    begin = lines[place - 1] if place else -1
    return {n for n in section if begin < n <= at}


def _says_status(text: str, passage: Passage) -> bool:
    if passage.form == "heading":
        return False
    return any(status_in(strip_markup(it)) for it in text[passage.start : passage.end].split("\n"))


def find_asserted(text: str, passages: Sequence[Passage]) -> list[Passage]:
    """Of ``passages`` what its author states as it is worded: not taken back, denied or announced
    as something that is not so.
    """
    gone = find_taken_back(text, passages)
    return [
        it
        for at, it in enumerate(passages)
        if at not in gone
        and not is_crossed(text[it.start : it.end])
        and stand_of_label(text[it.start : it.end]) is None
        and ((stand := stand_over(text, it)) is None or stand.stance == "fine")
        and role_in(it.headings)[0] not in DENYING_ROLES
    ]
