"""The writer's answer to a request to change the PRD: a new version, or why there is none."""

from __future__ import annotations

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot, EditAnswer
from schemas.events.change import ChangeRequested
from streams.reduce.edits import RefusedEdit
from streams.reduce.inputs import DuePosition, Grounds
from streams.reduce.items import Settled
from streams.reduce.pending_requests import Request
from streams.reduce.prd import PrdAnswer, edit_prd
from streams.reduce.state import Written
from streams.reduce.states import list_cited

REASONS = {"person": "edited", "quality_gate": "revised_by_quality_gate"}


def answer_edit(written: Written, basis: DuePosition, request: Request) -> ArtifactChanged:
    """At the position of the answer before, whose input is ``basis``; other artifacts stay."""
    asked = request.event
    assert isinstance(asked, ChangeRequested) and written.prd
    before, at = written.prd, _settle(written, asked)
    try:
        prd = edit_prd(before, asked, Grounds.of(basis.prd), at)
        edit = _describe(asked, prd.snapshot, before)
    except RefusedEdit as refused:
        prd = PrdAnswer("unchanged", before, [], [], [])
        edit = _describe(asked, before, before).model_copy(
            update={"refusal": refused.refusal, "findings": refused.findings}
        )
    return ArtifactChanged(
        artifact_seq=written.artifact_seq + 1,
        caused_by_event_id=str(request.cause.event_id),
        input_ledger_seq=written.ledger_seq,
        outcome=prd.outcome,
        snapshot=prd.snapshot,
        recomputed_sections=prd.recomputed_sections,
        reason=at.reason,
        state_before=before.artifact_state if before.version else None,
        reason_codes=prd.reason_codes,
        quality_runs=[prd.quality_run] if prd.quality_run else [],
        edit=edit,
    )


def _settle(written: Written, asked: ChangeRequested) -> Settled:
    reason = REASONS[asked.editor_kind]
    return Settled(written.ledger_seq, written.run_id, written.lane, reason)


def _describe(
    asked: ChangeRequested, now: ArtifactSnapshot, before: ArtifactSnapshot
) -> EditAnswer:
    return EditAnswer(
        uncited_atom_ids=_list_uncited(before, now),
        artifact_id=asked.artifact_id,
        editor=asked.editor,
        editor_kind=asked.editor_kind,
        section_ids=[one.section_id for one in asked.sections],
        expected_version=asked.expected_version,
        version=now.version,
    )


def _list_uncited(before: ArtifactSnapshot, now: ArtifactSnapshot) -> list[str]:
    cited = set(list_cited(now.sections))
    return [one for one in list_cited(before.sections) if one not in cited]
