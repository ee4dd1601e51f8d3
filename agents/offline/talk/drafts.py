"""Talk: tickets, comments, reviews and threads, read remark by remark.

What makes it different from a document: who speaks counts, a decision is taken in passing («let's
go with …»), a task is taken on («I'll add …») or handed over («@kim please …»), and a question may
have its answer below. The rest is read as prose, once what nobody says is blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.prose.drafts import prose_drafts
from agents.offline.prose.polarity import denial_of, read_stands
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.noise import is_noise, words_of
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.masks import mask
from agents.offline.segment.passages import Sentence
from agents.offline.segment.wording import split_sentences, strip_markup
from agents.offline.talk.cues import PERSONAL, find_decision, find_question, find_task, find_wish
from agents.offline.talk.noise import blank_unspoken
from schemas.events.hygiene import ChunkCreated
from schemas.readers import TALK_TYPES
from schemas.talk import RemarkSpan, remarks_in

_MEETING = Wording("sequels", "meetings")
_REPLIES = frozenset({"decision", "claim", "requirement", "action_item"})


def is_talk(source_type: str) -> bool:
    return source_type in TALK_TYPES


def remarks_of(chunk: ChunkCreated) -> list[RemarkSpan]:
    """The remarks a chunk holds; the path names the speaker of a part that begins inside of one."""
    text = chunk.text_payload
    inside = remarks_in(text)
    if chunk.part_index == 0 or (inside and inside[0].start == 0) or not chunk.structure_path:
        return inside
    first = inside[0].start if inside else len(text)
    before = remarks_in(f"## {chunk.structure_path[-1]}")
    return [*(replace(it, start=0, body=0, end=first) for it in before), *inside]


def talk_drafts(chunk: ChunkCreated) -> tuple[list[Draft], list[Sentence]]:
    """Drafts in the order of the text, answers naming their question; sentences as for prose."""
    remarks = remarks_of(chunk)
    text = mask(blank_unspoken(chunk.text_payload, remarks), "md")
    heard = chunk.model_copy(
        update={"text_payload": text, "structure_path": [], "path": "", "title": ""}
    )
    drafts, seen = prose_drafts(heard)
    own = list(_read_remarks(heard, remarks, chunk))
    taken = {draft.spans[0] for draft in own}
    rest = [
        it
        for it in drafts
        if it.spans[0] not in taken and not _is_personal(it) and it.kind != "entity"
    ]
    drafts = sorted((*own, *rest), key=lambda draft: draft.spans[0])
    return _link_answers(drafts, remarks), seen


def speaker_at(remarks: list[RemarkSpan], place: int) -> RemarkSpan | None:
    """The remark a place of the text is in."""
    return next((it for it in remarks if it.start <= place < it.end), None)


def _is_personal(draft: Draft) -> bool:
    """Whether it asks something of somebody here and now, and nothing of the project."""
    if draft.kind == "requirement":
        return _MEETING.says(draft.title)
    return draft.kind == "unknown" and PERSONAL.says(draft.title)


def _read_remarks(
    heard: ChunkCreated, remarks: list[RemarkSpan], chunk: ChunkCreated
) -> Iterator[Draft]:
    """What only talk says so: decisions in passing, and who does what."""
    text = heard.text_payload
    record = chunk.structure_path[0] if chunk.structure_path else chunk.title
    for passage, stand in read_stands(text, heard, whole=False):
        if passage.form in ("heading", "row") or passage.done or denial_of(passage, "plain", stand):
            continue
        for start, end in split_sentences(text, passage.start, passage.end):
            words = strip_markup(text[start:end])
            if len(words_of(words)) < 3 or is_noise(words):
                continue
            remark = speaker_at(remarks, start)
            speaker = remark.speaker if remark else ""
            reviewed = chunk.source_type == "review_comment"
            decision = (
                find_decision(words, record)
                or find_task(words, speaker, reviewed=reviewed)
                or find_question(words)
                or (find_wish(words) if chunk.source_type == "issue" else None)
            )
            if decision is not None:
                yield replace(
                    decision,
                    spans=((start, end),),
                    entities=tuple(names_in(text[start:end], words)),
                )


def _link_answers(drafts: list[Draft], remarks: list[RemarkSpan]) -> list[Draft]:
    """Each question's first reply by somebody else that takes up its words names the question."""
    result = list(drafts)
    for at, question in enumerate(drafts):
        if question.kind != "unknown":
            continue
        asker = speaker_at(remarks, question.spans[0][0])
        wanted = _content(question)
        for later in range(at + 1, len(drafts)):
            reply, by = drafts[later], speaker_at(remarks, drafts[later].spans[0][0])
            if by is None or asker is None or by.speaker == asker.speaker:
                continue
            shared = len(wanted & _content(reply))
            enough = 1 if reply.kind == "decision" else 2
            if reply.kind in _REPLIES and shared >= enough and not result[later].answers:
                result[later] = replace(result[later], answers=question.title)
                break
    return result


def _content(draft: Draft) -> frozenset[str]:
    return frozenset(word.lower()[:6] for word in words_of(draft.body) if len(word) > 3)
