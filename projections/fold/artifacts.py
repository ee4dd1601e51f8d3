"""Artifacts: the present ones, versions with sections, citations and dependencies."""

from __future__ import annotations

from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.artifact import (
    ArtifactChanged,
    LatestSet,
    SectionGenerated,
    SpeculationEnded,
    StateChanged,
    VersionPublished,
    VersionRejected,
)
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section

UNDECIDABLE = "undecidable"  # why the writer gave up a position; nothing changes by it
PLAN = {"start_date", "end_date", "assignee_id", "sprint_id"}  # of features and tasks
# A section that comes again takes the place of what was written ahead of it before.
WRITTEN_AGAIN = (
    "UPDATE speculative_sections SET outcome = 'recomputed' WHERE artifact_id = %s"
    " AND section_id = %s AND input_ledger_seq < %s AND outcome IS NULL"
)
ENDED = (
    "UPDATE speculative_sections SET outcome = %s WHERE artifact_id = %s"
    " AND section_id = ANY(%s) AND input_ledger_seq <= %s AND outcome IS NULL"
)


def artifact_changed(rows: Rows, fact: Envelope, event: ArtifactChanged) -> None:
    """The position, its loops and its edit, and how far tasks and sprints are at it.

    What else it decided is read from the public topics. Those have no version for a status, and of
    an artifact's states they keep the last one.
    """
    rows.add(
        fact,
        "artifact_positions",
        {
            "project_id": fact.project_id,
            "artifact_seq": event.artifact_seq,
            "artifact_id": event.snapshot.artifact_id,
            "artifact_type": event.snapshot.artifact_type,
            "settled_run_id": event.settled_run_id,
            "input_ledger_seq": event.input_ledger_seq,
            "outcome": UNDECIDABLE if event.reason == UNDECIDABLE else event.outcome,
            "version": event.snapshot.version,
            "artifact_state": event.snapshot.artifact_state,
            "items": [
                {
                    "artifact_id": change.snapshot.artifact_id,
                    "version": change.snapshot.version,
                    "artifact_state": change.snapshot.artifact_state,
                    "outcome": change.outcome,
                }
                for change in event.items
            ],
        },
    )
    if event.edit is not None:
        answered = event.edit.model_dump() | {
            "request_event_id": event.caused_by_event_id,
            "artifact_seq": event.artifact_seq,
            "answered_at": fact.recorded_at,
        }
        rows.add(fact, "artifact_edits", answered)
    for loop in event.loops:
        place = {"project_id": fact.project_id, "artifact_seq": event.artifact_seq}
        rows.add(fact, "generation_loops", place | loop.model_dump(exclude={"continuations"}))
        for item_no, decision in enumerate(loop.continuations, 1):
            item = place | {"phase": loop.phase, "item_no": item_no}
            rows.add(fact, "loop_continuations", item | decision.model_dump())
    for change in event.items:
        if change.outcome in ("published", "state_changed"):
            _remember(rows, fact, event.artifact_seq, change.snapshot)


def _remember(rows: Rows, fact: Envelope, seq: int, item: ArtifactSnapshot) -> None:
    """How far a task or sprint is at this position."""
    at = {"artifact_id": item.artifact_id, "artifact_seq": seq, "changed_at": fact.occurred_at}
    if task := item.task:
        columns = {"sprint_id", "estimate_points", "status"}
        rows.add(fact, "task_history", at | task.model_dump(include=columns))
    if plan := item.sprint_plan:
        is_closed = plan.user_edited is not None and plan.user_edited.is_closed
        rows.add(fact, "sprint_history", at | {"is_closed": is_closed})


def version_published(rows: Rows, fact: Envelope, event: VersionPublished) -> None:
    snapshot = event.snapshot
    created = {"artifact_id": snapshot.artifact_id, "created_at": fact.recorded_at}
    rows.add(fact, "artifacts", created)
    version = _common(snapshot) | {
        "recomputed_sections": event.recomputed_sections,
        "reason": event.reason,
        "published_at": fact.recorded_at,
        "event_id": fact.event_id,
    }
    rows.add(fact, "artifact_versions", version)
    place = {"artifact_id": snapshot.artifact_id, "version": snapshot.version}
    for position, section in enumerate(snapshot.sections):
        _section(rows, fact, place, position, section)


def section_generated(rows: Rows, fact: Envelope, event: SectionGenerated) -> None:
    section = event.section
    place = (event.artifact_id, section.section_id, event.input_ledger_seq)
    rows.add(
        fact,
        "speculative_sections",
        {
            "artifact_id": event.artifact_id,
            "section_id": section.section_id,
            "input_ledger_seq": event.input_ledger_seq,
            "artifact_type": event.artifact_type,
            "title": event.title,
            "content": section,
            "input_hash": section.input_hash,
            "content_hash": section.content_hash,
            "lane": fact.lane,
            "run_id": fact.run_id,
            "generated_at": fact.recorded_at,
        },
    )
    rows.then(WRITTEN_AGAIN, place)


def speculation_ended(rows: Rows, fact: Envelope, event: SpeculationEnded) -> None:
    end = event.end
    for outcome in ("confirmed", "recomputed", "withdrawn"):
        if sections := getattr(end, outcome):
            rows.then(ENDED, (outcome, end.artifact_id, sections, event.input_ledger_seq))


def latest_set(rows: Rows, fact: Envelope, event: LatestSet) -> None:
    snapshot = event.snapshot
    present = _common(snapshot) | {
        "number": snapshot.number,
        "title": snapshot.title,
        "artifact_state": snapshot.artifact_state,
        "upstream_artifact_ids": snapshot.upstream_artifact_ids,
        "blocked_by": snapshot.blocked_by,
        "fields": _own(snapshot, leave_out=_plan_of(snapshot)),
        "plan": _own(snapshot, only=_plan_of(snapshot)),
        "quality_tier": snapshot.quality_tier,
        "quality_run_id": snapshot.quality_run_id,
        "updated_at": fact.recorded_at,
    }
    rows.add(fact, "artifacts", present)


def _plan_of(snapshot: ArtifactSnapshot) -> set[str]:
    return PLAN if snapshot.feature or snapshot.task else set()


def _own(
    snapshot: ArtifactSnapshot, only: set[str] | None = None, leave_out: set[str] | None = None
) -> dict[str, Any]:
    """What the type has besides its statements."""
    fields = snapshot.own
    return fields.model_dump(include=only, exclude=leave_out) if fields else {}


def _common(snapshot: ArtifactSnapshot) -> dict[str, Any]:
    return {
        "artifact_id": snapshot.artifact_id,
        "version": snapshot.version,
        "artifact_type": snapshot.artifact_type,
        "content": snapshot.sections,
        "content_hash": snapshot.content_hash,
        "rendered_markdown": snapshot.rendered_markdown,
        "lane": snapshot.lane,
        "engine": snapshot.engine,
        "model": snapshot.model,
        "prompt_version": snapshot.prompt_version,
        "run_id": snapshot.run_id,
        "input_ledger_seq": snapshot.input_ledger_seq,
        "edited_by": snapshot.edited_by,
    }


def _section(
    rows: Rows, fact: Envelope, place: dict[str, Any], position: int, section: Section
) -> None:
    place = place | {"section_id": section.section_id}
    rows.add(
        fact,
        "artifact_sections",
        place
        | {
            "position": position,
            "title": section.title,
            "state": section.state,
            "gap": section.gap,
            "statement_count": len(section.statements),
            "content_hash": section.content_hash,
            "input_hash": section.input_hash,
        },
    )
    for kind, depends_on, revision in _dependencies(section):
        on = {"depends_on_type": kind, "depends_on_id": depends_on, "revision": revision}
        rows.add(fact, "artifact_dependencies", place | on)
    for statement in section.statements:
        for citation in statement.citations:
            cited = {"atom_id": citation.atom_id, "atom_revision": citation.atom_revision}
            line = {"statement_id": statement.statement_id}
            rows.add(fact, "artifact_citations", place | line | cited)


def _dependencies(section: Section) -> list[tuple[str, str, int]]:
    """What the section must be written anew for: atoms with revision, and open contradictions."""
    atoms = {
        citation.atom_id: citation.atom_revision
        for statement in section.statements
        for citation in statement.citations
    }
    disputes = {
        contradiction_id
        for statement in section.statements
        for contradiction_id in statement.contradiction_ids
    }
    return [
        *(("atom", atom_id, atoms[atom_id]) for atom_id in sorted(atoms)),
        *(("contradiction", dispute, 0) for dispute in sorted(disputes)),
    ]


def state_changed(rows: Rows, fact: Envelope, event: StateChanged) -> None:
    rows.add(
        fact,
        "artifacts",
        {
            "artifact_id": event.artifact_id,
            "state_before": event.state_before,
            "reason_codes": event.reason_codes,
        },
    )


def version_rejected(rows: Rows, fact: Envelope, event: VersionRejected) -> None:
    rows.add(
        fact,
        "artifact_rejections",
        {
            "artifact_id": event.artifact_id,
            "version": event.version,
            "findings": event.findings,
            "rejected_at": fact.recorded_at,
        },
    )


FOLDS: dict[type[Event], Any] = {
    ArtifactChanged: artifact_changed,
    VersionPublished: version_published,
    SectionGenerated: section_generated,
    SpeculationEnded: speculation_ended,
    StateChanged: state_changed,
    LatestSet: latest_set,
    VersionRejected: version_rejected,
}
