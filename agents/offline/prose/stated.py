"""The drafts of what a passage states and nothing is sure of: a layer below all others.

A sentence that leans on the one before is told with it, and both are one passage of evidence: half
a statement is worth less than a longer quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from agents.offline.judge.features import mark_place
from agents.offline.lexicons import Wording
from agents.offline.recognise import cues
from agents.offline.recognise.cues import Cue
from agents.offline.recognise.noise import needs_context, presents
from agents.offline.recognise.stated import find_stated, is_of_option
from agents.offline.resolve.drafts import Draft, make_draft
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Sentence, Span
from agents.offline.segment.sections import Role
from agents.offline.segment.wording import capitalise, drop_connective
from schemas.events.atom import MAX_TITLE
from schemas.events.hygiene import DocumentOption

UNSURE: frozenset[Role] = frozenset({"little", "mitigation"})  # of which nothing is sure
_UNSTATED = frozenset({"heading", "row", "task"})  # which other rules read
_ONLY_LINK = re.compile(r"\W*\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])\W*")
_POINTER = re.compile(r"\s*[(\[](?:see|cf\.?|read)\b[^()\[\]]*[)\]]", re.IGNORECASE)
_TIE = Wording("stated", "tie")
_PROVED = Wording("lists", "proved")
_APART = 60  # characters between a sentence and the one of the passage before that it leans on


class Read(NamedTuple):
    """A passage with what its headings make of it and its readable sentences."""

    passage: Passage
    role: Role
    direct: bool
    said: list[Sentence]
    option: DocumentOption | None = None


def is_unstated(read: Read) -> bool:
    """Whether nothing but rules speaks of a passage: what it says may be meant the other way."""
    passage = read.passage
    if passage.form in _UNSTATED or passage.done or read.role in ("non_goal", "terms"):
        return True
    if read.role == "unknown" and passage.over:  # leans to an answer, which nobody has given
        return True
    is_option = read.option is not None  # then it is known how the option stands
    if not is_option and is_of_option(passage.headings):
        return True
    return any(it.denied_by for it in read.said)


def stated_drafts(
    setting: Setting, read: Read, before: Read | None, place: Place, subject: str
) -> dict[Span, Draft]:
    """A draft of each sentence that states something, by the span of that sentence."""
    sentences = list(chain.from_iterable(_apart(it, setting.text) for it in read.said))
    guides = setting.teaches or read.role == "how_to"
    drafts: dict[Span, Draft] = {}
    for number, sentence in enumerate(sentences):
        if not _may_state(sentence):
            continue
        text = _POINTER.sub("", _TIE.sub("", drop_connective(sentence.text), count=1))
        listed = read.passage.form == "item"
        cue = find_stated(text, read.role, guides=guides, listed=listed)
        if cue is None:
            continue
        if cue.kind == "requirement" and _PROVED.match(place.label):
            cue = replace(cue, kind="claim")
        whole = replace(sentence, text=capitalise(text))
        if needs_context(text) and not presents(text):
            prior = sentences[number - 1] if number else _last_before(read, before)
            whole = _join(prior, whole, setting.text) if prior else whole
        made = (
            make_draft(it, whole, read.passage.headings, subject, None, place, setting.text)
            for it in _likely(cue)
        )
        if draft := next(filter(None, made), None):
            polarity = None if draft.kind == "unknown" else cues.polarity_of(text)
            draft = replace(draft, polarity=polarity)
            drafts[sentence.span] = mark_place(
                draft, setting, read.passage, read.role, number, led=False
            )
    return drafts


def _likely(cue: Cue) -> Iterator[Cue]:
    """What a sentence states, else that it claims it."""
    yield cue
    yield replace(cue, kind="claim", attributes={})


def add_stated(sure: Sequence[Draft], stated: dict[Span, Draft]) -> list[Draft]:
    """``sure`` and what else is ``stated``, in the order of the text; a claim knows its wording's
    kind.
    """
    spans = {span for draft in sure for span in draft.spans}
    kept = [
        replace(it, instead=other)
        if it.kind == "claim" and (other := stated.get(it.spans[0])) and other.kind != "claim"
        else it
        for it in sure
    ]
    rest = [draft for span, draft in stated.items() if span not in spans]
    rest = [it for it in rest if not any(_is_told_in(it, other) for other in rest)]
    return sorted([*kept, *rest], key=lambda draft: draft.spans[0])


def _is_told_in(draft: Draft, other: Draft) -> bool:
    """Whether a claim is told as what another one leans on."""
    (start, end), (begin, stop) = draft.spans[0], other.spans[0]
    longer = start == begin and end < stop and draft.kind == other.kind == "claim"
    return longer and draft.statement.lower() in other.title.lower()


def _may_state(sentence: Sentence) -> bool:
    if len(sentence.raw) < MIN_EVIDENCE_CHARS or _ONLY_LINK.fullmatch(sentence.raw):
        return False
    return not _is_set_as_title(sentence)


def _is_set_as_title(sentence: Sentence) -> bool:
    """Whether it is a question in bold, which what follows answers."""
    raw = sentence.raw.strip()
    return sentence.text.endswith("?") and raw.startswith("**") and raw.endswith("**")


def _apart(sentence: Sentence, text: str) -> Iterator[Sentence]:
    """A sentence and the reason after it, each by itself."""
    if sentence.following is None:
        yield sentence
    else:
        span = sentence.following
        yield replace(sentence, following=None, reason="")
        yield replace(
            sentence,
            span=span,
            raw=text[slice(*span)],
            text=sentence.reason,
            following=None,
            reason="",
        )


def _last_before(read: Read, before: Read | None) -> Sentence | None:
    """The last sentence of the paragraph before, where that is near."""
    if before is None or before.passage.form not in ("paragraph", "item") or not before.said:
        return None
    near = before.passage.headings == read.passage.headings
    apart = read.said[0].span[0] - before.said[-1].span[1]
    return before.said[-1] if near and 0 <= apart <= _APART else None


def _join(prior: Sentence, sentence: Sentence, text: str) -> Sentence:
    """Both as one sentence, where that is no longer than a title; else the latter with both as its
    evidence.
    """
    span = (prior.span[0], sentence.span[1])
    first = drop_connective(prior.text).rstrip(" .:")
    joined = f"{capitalise(first)}. {sentence.text}"
    statement = joined if len(joined) <= MAX_TITLE else sentence.text
    return replace(sentence, span=span, raw=text[slice(*span)], text=statement)
