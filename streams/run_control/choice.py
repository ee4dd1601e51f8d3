"""The choice of a batch: a function of recorded states, never of what happens to be there.

Scores are sums of five weighted parts in a fixed order, rounded to 6 decimals; ties go by
source path, then position. Novelty looks at what the same run chose before: what another run
chooses at the same time is not recorded in any order between them, so it must not count.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from schemas.areas import Area
from schemas.events.ingestion import CandidateChunk, DecisionRule, NextBatchHint, ReasonCode
from schemas.events.ingestion_request import Trigger
from streams.run_control.run_view import Candidate

TIER_VALUE = {1: 1.0, 2: 0.8, 3: 0.4}
TIER_WEIGHT = 0.45
GAP_WEIGHT = 0.25
NOVELTY_WEIGHT = 0.15
STRUCTURE_WEIGHT = 0.10
RECENCY_WEIGHT = 0.05
RECENCY_HALF_DAYS = 180.0
CONTEXT_FLOOR = 0.95  # of a contradiction's context; above it, it is ranked like all others
HIGH_VALUE = 0.4  # as good as tier 3 gets without a gap: new, and with a structure
LISTED_CANDIDATES = 50
NAMED_SOURCES: frozenset[Trigger] = frozenset({"delta", "stale_evidence", "edit"})


@dataclass(frozen=True, slots=True)
class Ranked:
    candidate: Candidate
    score: float
    context: bool = False


def rank(
    candidates: Iterable[Candidate],
    gaps: frozenset[Area],
    words_before: set[int],
    context: Container[str] = (),
) -> list[Ranked]:
    """The candidates, best first; the ``context`` of contradictions before all others."""
    held = list(candidates)
    recency = recency_of({c.source.source_time for c in held})
    ranked = []
    for candidate in held:
        score = expected_value(candidate, gaps, words_before, recency[candidate.source.source_time])
        asked = candidate.ref.chunk_id in context
        if asked:
            score = round(CONTEXT_FLOOR + (1 - CONTEXT_FLOOR) * score, 6)
        ranked.append(Ranked(candidate, score, asked))
    ranked.sort(key=_order)
    return ranked


def recency_of(times: Set[datetime | None]) -> dict[datetime | None, float]:
    """1 for the newest, half of it after half a year, 0 without a time."""
    dated = [time for time in times if time]
    newest = max(dated, default=None)
    recency: dict[datetime | None, float] = {None: 0.0}
    for time in dated:
        days = (newest - time).total_seconds() / 86_400 if newest else 0.0
        recency[time] = 1 / (1 + days / RECENCY_HALF_DAYS)
    return recency


def expected_value(
    candidate: Candidate, gaps: frozenset[Area], words_before: set[int], recency: float
) -> float:
    """0 to 1: what reading the chunk is expected to be worth."""
    ref = candidate.ref
    known = sum(map(words_before.__contains__, ref.words))
    novelty = 1 - known / len(ref.words) if ref.words else 0.0
    return round(
        TIER_WEIGHT * TIER_VALUE[candidate.source.source.priority_tier]
        + GAP_WEIGHT * (not gaps.isdisjoint(ref.areas))
        + NOVELTY_WEIGHT * novelty
        + STRUCTURE_WEIGHT * ref.structured
        + RECENCY_WEIGHT * recency,
        6,
    )


def hint(
    ranked: Sequence[Ranked], selected: Sequence[Ranked], gaps: list[Area], trigger: Trigger
) -> NextBatchHint:
    """Why these chunks: the rule of the batch, and the best candidates with their scores."""
    targets = frozenset(gaps)
    shown = [
        CandidateChunk(
            chunk_id=entry.candidate.ref.chunk_id,
            source_id=entry.candidate.source.source.source_id,
            reason_code=_reason(entry, targets, trigger),
            expected_value_score=entry.score,
            priority_rank=place,
        )
        for place, entry in enumerate(ranked[:LISTED_CANDIDATES], start=1)
    ]
    return NextBatchHint(
        decision_rule=_rule(selected, targets, trigger),
        selected_chunk_ids=[entry.candidate.ref.chunk_id for entry in selected],
        candidate_chunks=shown,
        gaps_targeted=[
            area for area in gaps if any(area in entry.candidate.ref.areas for entry in selected)
        ],
    )


def _order(entry: Ranked) -> tuple[bool, float, str, int, str]:
    ref = entry.candidate.ref
    path = entry.candidate.source.source.path
    return not entry.context, -entry.score, path, ref.anchor_start, ref.chunk_id


def _rule(selected: Sequence[Ranked], gaps: frozenset[Area], trigger: Trigger) -> DecisionRule:
    """The first decision rule that holds for the batch."""
    if not selected:
        return "source_changes"
    if any(entry.context for entry in selected):
        return "contradiction_deep_dive"
    if any(_mandatory(entry) for entry in selected):
        return "mandatory_set"
    if trigger in NAMED_SOURCES:
        return "delta"
    if any(not gaps.isdisjoint(entry.candidate.ref.areas) for entry in selected):
        return "gap_fill"
    return "best_effort"


def _reason(entry: Ranked, gaps: frozenset[Area], trigger: Trigger) -> ReasonCode:
    if entry.context:
        return "contradiction_context"
    if trigger == "stale_evidence":
        return "stale_evidence"
    if entry.candidate.changed:
        return "changed_content"
    if _mandatory(entry):
        return "mandatory_set_uncovered"
    if not gaps.isdisjoint(entry.candidate.ref.areas):
        return "gap_match"
    return "high_value_source" if entry.score >= HIGH_VALUE else "best_effort"


def _mandatory(entry: Ranked) -> bool:
    return entry.candidate.source.source.priority_tier <= 2
