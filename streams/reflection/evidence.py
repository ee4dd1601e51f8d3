"""Rules R2 to R6: which evidence rows of a candidate stand, and as what type."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.events.atom import Candidate, CandidateRow, Finding, JudgedRow, Reading
from schemas.events.hygiene import ChunkCreated
from streams.reflection.spans import (
    find_occurrences,
    is_carried_by_flagged,
    is_quoted,
    move_row,
    neighbourhood,
    sentence_starts,
)
from streams.reflection.words import STOPWORDS

MIN_SNIPPET_CHARS = 20
MAX_LOW_CONTENT_PERCENT = 75
CODE_ANCHORS = frozenset({"function", "class", "module", "entry"})
CODE_SOURCES = frozenset({"code", "entry_point", "config", "manifest"})
_TOKEN = re.compile(r"\w+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class JudgedEvidence:
    """The rows of one candidate after R2 to R6; ``findings`` name the row by its number from 0."""

    rows: list[CandidateRow]
    rejected: list[JudgedRow]
    findings: list[Finding]


def is_code(chunk: ChunkCreated) -> bool:
    return chunk.anchor_type in CODE_ANCHORS or chunk.source_type in CODE_SOURCES


def is_of_chunk(reading: Reading, chunk: ChunkCreated) -> bool:
    """Whether ``chunk`` is the one that was read, of the same source and hash."""
    read = (reading.chunk_id, reading.source_id, reading.sanitized_hash)
    return read == (chunk.chunk_id, chunk.source_id, chunk.sanitized_hash)


def is_inside_anchor(row: CandidateRow, chunk: ChunkCreated) -> bool:
    end = min(chunk.anchor_end, chunk.anchor_start + len(chunk.text_payload))
    return 0 <= chunk.anchor_start <= row.char_start < row.char_end <= end


def is_low_content(snippet: str, *, code: bool) -> bool:
    """Whether more than 75 % of the tokens are stopwords or symbols; no token at all is low too."""
    words = symbols = stopped = 0
    for token in _TOKEN.findall(snippet):
        if token[0].isalnum() or token[0] == "_":
            words += 1
            stopped += token.lower() in STOPWORDS
        else:
            symbols += 1
    low, every = (stopped, words) if code else (stopped + symbols, words + symbols)
    return not every or 100 * low > MAX_LOW_CONTENT_PERCENT * every


def _widen(row: CandidateRow, chunk: ChunkCreated) -> CandidateRow:
    """A short mention of an entity as a row over its sentence; as it was if it stands nowhere."""
    if not (is_inside_anchor(row, chunk) and is_quoted(row, chunk)):
        return row
    text, at = chunk.text_payload, chunk.anchor_start
    around = neighbourhood(
        sentence_starts(text),
        len(text),
        row.char_start - at,
        row.char_end - at,
        reach=0,
    )
    sentence = text[around].strip()
    if len(sentence) < MIN_SNIPPET_CHARS:
        return row
    start = around.start + len(text[around]) - len(text[around].lstrip())
    wide = move_row(row, chunk, start, start + len(sentence))
    return wide.model_copy(update={"snippet": sentence})


def _find_objections(row: CandidateRow, chunk: ChunkCreated, *, entity: bool) -> list[Finding]:
    found = []
    if not is_inside_anchor(row, chunk):
        found.append(Finding(rule="R3", code="invalid_anchor"))
    length = len(row.snippet.strip())
    if length < MIN_SNIPPET_CHARS and not (entity and length):
        found.append(Finding(rule="R4", code="snippet_too_short", detail=f"{length} characters"))
    if is_low_content(row.snippet, code=is_code(chunk)):
        found.append(Finding(rule="R5", code="snippet_low_content"))
    return found


def _correct_type(
    row: CandidateRow, chunk: ChunkCreated, statement: str
) -> tuple[CandidateRow, list[Finding]]:
    """R6: a quote that does not stand is moved to its only place, or is no quote; one whose flagged
    part carries the statement is no quote either.
    """
    found = []
    if row.evidence_type == "direct" and not is_quoted(row, chunk):
        places = find_occurrences(row.snippet, chunk.text_payload)
        if len(places) == 1:
            row = move_row(row, chunk, *places[0]).model_copy(update={"anchor_corrected": True})
        else:
            row = row.model_copy(update={"evidence_type": "inferred"})
            found.append(Finding(rule="R6", code="retyped_inferred"))
    if row.evidence_type != "annotation_only" and is_carried_by_flagged(row, chunk, statement):
        row = row.model_copy(update={"evidence_type": "annotation_only"})
        found.append(Finding(rule="R6", code="retyped_annotation_only"))
    return row, found


def judge_rows(
    candidate: Candidate, reading: Reading, chunk: ChunkCreated | None
) -> JudgedEvidence:
    """Rows that survive R2 to R5, typed by R6, in the candidate's order."""
    judged = JudgedEvidence([], [], [])
    entity = candidate.kind == "entity"
    for number, given in enumerate(candidate.evidence):
        row, objections = given, [Finding(rule="R2", code="missing_chunk")]
        typed: list[Finding] = []
        if chunk is not None and is_of_chunk(reading, chunk):
            if entity and len(row.snippet.strip()) < MIN_SNIPPET_CHARS:
                row = _widen(row, chunk)
            objections = _find_objections(row, chunk, entity=entity)
            if not objections:
                row, typed = _correct_type(row, chunk, f"{candidate.title}\n{candidate.body}")
        if objections:
            judged.rejected.append(JudgedRow(row=given, findings=objections))
        else:
            judged.rows.append(row)
        for finding in objections + typed:
            detail = f"row {number}" + (f": {finding.detail}" if finding.detail else "")
            judged.findings.append(finding.model_copy(update={"detail": detail}))
    return judged
