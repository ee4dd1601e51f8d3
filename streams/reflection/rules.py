"""Rules R1 and R7 to R14: what becomes of a candidate once its evidence is judged.

Every rule that speaks leaves a finding, also after one has rejected; the first rejecting one
decides. Penalties are rounded to six decimals, so that 0.70 less 0.15 is 0.55 and lies inside its
band.
"""

from __future__ import annotations

import math
from typing import Literal

from schemas.confirmations import CONFIRMED_BY
from schemas.events.atom import (
    BEYOND_LIMIT,
    KINDS,
    AtomReflected,
    Candidate,
    CandidateRow,
    CandidatesExtracted,
    Finding,
    Judged,
    Reading,
)
from schemas.events.hygiene import ChunkCreated
from schemas.versions import REFLECTION_VERSION
from streams.reflection.evidence import judge_rows
from streams.reflection.sampling import SAMPLED, may_ask, note_sampled
from streams.reflection.spans import count_disjoint, neighbourhood, sentence_starts
from streams.reflection.statement import CONCLUDED, RULE, compare_with_quote
from streams.reflection.words import CONSEQUENCE, NEGATIVE_VERB, QUANTITY

MODEL = "model"
ROWS_TO_BE_ACTIVE = 2
EVIDENCE_FLOOR = 1
INFERRED_PENALTY = 0.15
ANNOTATION_PENALTY = 0.30
HEURISTIC_CAP = 0.75
CONFIDENCE_THRESHOLD = 0.60
ADJUDICATION_MARGIN = 0.10
REJECT_BELOW = round(CONFIDENCE_THRESHOLD - ADJUDICATION_MARGIN, 6)
ACCEPT_FROM = round(CONFIDENCE_THRESHOLD + ADJUDICATION_MARGIN, 6)
REJECTING = frozenset(
    {
        "malformed",
        "beyond_chunk_limit",
        "risk_without_direct_impact",
        "below_evidence_floor",
        "low_confidence",
    }
)


def _is_well_formed(candidate: Candidate, reading: Reading) -> bool:
    provenance = (
        reading.run_id,
        reading.source_id,
        reading.sanitized_hash,
        reading.chunk_id,
        reading.engine,
        reading.extractor_version,
    )
    return (
        candidate.kind in KINDS
        and bool(candidate.title.strip())
        and bool(candidate.body.strip())
        and not math.isnan(candidate.confidence)
        and all(provenance)
    )


def shows_impact(text: str) -> bool:
    """Whether ``text`` names a consequence, or a quantity tied to a negative verb."""
    return CONSEQUENCE.says(text) or (QUANTITY.says(text) and NEGATIVE_VERB.says(text))


def _mark_impact(
    candidate: Candidate, rows: list[CandidateRow], chunk: ChunkCreated | None
) -> list[CandidateRow]:
    """A risk's rows, the direct ones marked that show the impact, or whose neighbours do."""
    if chunk is None or not (candidate.impact or "").strip():
        return [row.model_copy(update={"impact_indicator": False}) for row in rows]
    text, at = chunk.text_payload, chunk.anchor_start
    starts = sentence_starts(text)

    def is_shown(row: CandidateRow) -> bool:
        near = neighbourhood(starts, len(text), row.char_start - at, row.char_end - at, reach=1)
        return row.evidence_type == "direct" and shows_impact(text[near])

    return [row.model_copy(update={"impact_indicator": is_shown(row)}) for row in rows]


def _clamp(confidence: float) -> float:
    if math.isnan(confidence):
        return 0.0
    return round(min(1.0, max(0.0, confidence)), 6)


def _adjust(
    confidence: float, rows: list[CandidateRow], engine: str
) -> tuple[float, list[Finding]]:
    """R10 and R11: the confidence after penalty and cap."""
    confidence, found = _clamp(confidence), []
    types = {row.evidence_type for row in rows}
    if rows and "direct" not in types:
        penalty = INFERRED_PENALTY if "inferred" in types else ANNOTATION_PENALTY
        confidence = _clamp(confidence - penalty)
        found.append(Finding(rule="R10", code="confidence_downgraded", detail=f"-{penalty:.2f}"))
    if engine == "heuristic" and confidence > HEURISTIC_CAP:
        confidence = HEURISTIC_CAP
        found.append(Finding(rule="R11", code="engine_cap"))
    return confidence, found


def _check_floors(
    candidate: Candidate, rows: list[CandidateRow], *, by_model: bool
) -> list[Finding]:
    """R7 to R9. What the place of a single row confirms needs no second one; a model's word about
    its own statement confirms nothing.
    """
    found = []
    if candidate.kind == "risk" and not any(row.impact_indicator for row in rows):
        found.append(Finding(rule="R7", code="risk_without_direct_impact"))
    count = count_disjoint(rows)
    confirming = count_disjoint([row for row in rows if not row.framing])
    two_needed = candidate.kind in ("decision", "requirement")
    if two_needed and count and confirming < ROWS_TO_BE_ACTIVE:
        told = candidate.attributes.get(CONFIRMED_BY, "")
        confirmed_by = "" if by_model or not confirming else told
        code = "second_signal" if confirmed_by else "insufficient_evidence_draft"
        found.append(Finding(rule="R8", code=code, detail=confirmed_by))
    if count < EVIDENCE_FLOOR:
        found.append(Finding(rule="R9", code="below_evidence_floor"))
    return found


def _give_verdict(confidence: float, *, rejected: bool) -> list[Finding]:
    """R12 to R14."""
    if confidence < REJECT_BELOW:
        return [Finding(rule="R12", code="low_confidence")]
    if rejected:
        return []
    if confidence < ACCEPT_FROM:
        return [Finding(rule="R13", code="borderline")]
    return [Finding(rule="R14", code="accepted")]


def judge(
    candidate: Candidate, reading: Reading, chunk: ChunkCreated | None, has_model: bool
) -> Judged:
    """``candidate`` after all rules. Without a model nobody adjudicates: candidates in the band
    become drafts.
    """
    findings: list[Finding] = []
    if not _is_well_formed(candidate, reading):
        findings.append(Finding(rule="R1", code="malformed"))
    if BEYOND_LIMIT in candidate.attributes:
        findings.append(Finding(rule="R1", code="beyond_chunk_limit"))
    evidence = judge_rows(candidate, reading, chunk)
    by_model = (candidate.engine or reading.engine) == MODEL
    rows, compared, differs = compare_with_quote(candidate, evidence.rows, chunk, by_model=by_model)
    if candidate.kind == "risk":
        rows = _mark_impact(candidate, rows, chunk)
    confidence, adjustments = _adjust(
        candidate.confidence, rows, candidate.engine or reading.engine
    )
    findings += evidence.findings + compared + _check_floors(candidate, rows, by_model=by_model)
    findings += adjustments
    rejected = differs or any(finding.code in REJECTING for finding in findings)
    findings += _give_verdict(confidence, rejected=rejected)
    codes = {finding.code for finding in findings}
    borderline = "borderline" in codes
    unavailable = borderline and not has_model and confidence < CONFIDENCE_THRESHOLD
    concluded = any(it.rule == RULE and it.code == CONCLUDED for it in findings)
    flagged = bool(rows) and all(row.evidence_type == "annotation_only" for row in rows)
    status: Literal["active", "draft", "rejected"] = "active"
    if rejected or "low_confidence" in codes:
        status = "rejected"
    elif unavailable or concluded or flagged or "insufficient_evidence_draft" in codes:
        status = "draft"
    return Judged(
        candidate=candidate,
        status=status,
        confidence_before=_clamp(candidate.confidence),
        confidence_after=confidence,
        rows=rows,
        rejected_rows=evidence.rejected,
        findings=findings,
        adjudication="unavailable" if unavailable else None,
    )


def reflect(
    extracted: CandidatesExtracted,
    chunk: ChunkCreated | None,
    has_model: bool = False,
    sampled_percent: float = 0,
) -> AtomReflected:
    """The verdict on every candidate of one reading, in the reading's order.

    ``chunk`` is the one that was read; None or another one rejects every row as ``missing_chunk``.
    With ``has_model`` candidates in the band wait in ``adjudicate``, and a sample of the sure ones;
    without, that list is empty.
    """
    reading = extracted.reading
    if reading.outcome == "poison":
        return AtomReflected(
            reading=reading,
            reflection_version=REFLECTION_VERSION,
            chunk_partition=extracted.chunk_partition,
            chunk_offset=extracted.chunk_offset,
        )
    judged = [judge(candidate, reading, chunk, has_model) for candidate in extracted.candidates]
    if has_model and may_ask(reading):
        judged = [note_sampled(one, sampled_percent) for one in judged]
    rejected = [one for one in judged if one.status == "rejected"]
    waiting = [
        one
        for one in judged
        if has_model
        and one.status != "rejected"
        and any(finding.code in ("borderline", SAMPLED) for finding in one.findings)
    ]
    accepted = [one for one in judged if one.status != "rejected" and one not in waiting]
    return AtomReflected(
        reading=reading,
        accepted=accepted,
        rejected=rejected,
        adjudicate=waiting,
        reflection_version=REFLECTION_VERSION,
        chunk_partition=extracted.chunk_partition,
        chunk_offset=extracted.chunk_offset,
    )
