"""The offline reader: segments, recognises, chooses, and writes candidates with exact evidence.

What a source is decides how it is read: prose by section and wording, code and configuration by
their comments alone, manifests by their dependencies. Nothing else is read: data has no statements.
"""

from __future__ import annotations

from dataclasses import replace

from agents.offline.code.drafts import comment_drafts
from agents.offline.judge.capabilities import mark_features
from agents.offline.judge.origins import describe_standing
from agents.offline.judge.ownership import disown_drafts
from agents.offline.judge.records import weaken_recorded, weaken_unmerged
from agents.offline.judge.repeats import key_of_wording, measure_repeated
from agents.offline.judge.soundness import judge_drafts
from agents.offline.manifests.drafts import dependency_drafts
from agents.offline.prose.drafts import prose_drafts
from agents.offline.prose.numbered import numbered_drafts
from agents.offline.prose.owned import owned_drafts
from agents.offline.resolve.drafts import Draft, context_of
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Sentence, Span
from agents.offline.talk.drafts import is_talk, remarks_of, speaker_at, talk_drafts
from agents.reader import ReadRequest, describe_document, most_atoms
from schemas.events.atom import (
    BEYOND_LIMIT,
    Candidate,
    CandidateRow,
    CandidatesExtracted,
    Reading,
    Relation,
)
from schemas.events.hygiene import ChunkCreated
from schemas.ids import derive_id
from schemas.readers import has_comments, is_prose, suffix_of
from schemas.talk import RemarkSpan
from schemas.versions import EXTRACTOR_VERSION

ENGINE = "heuristic"
MAX_CODE_ATOMS = 4
MAX_CONFIG_ATOMS = 3


def extract(chunk: ChunkCreated, run_id: str = "", max_atoms: int = 25) -> list[Candidate]:
    """The candidates of a chunk in the order of its text, without the weakest beyond its limit."""
    made = _candidates(chunk, run_id, drafts_of(chunk), max_atoms)
    return [it for it in made if BEYOND_LIMIT not in it.attributes]


def _candidates(
    chunk: ChunkCreated, run_id: str, drafts: list[Draft], max_atoms: int
) -> list[Candidate]:
    most = len(drafts)
    if most > max_atoms and not chunk.newer_facts_last:
        most = most_atoms(max_atoms, len({it.spans[0] for it in drafts}))
    ranked = sorted(range(len(drafts)), key=lambda at: (-drafts[at].confidence, at))
    beyond = frozenset(ranked[max(0, most) :])
    remarks = remarks_of(chunk) if is_talk(chunk.source_type) else []
    made = [_candidate(chunk, run_id, *each, remarks) for each in enumerate(drafts)]
    questions = {it.title: it.candidate_id for it in made if it.kind == "unknown"}
    linked = (
        _link_answer(it, questions.get(draft.answers))
        for it, draft in zip(made, drafts, strict=True)
    )
    return [
        it.model_copy(update={"attributes": it.attributes | {BEYOND_LIMIT: "true"}})
        if at in beyond
        else it
        for at, it in enumerate(linked)
    ]


def _link_answer(candidate: Candidate, question: str | None) -> Candidate:
    """The candidate with its link to the question, which is another of the same reading."""
    if question is None:
        return candidate
    answer = Relation(to=question, link_type="supersedes")
    return candidate.model_copy(update={"relations": [*candidate.relations, answer]})


def drafts_of(chunk: ChunkCreated) -> list[Draft]:
    """All that is worth proposing, each statement once, in the order of the text."""
    if chunk.skip_reason is not None:
        return []
    if is_talk(chunk.source_type):
        drafts, sentences = talk_drafts(chunk)
        complete = [_add_second_passage(it, sentences) for it in _drop_repeats(drafts)]
        return disown_drafts(complete, chunk)
    if chunk.newer_facts_last and is_prose(chunk.path, chunk.source_type):
        return numbered_drafts(chunk)
    if chunk.source_type == "manifest":
        return _drop_repeats(dependency_drafts(chunk))
    judged = disown_drafts(judge_drafts(propose_drafts(chunk), chunk), chunk)
    return weaken_unmerged(mark_features(weaken_recorded(judged, chunk), chunk), chunk)


def propose_drafts(chunk: ChunkCreated) -> list[Draft]:
    """What prose and comments propose, before any of it is doubted."""
    if is_prose(chunk.path, chunk.source_type):
        owned = chunk.source_type == "edited_artifact"
        drafts, sentences = owned_drafts(chunk) if owned else prose_drafts(chunk)
        return [_add_second_passage(it, sentences) for it in _drop_repeats(drafts)]
    if not has_comments(suffix_of(chunk.path)):
        return []
    limit = MAX_CONFIG_ATOMS if chunk.source_type == "config" else MAX_CODE_ATOMS
    drafts = _drop_repeats(comment_drafts(chunk))
    ranked = sorted(range(len(drafts)), key=lambda at: (-drafts[at].confidence, at))[:limit]
    return [drafts[at] for at in sorted(ranked)]


def _drop_repeats(drafts: list[Draft]) -> list[Draft]:
    """The first of drafts with the same wording, whatever their kind."""
    unique: dict[tuple[str, ...], Draft] = {}
    for draft in drafts:
        spoken = "" if draft.kind != "entity" else "entity"
        unique.setdefault((spoken, *key_of_wording(draft.title)), draft)
    return list(unique.values())


def _add_second_passage(draft: Draft, sentences: list[Sentence]) -> Draft:
    """A decision or requirement with one row gets the passage that says the same again, if any."""
    if draft.kind not in ("decision", "requirement") or len(draft.spans) > 1:
        return draft
    best: tuple[float, Span] | None = None
    for sentence in sentences:
        if sentence.span == draft.spans[0] or len(sentence.raw) < MIN_EVIDENCE_CHARS:
            continue
        repeated = measure_repeated(draft.statement, sentence.text)
        if repeated and (best is None or repeated > best[0]):
            best = (repeated, sentence.span)
    return replace(draft, spans=(draft.spans[0], best[1])) if best else draft


def _row(
    chunk: ChunkCreated,
    span: Span,
    remarks: list[RemarkSpan],
    *,
    framing: bool,
    serial: int | None,
) -> CandidateRow:
    text = chunk.text_payload
    start, end = span
    remark = speaker_at(remarks, start)
    return CandidateRow(
        char_start=chunk.anchor_start + start,
        char_end=chunk.anchor_start + end,
        line_start=chunk.line_start + text.count("\n", 0, start),
        line_end=chunk.line_start + text.count("\n", 0, end - 1),
        snippet=text[start:end],
        impact_indicator=False,
        framing=framing,
        speaker=remark.speaker if remark else None,
        speaker_role=remark.role if remark else None,
        said_at=remark.at if remark else None,
        serial=serial,
    )


def _candidate(
    chunk: ChunkCreated, run_id: str, ordinal: int, draft: Draft, remarks: list[RemarkSpan]
) -> Candidate:
    spans = [draft.spans[0]]
    for start, end in (*draft.spans[1:], *draft.frames):
        if all(end <= a or start >= b for a, b in spans):
            spans.append((start, end))
    return Candidate(
        candidate_id=derive_id("cnd", chunk.chunk_id, run_id, EXTRACTOR_VERSION, ordinal),
        kind=draft.kind,
        title=draft.title,
        body=draft.body,
        polarity=draft.polarity,
        severity=draft.severity,
        impact=draft.impact,
        tags=list(draft.tags),
        area=draft.area,
        confidence=draft.confidence,
        proposed_status="draft" if draft.confidence < 0.6 else "active",
        attributes=draft.attributes
        | context_of(draft)
        | describe_standing(chunk, draft.statement, draft.spans[0][0]),
        entities=list(draft.entities),
        evidence=[
            _row(chunk, it, remarks, framing=it in draft.frames, serial=draft.serial)
            for it in spans
        ],
    )


class OfflineReader:
    """The reader that calls nobody: same request, same candidates, on every machine."""

    def read(self, request: ReadRequest) -> CandidatesExtracted:
        """Every reading succeeds; what exceeds the limit is marked and counted."""
        asked, chunk = request.request, request.chunk
        candidates = _candidates(chunk, asked.run_id, drafts_of(chunk), asked.max_atoms_per_chunk)
        return CandidatesExtracted(
            reading=Reading(
                run_id=asked.run_id,
                batch_no=asked.batch_no,
                position=asked.position,
                batch_size=asked.batch_size,
                lane=asked.lane,
                chunk_id=asked.chunk_id,
                source_id=asked.source_id,
                sanitized_hash=chunk.sanitized_hash,
                structure_path=chunk.structure_path,
                outcome="extracted",
                engine=ENGINE,
                extractor_version=EXTRACTOR_VERSION,
                input_tokens=chunk.token_estimate,
                truncated_atoms=sum(BEYOND_LIMIT in it.attributes for it in candidates),
                project_state_version=asked.project_state_version,
                document=describe_document(chunk),
            ),
            chunk_partition=asked.chunk_partition,
            chunk_offset=asked.chunk_offset,
            candidates=candidates,
        )
