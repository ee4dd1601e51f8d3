"""What the owner wrote into a section of an artifact: each line is a statement for itself.

A line is read as if no other were there, so that a further one changes nothing of those before it.
What no rule takes as an item of its section is read as a paragraph would be. The title of a section
says what its lines are, or nothing; it is never what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agents.offline.prose.drafts import prose_drafts
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import Sentence, Span
from agents.offline.segment.sections import role_of
from schemas.events.hygiene import ChunkCreated

_LINE = re.compile(r"^- .*$", re.MULTILINE)
_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)
_MARK = len("- ")


def owned_drafts(chunk: ChunkCreated) -> tuple[list[Draft], list[Sentence]]:
    """Drafts in the order of the text, and its sentences, as for prose."""
    drafts: list[Draft] = []
    seen: list[Sentence] = []
    for line in _LINE.finditer(chunk.text_payload):
        listed, sentences = prose_drafts(_keep(chunk, line.span()))
        read, _ = prose_drafts(_keep(chunk, (line.start() + _MARK, line.end())))
        further = [it for it in read if not _is_in(it, listed)]
        drafts += sorted([*listed, *further], key=lambda it: it.spans[0])
        seen += sentences
    return drafts, seen


def _keep(chunk: ChunkCreated, span: Span) -> ChunkCreated:
    """The chunk with this part of its text and the titles that say what stands under them."""
    text, path = chunk.text_payload, chunk.structure_path
    kept = sorted([span, *_find_telling(text)])
    parts, end = [], 0
    for start, stop in kept:
        parts += [_blank(text[end:start]), text[start:stop]]
        end = stop
    return chunk.model_copy(
        update={
            "text_payload": "".join([*parts, _blank(text[end:])]),
            "structure_path": [heading for heading in path if role_of(heading) != "plain"],
            "path": "",
            "title": "",
        }
    )


def _find_telling(text: str) -> Iterator[Span]:
    return (it.span() for it in _TITLE.finditer(text) if role_of(it[1]) != "plain")


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _is_in(draft: Draft, others: Iterable[Draft]) -> bool:
    (start, end) = draft.spans[0]
    return any(start < stop and begin < end for it in others for begin, stop in it.spans)
