"""The answer to what cannot be decided or written: nothing changes, and what follows goes on.

Of a position nothing is lost, since the next one writes everything anew; a retry has one made, by
a change set of the ledger without effect. A fact about the team is taken in, for the plans that
follow. Whoever requested an edit is told that it was not done; the answer to the request of a
report or of a list has nothing new; a retry asks once more.
"""

from __future__ import annotations

from typing import Literal

from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.change import ChangeRequested
from schemas.events.ledger import LedgerChanged, Turn
from schemas.events.ledger_retry import LedgerRetryRequested
from schemas.events.team import TeamFact
from schemas.ids import artifact_id as derive_artifact_id
from streams.cause import Cause
from streams.reduce.edit_answers import refuse_edit
from streams.reduce.pending_requests import Request
from streams.reduce.plan.members import apply_fact
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.prd.prd import empty_prd
from streams.reduce.state import ReduceState, due_key, pass_over_answer, settle, take_speculation
from streams.reduce.texts.inputs import DuePosition
from streams.stage import Decision, Record
from streams.undecidable import Trouble, letter_id_of, settled_by, tell, try_again

UNDECIDABLE: Literal["undecidable"] = "undecidable"


def give_up(state: ReduceState, trouble: Trouble) -> Decision:
    """What is due is answered without effect. Raises LookupError where nothing is."""
    for _, ended in state.ended.with_prefix(""):
        artifact_speculated = ArtifactSpeculated(
            caused_by_event_id=str(ended.cause.event_id),
            input_ledger_seq=ended.ledger_seq,
            settled=True,
        )
        letter = tell(trouble, ended.cause, f"guesses until {ended.ledger_seq}")
        return Decision(
            (letter, ended.cause.caused(artifact_speculated, lane=ended.lane, run_id=ended.run_id))
        )
    project = state.due_projects.first()
    if project and (due := state.first_due(project)):
        return Decision((_tell_position(trouble, due), pass_over_position(state, due)))
    request = state.requests.first(project) if project else None
    if project is None or request is None:
        raise LookupError("nothing is due")
    letter_id = letter_id_of(trouble, request.cause, str(request.cause.event_id))
    fact = outside_fact(
        request.event,
        project_id=project,
        occurred_at=request.cause.occurred_at,
        actor=SYSTEM,
    )
    again = try_again(fact, request.cause, letter_id)
    letter = tell(trouble, request.cause, str(request.cause.event_id), again)
    settled = settled_by(request.cause, trouble.stage)
    return Decision((letter, *settled, _refuse(state, project, request)))


def pass_over(state: ReduceState, record: Record, letter_id: str) -> Envelope | None:
    """A change set is known, and its position answered without effect; the rest has its place."""
    project = record.envelope.project_id
    match record.envelope.event:
        case LedgerChanged() as changed if state.ledger.accepts(record):
            state.ledger.apply(record)
            turn = changed.turn
            if turn.kind == "run_end" if turn else not state.is_running(project):
                _set_aside_nothing(state, record, changed)
            run_id, lane = (turn.run_id, turn.lane) if turn else (None, None)
            return _write_anew(Cause.of(record.envelope), letter_id, run_id, lane)
        case ArtifactSpeculated() as ahead:
            take_speculation(state, project, ahead)
            state.due_projects.had_its_turn(project)
        case ArtifactChanged() as answer:
            if answer.artifact_seq == state.written_of(project).artifact_seq + 1:
                pass_over_answer(state, record, answer)
                state.due_projects.had_its_turn(project)
        case LedgerChanged():
            pass
        case _:
            if state.requests.take(record):
                state.due_projects.add(project)
    return None


def _set_aside_nothing(state: ReduceState, record: Record, changed: LedgerChanged) -> None:
    project, turn = record.envelope.project_id, changed.turn
    if changed.ledger_seq <= state.written_of(project).ledger_seq:
        return
    cause = Cause.of(record.envelope)
    nothing = DuePosition(cause=cause, ledger_seq=0, run_id=None, lane=None, sections=[])
    here: dict[str, object] = {
        "cause": cause,
        "ledger_seq": changed.ledger_seq,
        "run_id": turn.run_id if turn else None,
        "lane": turn.lane if turn else None,
        "undecidable": True,
    }
    # What was written from last is kept: requests are answered from it.
    due = state.basis.get(project, nothing).model_copy(update=here)
    state.due[due_key(project, changed.ledger_seq)] = due
    state.due_projects.add(project)


def _tell_position(trouble: Trouble, due: DuePosition) -> Envelope:
    """The letter about a position; what has it decided again is a new position behind it."""
    subject = f"position {due.ledger_seq}"
    if due.speculative:
        return tell(trouble, due.cause, subject)
    letter_id = letter_id_of(trouble, due.cause, subject)
    again = _write_anew(due.cause, letter_id, due.run_id, due.lane)
    return tell(trouble, due.cause, subject, again)


def _write_anew(
    cause: Cause, letter_id: str, run_id: str | None, lane: Literal["preview", "deep"] | None
) -> Envelope:
    """The ledger makes a change set without effect of it, and all is written anew there."""
    turn = Turn(run_id=run_id or "", batch_no=-1, position=0, kind="run_end", lane=lane or "deep")
    asked = LedgerRetryRequested(dead_letter_id=letter_id, turn=turn)
    return cause.caused(asked, lane=turn.lane, run_id=run_id)


def pass_over_position(state: ReduceState, due: DuePosition) -> Envelope:
    """The answer to a position by which nothing changes."""
    project = due.cause.project_id
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
        prd = written.prd if is_prd else state.items_of(project).get(asked.artifact_id)
        answer = refuse_edit(written, request, prd, RefusedEdit(UNDECIDABLE))
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
