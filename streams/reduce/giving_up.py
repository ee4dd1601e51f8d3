"""The answer to what cannot be decided or written: nothing changes, and what follows goes on.

Of a position nothing is lost, since the next one writes everything anew. A fact about the team is
taken in, for the plans that follow. Whoever requested an edit is told that it was not done; the
answer to the request of a report or of a list has nothing new. The ledger does not pass over what
it fails to decide: what it leaves out is missing for good.
"""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.change import ChangeRequested
from schemas.events.team import TeamFact
from schemas.ids import artifact_id as derive_artifact_id
from streams.reduce.edit_answers import refuse_edit
from streams.reduce.edits import RefusedEdit
from streams.reduce.inputs import DuePosition
from streams.reduce.members import apply_fact
from streams.reduce.pending_requests import Request
from streams.reduce.prd import empty_prd
from streams.reduce.state import ReduceState, settle
from streams.stage import Decision

UNDECIDABLE: Literal["undecidable"] = "undecidable"


def give_up(state: ReduceState) -> Decision | None:
    """What is due is answered without effect; None where nothing is, or where guesses end."""
    project = state.due_projects.first()
    if project is None or any(state.ended.with_prefix("")):
        return None
    if due := state.first_due(project):
        return Decision((_pass_over(state, project, due),))
    request = state.requests.first(project)
    return Decision((_refuse(state, project, request),)) if request else None


def _pass_over(state: ReduceState, project: str, due: DuePosition) -> Envelope:
    written, cause_id = state.written_of(project), str(due.cause.event_id)
    at = settle(written, due)
    if due.speculative:
        ahead = ArtifactSpeculated(caused_by_event_id=cause_id, input_ledger_seq=due.ledger_seq)
        return due.cause.caused(ahead, lane=due.lane or written.lane, run_id=due.run_id)
    prd_id = derive_artifact_id(project, "prd", "prd")
    answer = ArtifactChanged(
        artifact_seq=written.artifact_seq + 1,
        caused_by_event_id=cause_id,
        input_ledger_seq=due.ledger_seq,
        settled_run_id=due.run_id,
        outcome="unchanged",
        snapshot=written.prd or empty_prd(prd_id, at),
        reason=UNDECIDABLE,
    )
    return due.cause.caused(answer, lane=at.lane, run_id=at.run_id)


def _refuse(state: ReduceState, project: str, request: Request) -> Envelope:
    written, asked = state.written_of(project), request.event
    assert written.prd
    if isinstance(asked, ChangeRequested):
        is_prd = asked.artifact_id == written.prd.artifact_id
        known = written.prd if is_prd else state.items_of(project).get(asked.artifact_id)
        answer = refuse_edit(written, request, known, RefusedEdit(UNDECIDABLE))
    else:
        answer = ArtifactChanged(
            artifact_seq=written.artifact_seq + 1,
            caused_by_event_id=str(request.cause.event_id),
            input_ledger_seq=written.ledger_seq,
            outcome="unchanged",
            snapshot=written.prd,
            reason=UNDECIDABLE,
            team=apply_fact(written.team, asked) if isinstance(asked, TeamFact) else None,
        )
    return request.cause.caused(answer, lane=written.lane, run_id=written.run_id or None)
