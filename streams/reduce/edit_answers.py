"""The writer's answer to a request to change an artifact: a new version, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactChange, ArtifactSnapshot, EditAnswer
from schemas.events.change import ChangeRequested
from streams.reduce.artifacts.items import Settled
from streams.reduce.artifacts.states import list_cited
from streams.reduce.features.lists import Lists
from streams.reduce.pending_requests import Request
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.prd.prd import PrdAnswer, edit_prd
from streams.reduce.state import Written
from streams.reduce.texts.inputs import DuePosition, Grounds

REASONS = {
    "person": "edited",
    "quality_gate": "revised_by_quality_gate",
    "model": "worded_by_model",
}


def answer_edit(written: Written, basis: DuePosition, request: Request) -> ArtifactChanged:
    """At the position of the answer before, whose input is ``basis``; other artifacts stay."""
    asked = _read(request)
    assert written.prd
    try:
        prd = edit_prd(written.prd, asked, Grounds.of(basis.prd), settle_edit(written, request))
    except RefusedEdit as refused:
        known = written.prd if asked.artifact_id == written.prd.artifact_id else None
        return refuse_edit(written, request, known, refused)
    return tell_edit(written, request, prd)


def refuse_edit(
    written: Written, request: Request, artifact: ArtifactSnapshot | None, refused: RefusedEdit
) -> ArtifactChanged:
    """Nothing changes; ``artifact`` is what was to be changed, as it is; None: there is none."""
    assert written.prd
    known = artifact or written.prd
    told: dict[str, object] = {"refusal": refused.refusal, "findings": refused.findings}
    if artifact is None:
        told["version"] = 0
    edit = _describe(_read(request), known, known).model_copy(update=told)
    return _tell(written, request, keep_prd(written.prd), edit)


def tell_edit(
    written: Written, request: Request, prd: PrdAnswer, lists: Lists | None = None
) -> ArtifactChanged:
    """The answer that says what has changed, in the PRD or in ``lists``."""
    asked = _read(request)
    assert written.prd
    before, after = written.prd, prd.snapshot
    if lists is not None:
        known = lists.known.get(asked.artifact_id)
        after = _find(asked.artifact_id, lists.changes) or known or written.prd
        before = known or after  # of a new item nothing was there before
    return _tell(written, request, prd, _describe(asked, after, before), lists)


def keep_prd(prd: ArtifactSnapshot) -> PrdAnswer:
    return PrdAnswer("unchanged", prd, [], [], [])


def settle_edit(written: Written, request: Request) -> Settled:
    """A request is answered at the position of the answer before."""
    reason = REASONS[_read(request).editor_kind]
    day = request.cause.occurred_at.date().isoformat()
    return Settled(written.ledger_seq, written.run_id, written.lane, reason, day)


def _tell(
    written: Written,
    request: Request,
    prd: PrdAnswer,
    edit: EditAnswer,
    lists: Lists | None = None,
) -> ArtifactChanged:
    asked, before = _read(request), written.prd
    runs = [prd.quality_run] if prd.quality_run else []
    return ArtifactChanged(
        artifact_seq=written.artifact_seq + 1,
        caused_by_event_id=str(request.cause.event_id),
        input_ledger_seq=written.ledger_seq,
        outcome=prd.outcome,
        snapshot=prd.snapshot,
        recomputed_sections=prd.recomputed_sections,
        reason=REASONS[asked.editor_kind],
        state_before=before.artifact_state if before and before.version else None,
        reason_codes=prd.reason_codes,
        findings=prd.findings,
        items=lists.changes if lists else [],
        loops=[asked.loop] if asked.loop else [],
        quality_runs=[*runs, *(lists.quality_runs if lists else [])],
        edit=edit,
    )


def _read(request: Request) -> ChangeRequested:
    asked = request.event
    assert isinstance(asked, ChangeRequested)
    return asked


def _find(artifact_id: str, changes: Iterable[ArtifactChange]) -> ArtifactSnapshot | None:
    snapshots = (one.snapshot for one in changes if one.snapshot.artifact_id == artifact_id)
    return next(snapshots, None)


def _describe(
    asked: ChangeRequested, now: ArtifactSnapshot, before: ArtifactSnapshot
) -> EditAnswer:
    return EditAnswer(
        uncited_atom_ids=_list_uncited(before, now),
        artifact_id=asked.artifact_id,
        editor=asked.editor,
        editor_kind=asked.editor_kind,
        artifact_type=now.artifact_type,
        model=asked.model,
        section_ids=[section.section_id for section in asked.sections],
        expected_version=asked.expected_version,
        version=now.version,
    )


def _list_uncited(before: ArtifactSnapshot, now: ArtifactSnapshot) -> list[str]:
    cited = set(list_cited(now.sections))
    return [one for one in list_cited(before.sections) if one not in cited]
