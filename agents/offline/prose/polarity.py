"""Which passages their author states, and which are taken back, denied or said by others.

What is taken back or quoted to be answered is not read. What is denied is told with its denial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.offline.judge.features import mark_place
from agents.offline.lexicons import Wording
from agents.offline.prose.lists import widen_quotes
from agents.offline.recognise.cues import ANCHORED, EXPLICIT, Cue
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.stances import (
    Stand,
    is_unstated,
    stand_of_label,
    stand_of_row,
    stand_over,
)
from agents.offline.recognise.taken_back import (
    TAKES_PRIOR,
    find_labelled_things,
    find_taken_back,
)
from agents.offline.resolve.denials import deny, is_denied
from agents.offline.resolve.drafts import Draft, make_draft
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Sentence
from agents.offline.segment.prose import passages
from agents.offline.segment.sections import Role, role_in
from agents.offline.segment.tags import (
    Stance,
    is_crossed,
)
from agents.offline.segment.wording import strip_markup
from schemas.events.hygiene import ChunkCreated

_BINDS = Wording("polarity", "binds")
_TICK = re.compile(r"[✅✔☑✓👍]|:(?:white_check_mark|heavy_check_mark|ballot_box_with_check):")
_DOING = re.compile(r"\W*(?:not )?[a-z]+ing\b", re.IGNORECASE)
_NEEDS = re.compile(r"\b(?:must|shall|should|needs? to|ha(?:s|ve) to|muss|müssen|soll\w*)\b", re.I)
_WAIVED = Wording("polarity", "waived")
_REMARKABLE = frozenset({"forbidden", "waived", "unsupported", "postponed"})
DENYING: dict[Role, Stance] = {
    "forbidden": "forbidden",
    "waived": "waived",
    "unsupported": "unsupported",
    "postponed": "postponed",
}


def read_stands(
    text: str, chunk: ChunkCreated, *, whole: bool
) -> Iterator[tuple[Passage, Stand | None]]:
    """The passages that their author states, each with what stands over or beside it."""
    parts = passages(text, chunk.structure_path, chunk.path, whole=whole)
    crossed = [
        at
        for at, it in enumerate(parts)
        if it.form != "record" and is_crossed(text[it.start : it.end])
    ]
    gone = find_taken_back(text, parts) | _wishes_among(text, parts, crossed)
    things = find_labelled_things(text, parts)
    unread: dict[tuple[str, ...], int] = {}
    for at, passage in enumerate(parts):
        if at in gone:
            unread[passage.headings] = unread.get(passage.headings, 0) + 1
            continue
        if before := unread.get(passage.headings):  # what is left opens the section
            place = max(0, passage.place - before)
            passage = replace(passage, place=place, opening=passage.opening or place == 0)
        stand = stand_of_row(text, passage) if passage.form == "row" else None
        if own := stand_of_label(text[passage.start : passage.end]):
            labelled = strip_markup(text[passage.start : passage.end]).partition(":")[2]
            is_term = own.stance == "postponed" and passage.headings in things
            stand = stand if is_term or is_denied(labelled.lstrip(":")) else own
        stand = stand or stand_over(text, passage)
        stand = stand or (Stand("forbidden") if at in crossed else None)
        if stand is not None and stand.stance == "fine" and stand.by != passage.lead:
            passage = replace(passage, lead=None)  # an exception to what that announces
        if stand is None or stand.stance not in ("withdrawn", "others"):
            yield passage, stand


def denial_of(passage: Passage, role: Role, stand: Stand | None) -> Stand | None:
    """What denies a passage: an announcement, a cell of its row, or its heading."""
    if stand is not None:
        return stand if stand.stance in _REMARKABLE else None
    listed = passage.form in ("item", "task", "row")
    return Stand(DENYING[role]) if role in DENYING and listed else None


def deny_sentences(read: list[Sentence], denial: Stand) -> list[Sentence]:
    """``read`` with its first sentence denied; what follows explains that."""
    if not read or read[0].text.endswith("?"):
        return read
    denied = deny(read[0].text, denial)
    if not denied:
        return read[1:] if denial.by or denial.labelled else read
    return [replace(read[0], text=denied, denied_by=denial.by or read[0].span), *read[1:]]


def without_label(read: list[Sentence], stand: Stand | None) -> list[Sentence]:
    """``read`` without a label that denies its first sentence, which is told as denied."""
    if not read or stand is None or not stand.labelled:
        return read
    text = read[0].text.partition(":")[2].strip()
    return [replace(read[0], text=text), *read[1:]] if text else read[1:]


def without_taken_back(read: list[Sentence]) -> list[Sentence]:
    """``read`` without sentences that the next one takes back, and without that."""
    back = {at for at, it in enumerate(read) if TAKES_PRIOR.match(it.text)}
    return [it for at, it in enumerate(read) if at not in back and at + 1 not in back]


def without_unstated(
    read: list[Sentence], passage: Passage, role: Role, *, weighs: bool
) -> list[Sentence]:
    """``read`` without sentences that state nothing of the project."""
    feared = role == "risk"
    return [
        it
        for it in read
        if not is_unstated(it.text, passage.headings, feared=feared, weighs=weighs)
    ]


def keep_denied(read: list[Sentence]) -> list[Sentence]:
    """Of prose under a heading that denies what says so itself: the rest may mean either."""
    return [it for it in read if is_denied(it.text)]


def denied_draft(
    setting: Setting, passage: Passage, role: Role, sentence: Sentence, subject: str, place: Place
) -> Draft | None:
    """The draft of an item that something denies."""
    by = sentence.denied_by
    if by is None or (by == sentence.span and len(sentence.raw) < MIN_EVIDENCE_CHARS):
        return None
    over = "" if by == sentence.span else setting.text[slice(*by)]
    listed = role in ("requirement", "forbidden")
    binds = (listed or _BINDS.says(over)) and not _WAIVED.says(sentence.text)
    sure = EXPLICIT if listed else ANCHORED
    cue = Cue("requirement" if binds else "claim", sure, fragment=True)
    draft = make_draft(cue, sentence, passage.headings, subject, None, place, setting.text)
    if draft is None:
        return None
    frames = () if by in draft.spans else (by,)
    draft = replace(draft, polarity="negate", frames=(*draft.frames, *frames))
    draft = widen_quotes(draft, setting.text)
    return mark_place(draft, setting, passage, role, 0, led=True)


def _wishes_among(text: str, parts: Sequence[Passage], crossed: list[int]) -> set[int]:
    """Of ``crossed`` passages those that are refused: sentences that no tick stands beside.

    Beside ticks a sentence with a cross is a drawback, which is so; with a need it is refused all
    the same. What names a doing, where the ticks do too, is one that is not allowed.
    """
    gone = set()
    for at in list(crossed):
        words = strip_markup(text[parts[at].start : parts[at].end])
        beside = (it for it in parts if it.headings == parts[at].headings)
        ticked = [
            strip_markup(text[it.start : it.end]) for it in beside if _TICK.match(text, it.start)
        ]
        if _is_doing(words) and (not ticked or any(map(_is_doing, ticked))):
            continue
        crossed.remove(at)
        asked = role_in(parts[at].headings)[0] in ("requirement", "decision", "action_item")
        if not ticked or asked or _NEEDS.search(words):
            gone.add(at)
    return gone


def _is_doing(words: str) -> bool:
    return is_order(words) or _DOING.match(words) is not None
