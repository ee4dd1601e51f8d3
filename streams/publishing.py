"""The artifact publisher: spreads the writer's log over the topics that others read.

Stateless, so that a crash between two of its records is healed by doing it again with the same ids.
A position at which nothing differed leaves no trace on the public topics.
"""

from __future__ import annotations

from schemas.envelope import Envelope, Event
from schemas.events.artifact import (
    ArtifactChanged,
    ArtifactEdited,
    ArtifactSpeculated,
    ChangeRefused,
    LatestSet,
    SectionGenerated,
    SpeculationEnded,
    StateChanged,
    VersionPublished,
    VersionRejected,
)
from schemas.events.artifact_parts import ArtifactChange, EditAnswer
from schemas.events.hygiene import ChunkCreated
from schemas.quality_gate import describe_judgement
from streams.stage import Step


def spread(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The public facts of one answer of the writer: the PRD's, the items', the gate's judgements.

    Of each artifact the present state comes last.
    """
    answer = cause.event
    if isinstance(answer, ArtifactSpeculated):
        return _ahead(answer)
    if not isinstance(answer, ArtifactChanged):
        return []
    facts = [fact for change in (answer.prd, *answer.items) for fact in _facts(change)]
    if answer.edit is not None and not _is_about_nothing(answer.edit):
        of_edit = ChangeRefused if answer.edit.refusal else ArtifactEdited
        facts.append(of_edit(artifact_type=answer.edit.artifact_type, edit=answer.edit))
    for run in answer.quality_runs:
        facts += describe_judgement(run, answer.input_ledger_seq)
    return facts


def _is_about_nothing(edit: EditAnswer) -> bool:
    """Whether no artifact was to be changed: there is none of this id, or a model has told how it
    went through a list.
    """
    is_told = edit.editor_kind == "model" and not edit.section_ids
    return is_told or (edit.refusal is not None and not edit.version)


def _ahead(answer: ArtifactSpeculated) -> list[Event]:
    """The sections written ahead, then those that are settled or withdrawn."""
    generated = [
        SectionGenerated(
            artifact_id=change.snapshot.artifact_id,
            artifact_type=change.snapshot.artifact_type,
            title=change.snapshot.title,
            section=section,
            speculative=True,
            input_ledger_seq=answer.input_ledger_seq,
        )
        for change in answer.changes
        for section in change.snapshot.sections
        if section.section_id in change.recomputed_sections
    ]
    ended = [
        SpeculationEnded(end=end, input_ledger_seq=answer.input_ledger_seq) for end in answer.ended
    ]
    return [*generated, *ended]


def _facts(change: ArtifactChange) -> list[Event]:
    match change.outcome:
        case "published":
            published = VersionPublished(
                snapshot=change.snapshot,
                recomputed_sections=change.recomputed_sections,
                reason=change.reason,
            )
            return [published, *_move(change), LatestSet(snapshot=change.snapshot)]
        case "state_changed":
            return [*_move(change), LatestSet(snapshot=change.snapshot)]
        case "rejected":
            return [
                VersionRejected(
                    artifact_id=change.snapshot.artifact_id,
                    artifact_type=change.snapshot.artifact_type,
                    version=change.snapshot.version + 1,
                    findings=change.findings,
                )
            ]
        case "unchanged":
            return []


def _move(change: ArtifactChange) -> list[Event]:
    """The move of state, if the state is another than before."""
    after = change.snapshot
    if change.state_before == after.artifact_state:
        return []
    return [
        StateChanged(
            artifact_id=after.artifact_id,
            artifact_type=after.artifact_type,
            version=after.version,
            state_before=change.state_before,
            state_after=after.artifact_state,
            reason_codes=change.reason_codes,
            blocking_contradiction_ids=after.blocked_by,
        )
    ]


PUBLISH = Step(name="publish", inputs=("reduce.v1",), handle=spread)
