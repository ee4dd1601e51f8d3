"""The choice of a batch: a function of recorded states, never of what happens to be there.

Spec 06 §3. Scores are sums of five shares in a fixed order, rounded to 6 decimals; ties go by
source path, then position. Novelty looks at what the same run chose before: what another run
chooses at the same time is not recorded in any order between them, so it must not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.areas import Area
from schemas.events.ingestion import CandidateChunk, DecisionRule, NextBatchHint, ReasonCode
from streams.run_control.views import Candidate

TIER_VALUE = {1: 1.0, 2: 0.8, 3: 0.4}
TIER_SHARE, GAP_SHARE, NOVELTY_SHARE, STRUCTURE_SHARE, RECENCY_SHARE = 0.45, 0.25, 0.15, 0.10, 0.05
RECENCY_HALF_DAYS = 180.0
LISTED_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class Ranked:
    candidate: Candidate
    score: float


def rank(
    candidates: Iterable[Candidate], gaps: frozenset[Area], words_before: set[int]
) -> list[Ranked]:
    """The candidates, best first."""
    held = list(candidates)
    newest = max((c.source.source_time for c in held if c.source.source_time), default=None)
    ranked = [Ranked(c, expected_value(c, gaps, words_before, newest)) for c in held]
    ranked.sort(key=_order)
    return ranked


def expected_value(
    candidate: Candidate, gaps: frozenset[Area], words_before: set[int], newest: datetime | None
) -> float:
    """0 to 1: what reading the chunk is expected to be worth."""
    ref = candidate.ref
    known = sum(word in words_before for word in ref.words)
    novelty = 1 - known / len(ref.words) if ref.words else 0.0
    recency = 0.0
    if newest and candidate.source.source_time:
        days = (newest - candidate.source.source_time).total_seconds() / 86_400
        recency = 1 / (1 + days / RECENCY_HALF_DAYS)
    return round(
        TIER_SHARE * TIER_VALUE[candidate.source.source.priority_tier]
        + GAP_SHARE * (not gaps.isdisjoint(ref.areas))
        + NOVELTY_SHARE * novelty
        + STRUCTURE_SHARE * ref.structured
        + RECENCY_SHARE * recency,
        6,
    )


def hint(ranked: Sequence[Ranked], selected: Sequence[Ranked], gaps: list[Area]) -> NextBatchHint:
    """Why these chunks: the rule of the batch, and the best candidates with their scores."""
    targets = frozenset(gaps)
    shown = [
        CandidateChunk(
            chunk_id=entry.candidate.ref.chunk_id,
            source_id=entry.candidate.source.source.source_id,
            reason_code=_reason(entry.candidate, targets),
            expected_value_score=entry.score,
            priority_rank=place,
        )
        for place, entry in enumerate(ranked[:LISTED_CANDIDATES], start=1)
    ]
    return NextBatchHint(
        decision_rule=_rule([entry.candidate for entry in selected], targets),
        selected_chunk_ids=[entry.candidate.ref.chunk_id for entry in selected],
        candidate_chunks=shown,
        gaps_targeted=[
            area for area in gaps if any(area in entry.candidate.ref.areas for entry in selected)
        ],
    )


def _order(entry: Ranked) -> tuple[float, str, int, str]:
    ref = entry.candidate.ref
    return -entry.score, entry.candidate.source.source.path, ref.anchor_start, ref.chunk_id


def _rule(selected: Sequence[Candidate], gaps: frozenset[Area]) -> DecisionRule:
    if not selected:
        return "source_changes"
    if any(candidate.source.source.priority_tier <= 2 for candidate in selected):
        return "mandatory_set"
    if any(not gaps.isdisjoint(candidate.ref.areas) for candidate in selected):
        return "gap_fill"
    return "best_effort"


def _reason(candidate: Candidate, gaps: frozenset[Area]) -> ReasonCode:
    if candidate.changed:
        return "changed_content"
    if candidate.source.source.priority_tier <= 2:
        return "mandatory_set_uncovered"
    if not gaps.isdisjoint(candidate.ref.areas):
        return "gap_match"
    return "best_effort"
