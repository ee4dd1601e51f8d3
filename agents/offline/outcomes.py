"""What the offline reader makes of every sentence of a chunk, for those who miss one in the ledger.

It asks the reader's own steps in their order where each sentence was left. What reflection and the
ledger do with a proposal is not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.offline.prose.drafts import prose_drafts
from agents.offline.reader import drafts_of, propose_drafts
from agents.offline.recognise.noise import is_noise
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.masks import mask
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Span
from agents.offline.segment.placeholders import hide_placeholders
from agents.offline.segment.prose import dialect_of, passages
from agents.offline.segment.wording import split_sentences, strip_markup
from agents.offline.talk.drafts import is_talk, talk_drafts
from schemas.events.hygiene import ChunkCreated
from schemas.readers import has_comments, is_prose, is_silent, suffix_of

PROPOSED = "proposed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``[start, end)`` of the chunk's text, and how far the reader came with it."""

    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class _Steps:
    """The spans that each step of the reader left."""

    seen: Collection[Span]
    proposed: Sequence[Span]
    kept: Sequence[Span]


def outcomes_of(chunk: ChunkCreated) -> list[Outcome]:
    """The sentences of the chunk in their order, and what of its text is in no sentence."""
    if chunk.skip_reason is not None:
        return [_whole(chunk, f"the chunk is not read ({chunk.skip_reason})")]
    talk = is_talk(chunk.source_type)
    if not talk and (not is_prose(chunk.path, chunk.source_type) or is_silent(chunk.path)):
        return _outcomes_of_code(chunk)
    dialect = dialect_of(chunk.path)
    masked = hide_placeholders(mask(chunk.text_payload, dialect), dialect)
    text, base = masked.text, [masked.hide(it) for it in chunk.structure_path]
    parts = passages(text, base, chunk.path, whole=chunk.anchor_start == 0)
    _, seen = talk_drafts(chunk) if talk else prose_drafts(chunk)
    steps = _Steps(
        {it.span for it in seen}, _spans(propose_drafts(chunk)), _spans(drafts_of(chunk))
    )
    outcomes = [outcome for passage in parts for outcome in _outcomes_in(text, passage, steps)]
    return sorted([*outcomes, *_gaps(chunk.text_payload, parts)], key=lambda it: (it.start, it.end))


def _outcomes_of_code(chunk: ChunkCreated) -> list[Outcome]:
    """Comments that became proposals; what else code and data hold is not read."""
    commented = has_comments(suffix_of(chunk.path))
    rest = "only comments are read" if commented else "no reader looks at such a file"
    kept = [Outcome(*span, PROPOSED) for span in _spans(drafts_of(chunk))]
    return kept or [_whole(chunk, rest)]


def _whole(chunk: ChunkCreated, why: str) -> Outcome:
    return Outcome(0, len(chunk.text_payload), why)


def _spans(drafts: Iterable[Draft]) -> list[Span]:
    return [draft.spans[0] for draft in drafts]


def _outcomes_in(text: str, passage: Passage, steps: _Steps) -> Iterator[Outcome]:
    for start, end in split_sentences(text, passage.start, passage.end):
        yield Outcome(start, end, _reason(text, passage, (start, end), steps))


def _reason(text: str, passage: Passage, span: Span, steps: _Steps) -> str:
    """Where the reader left the sentence, asked from its last step back to its first."""
    if _meets(span, steps.kept):
        return PROPOSED
    if _meets(span, steps.proposed):
        return "too doubtful, or one of too many of its kind in this chunk"
    if passage.form == "heading":
        return "a heading"
    if passage.done:
        return "a task that is done"
    if span[1] - span[0] < MIN_EVIDENCE_CHARS:
        return f"shorter than {MIN_EVIDENCE_CHARS} characters"
    if is_noise(strip_markup(text[slice(*span)])):
        return "no sentence: a link, a name, a command or the like"
    if span not in steps.seen:
        return "taken back, or under a heading that states nothing of the project"
    return "not a statement: nothing in its words or its heading tells what kind it is"


def _meets(span: Span, others: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _gaps(text: str, parts: Sequence[Passage]) -> Iterator[Outcome]:
    """What stands between passages and is not blank."""
    ends = [0, *(passage.end for passage in parts)]
    starts = [*(passage.start for passage in parts), len(text)]
    for start, end in zip(ends, starts, strict=True):
        inner = text[start:end]
        if any(sign.isalnum() for sign in inner):
            first = start + len(inner) - len(inner.lstrip())
            yield Outcome(first, start + len(inner.rstrip()), "code, a table's head or markup")
