"""Readings for the tests of reflection; a test states only what it is about."""

from __future__ import annotations

from schemas.events.atom import (
    AtomReflected,
    Candidate,
    CandidateRow,
    CandidatesExtracted,
    EvidenceType,
    Judged,
    Reading,
    ReadOutcome,
)
from schemas.events.hygiene import ChunkCreated
from streams.reflection import reflect
from tests.reading.documents import a_chunk

TEXT = (
    "The broker keeps every record for seven days. "
    "A full disk may cause an outage of the cluster. "
    "We chose an append-only log because order matters.\n"
)
KEEPS = "The broker keeps every record for seven days."
OUTAGE = "A full disk may cause an outage of the cluster."
CHOSE = "We chose an append-only log because order matters."
CHUNK = a_chunk(TEXT)


def a_row(
    snippet: str = KEEPS,
    *,
    chunk: ChunkCreated = CHUNK,
    evidence_type: EvidenceType = "direct",
    start: int | None = None,
) -> CandidateRow:
    """The row of ``snippet`` where it stands in the chunk, or at ``start``."""
    begin = chunk.anchor_start + chunk.text_payload.index(snippet) if start is None else start
    return CandidateRow(
        char_start=begin,
        char_end=begin + len(snippet),
        line_start=chunk.line_start,
        line_end=chunk.line_start,
        snippet=snippet,
        evidence_type=evidence_type,
    )


def a_candidate(
    *rows: CandidateRow, kind: str = "claim", confidence: float = 0.72, impact: str | None = None
) -> Candidate:
    """It says what its first row quotes."""
    said = rows[0].snippet.strip() if rows else KEEPS
    return Candidate(
        candidate_id="cnd_1",
        kind=kind,
        title=said[:160].rstrip(".") or KEEPS,
        body=said or KEEPS,
        confidence=confidence,
        severity="high" if impact else None,
        impact=impact,
        evidence=list(rows or (a_row(),)),
    )


def a_reading(
    *candidates: Candidate, engine: str = "model", outcome: ReadOutcome = "extracted"
) -> CandidatesExtracted:
    return CandidatesExtracted(
        reading=Reading(
            run_id="run_1",
            batch_no=0,
            position=1,
            lane="deep",
            chunk_id="chk_1",
            source_id="src_1",
            sanitized_hash="hash_1",
            outcome=outcome,
            engine=engine,
            extractor_version="h1",
        ),
        candidates=list(candidates),
    )


def reflected(
    candidate: Candidate,
    chunk: ChunkCreated | None = CHUNK,
    *,
    engine: str = "model",
    has_model: bool = False,
) -> AtomReflected:
    return reflect(a_reading(candidate, engine=engine), chunk, has_model)


def judged(
    candidate: Candidate, chunk: ChunkCreated | None = CHUNK, *, engine: str = "model"
) -> Judged:
    """The one verdict on one candidate without a model."""
    result = reflected(candidate, chunk, engine=engine)
    (one,) = result.accepted + result.rejected
    return one


def codes(one: Judged) -> list[str]:
    return [finding.code for finding in one.findings]
