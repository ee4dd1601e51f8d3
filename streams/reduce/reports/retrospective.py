"""A sprint looked back on: what was done, what came in between, and what the ledger has gained.

The ledger's delta is that of the sprint: what changed after it had begun, up to its last day.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_reports import SprintReport
from schemas.events.artifact_sections import Citation, Statement
from schemas.events.ledger import AtomRecord
from schemas.ids import derive_id
from schemas.shortening import shorten
from streams.reduce.reports.report_lines import plan_of, tell_counts
from streams.reduce.texts.deltas import Changes, Span
from streams.reduce.texts.inputs import Pick
from streams.reduce.texts.wording import (
    MAX_POSITION,
    content_words,
    position,
    sentence,
    statement_of,
)

MAX_LINES = 10
NEW = "New in the ledger"
REPLACED = "Replaced in the ledger"
OPENED = "Contradictions opened"
SETTLED = "Contradictions settled"


@dataclass(frozen=True, slots=True)
class LedgerDelta:
    """What the ledger has gained, as the lines of each section; ``note`` counts all of it."""

    said: dict[str, list[Statement]]
    counts: dict[str, int]
    note: str


def span_of(sprint: ArtifactSnapshot, as_of: str, last_report: int) -> Span:
    """The positions of a sprint: after its beginning, on its days.

    Of a sprint that was planned after its last day, or after the day of the report, all positions
    after that; of one that has not begun, those after the retrospective before.
    """
    plan = plan_of(sprint)
    if not plan.committed_on:
        return Span(after_seq=last_report)
    last = min(plan.end_date, as_of)
    if plan.committed_on > last:
        return Span(after_seq=plan.committed_seq)
    return Span(after_seq=plan.committed_seq, first_day=plan.start_date, last_day=last)


def tell_delta(artifact_id: str, changes: Changes, span: Span) -> LedgerDelta:
    """The ledger's delta of these positions, each line with the atoms it is about."""
    counts, added = changes.within(span)
    new = [
        statement
        for atom in added[:MAX_LINES]
        if (statement := statement_of(artifact_id, "new_in_the_ledger", Pick(atoms=[atom])))
    ]
    replaced = changes.replaced_within(span)[:MAX_LINES]
    pairs = [_tell_replaced(artifact_id, old, now) for old, now in replaced]
    opened = [
        statement
        for found, sides in changes.contradictions_within(span, "opened")
        if len(sides) > 1
        and (
            statement := statement_of(
                artifact_id,
                "contradictions_opened",
                Pick(atoms=sides, contradictions=[found], paired=True),
            )
        )
    ]
    settled = [
        statement
        for _, sides in changes.contradictions_within(span, "closed")
        if sides and (statement := _tell_settled(artifact_id, sides))
    ]
    days = f" from {span.first_day} to {span.last_day}" if span.first_day else ""
    note = tell_counts(counts, f"Changes of the ledger{days}")
    more = counts.get("added", 0) - len(new)
    return LedgerDelta(
        {
            NEW: new,
            REPLACED: [pair for pair in pairs if pair],
            OPENED: opened[:MAX_LINES],
            SETTLED: settled[:MAX_LINES],
        },
        counts,
        f"{note} {more:,} of those added are not listed here." if more > 0 and new else note,
    )


def _tell_replaced(artifact_id: str, old: AtomRecord, now: AtomRecord) -> Statement | None:
    before, after = (shorten(position(one), MAX_POSITION) for one in (old, now))
    if not content_words(before) or not content_words(after):
        return None
    return _line(artifact_id, "replaced", f"{after}; before: {before}", [now, old])


def _tell_settled(artifact_id: str, sides: list[AtomRecord]) -> Statement | None:
    said = [shorten(position(side), MAX_POSITION) for side in sides]
    if not all(content_words(one) for one in said):
        return None
    return _line(artifact_id, "settled", f"It holds: {'; '.join(said)}", sides)


def _line(artifact_id: str, section_id: str, text: str, atoms: list[AtomRecord]) -> Statement:
    cited = sorted(atoms, key=lambda one: one.atom_id)
    return Statement(
        statement_id=derive_id("stm", artifact_id, section_id, *(one.atom_id for one in cited)),
        text=sentence(text),
        citations=[Citation(atom_id=one.atom_id, atom_revision=one.revision) for one in cited],
        provisional=all(atom.status == "draft" for atom in atoms),
        confidence=max(atom.confidence for atom in atoms),
    )


def tell_outcome(report: SprintReport) -> str:
    """The sprint in figures, for a note."""
    text = f"{report.completed_points} of {report.planned_points} points done"
    return f"{text}, {len(report.added)} of the tasks came in after the sprint had begun."
