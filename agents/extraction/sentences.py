"""The sentences of a chunk, numbered: a model names the number, our code knows the span.

Numbers cover the whole text, since what is not numbered cannot be cited. Where the offline
segmenter sees sentences they are its own; everything else (code, heads of tables, lists of options,
numbered facts) counts by lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.offline.segment.code_comments import comments
from agents.offline.segment.passages import Passage, Span
from agents.offline.segment.prose import passages
from agents.offline.segment.wording import split_sentences
from schemas.events.hygiene import Annotation, ChunkCreated
from schemas.numbered_facts import list_numbered_facts
from schemas.readers import has_comments, is_prose, suffix_of

SUSPECT_TYPES = frozenset({"prompt_injection", "hidden_markup", "encoded_payload"})


def number_sentences(chunk: ChunkCreated) -> list[Span]:
    """The spans of all sentences in order, without overlap; number 1 is the first one."""
    text = chunk.text_payload
    spans: list[Span] = []
    reached = 0
    for start, end in sorted(_sentences(chunk)):
        if start < reached or start >= end:
            continue
        spans += _lines(text, reached, start)
        spans.append((start, end))
        reached = end
    return spans + list(_lines(text, reached, len(text)))


def find_flagged(spans: Iterable[Span], chunk: ChunkCreated) -> list[bool]:
    """For each span whether stage 0 has flagged some of it as an attempt to steer a reader."""
    at = chunk.anchor_start
    flags = [it for it in chunk.annotations if it.annotation_type in SUSPECT_TYPES]
    return [any(_touches(it, at + start, at + end) for it in flags) for start, end in spans]


def _touches(flag: Annotation, start: int, end: int) -> bool:
    return flag.char_start < end and start < flag.char_end


def find_serial(chunk: ChunkCreated, start: int) -> int | None:
    """The number of the fact whose line ``start`` is in; None where the chunk is no list of facts
    of which the newer counts.
    """
    if not is_list_of_facts(chunk):
        return None
    lines = list_numbered_facts(chunk.text_payload)
    return next((it.number for it in lines if it.start <= start < it.end), None)


def is_list_of_facts(chunk: ChunkCreated) -> bool:
    """Whether each numbered line is a fact that a line with a larger number may replace."""
    return chunk.newer_facts_last and is_prose(chunk.path, chunk.source_type)


def _sentences(chunk: ChunkCreated) -> Iterator[Span]:
    text = chunk.text_payload
    if is_list_of_facts(chunk):
        return
    for passage in _passages(chunk):
        if passage.form in ("row", "record"):
            yield passage.start, passage.end
        else:
            yield from split_sentences(text, passage.start, passage.end)


def _passages(chunk: ChunkCreated) -> Iterable[Passage]:
    text, suffix = chunk.text_payload, suffix_of(chunk.path)
    if is_prose(chunk.path, chunk.source_type):
        return passages(text, chunk.structure_path, chunk.path, whole=chunk.anchor_start == 0)
    if has_comments(suffix):
        return [it for comment in comments(text, suffix) for it in comment.passages]
    return []


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of ``[start, end)`` that are not blank, without their outer blanks."""
    at = start
    for line in text[start:end].split("\n"):
        stripped = line.strip()
        if any(it.isalnum() for it in stripped):
            begin = at + line.index(stripped)
            yield begin, begin + len(stripped)
        at += len(line) + 1
