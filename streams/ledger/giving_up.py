"""The ledger's answer to what it cannot decide: all that can be is, the rest is told and kept.

Of a chunk each candidate is tried alone, so that one leaves the others as they are; what a person
decided is refused; of all else the turn is applied without effect, so that its run goes on and
ends. The fact that has it decided once more, ``ledger.retry_requested`` or the decision itself with
an id of its own, is in the dead letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.atom import AtomReflected, Judged, Reading
from schemas.events.ledger_retry import LedgerRetryRequested
from schemas.events.working_summary import WorkingSummary
from streams.ledger.atoms.reasoning import Said, link_reasoning
from streams.ledger.pairs.judged_pairs import ask_about_doubts
from streams.ledger.people.people import refuse_as_undecided
from streams.ledger.sources.sources import note_changes
from streams.ledger.summary import derive_summary
from streams.ledger.turns.changes import Changes, FingerprintsRead, note
from streams.ledger.turns.conversations import talk_key
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.fact_frames import newer_fact_keys
from streams.ledger.turns.indexes import ProjectIndex
from streams.ledger.turns.retries import DueRetry
from streams.ledger.turns.state import LedgerState
from streams.ledger.turns.turns import DueTurn
from streams.ledger.upsert import TakeIn, fingerprint_of, refuse_outdated
from streams.stage import Decision
from streams.undecidable import (
    OF_THE_MACHINE,
    Trouble,
    letter_id_of,
    settled,
    settled_by,
    tell,
    try_again,
)


def answer_without(
    state: LedgerState,
    due: DueTurn | DueDecision | DueRetry,
    trouble: Trouble,
    take_in: TakeIn | None,
) -> Decision:
    """What is due without what raises; ``take_in`` None: without any effect."""
    if isinstance(due, DueDecision):
        return _refuse(state, due, trouble)
    reflected = _reading_of(due)
    if take_in is None or reflected is None:
        return _answer_without_effect(state, due, trouble)
    return _answer_in_part(state, due, reflected, trouble, take_in)


def poison(envelope: Envelope, reflected: AtomReflected) -> Envelope:
    """The result of a chunk as one that could not be read."""
    poisoned = {"outcome": "poison", "error": "undecidable"}
    reading = reflected.reading.model_copy(update=poisoned)
    event = AtomReflected(reading=reading, reflection_version=reflected.reflection_version)
    return replace(envelope, event=event)


def _reading_of(due: DueTurn | DueRetry) -> AtomReflected | None:
    if isinstance(due, DueTurn):
        return due.reflected
    asked = due.requested
    if asked.reading is None:
        return None
    return AtomReflected(reading=asked.reading, accepted=asked.accepted, reflection_version="")


def _refuse(state: LedgerState, due: DueDecision, trouble: Trouble) -> Decision:
    """The person is told; the same decision may be published again, as one of its own."""
    decided = outside_fact(
        due.decided,
        project_id=due.cause.project_id,
        occurred_at=due.cause.occurred_at,
        actor=Actor(type="human", id=due.actor_id),
    )
    target = due.decided.target_id
    again = try_again(decided, due.cause, letter_id_of(trouble, due.cause, target))
    letter = tell(trouble, due.cause, target, again)
    again_settled = settled_by(due.cause, trouble.stage)
    return Decision((letter, *again_settled, refuse_as_undecided(state, due, trouble.reason)))


def _answer_in_part(
    state: LedgerState,
    due: DueTurn | DueRetry,
    reflected: AtomReflected,
    trouble: Trouble,
    take_in: TakeIn,
) -> Decision:
    draft, reading = ChangeSetDraft(state, due), reflected.reading
    ledger = draft.ledger
    letters: list[Envelope] = []
    statements: list[Said] = []
    if not draft.apply(refuse_outdated(ledger, reflected)) and reading.outcome != "poison":
        for judged in reflected.accepted:
            made = draft.copy_made()
            try:
                atom_id = draft.apply(_take_in_alone(ledger, reading, judged, take_in))
                _try_to_fold(ledger)
            except OF_THE_MACHINE:
                raise
            except Exception as error:
                draft.restore(made)
                failed = trouble.of(error)
                candidate = judged.candidate.candidate_id
                draft.lay(
                    note(
                        "candidate_rejected",
                        candidate,
                        reading.chunk_id,
                        failed.reason,
                        failed.error_class,
                    )
                )
                letters.append(_tell(due, failed, candidate, [judged]))
            else:
                statements.append((atom_id, judged.rows))
    _link(draft, statements)
    asked = draft.apply(ask_about_doubts(ledger)) if isinstance(due, DueTurn) else None
    first = [due.cause.caused(asked, lane=due.turn.lane, run_id=due.turn.run_id)] if asked else []
    return _decision(draft, due, [*letters, *first])


def _take_in_alone(
    ledger: CurrentLedger, reading: Reading, judged: Judged, take_in: TakeIn
) -> Changes[str]:
    yield FingerprintsRead(frozenset((fingerprint_of(judged.candidate),)))
    return (yield from take_in(ledger, reading, judged))


def _link(draft: ChangeSetDraft, statements: list[Said]) -> None:
    """The links between the statements, or none of them: a reader's hints are not worth more."""
    made = draft.copy_made()
    try:
        draft.apply(link_reasoning(draft.ledger, statements))
    except OF_THE_MACHINE:
        raise
    except Exception:
        draft.restore(made)


def _try_to_fold(ledger: CurrentLedger) -> None:
    """Raises what the fold of the changed atoms and evidence would raise."""
    scratch = ProjectIndex()
    for atom in ledger.atoms.values():
        scratch.change(None, atom)
    for row in ledger.evidence.values():
        newer_fact_keys(ledger.project, row)
        if held_by := ledger.atoms.get(row.atom_id):
            talk_key(ledger.project, row, held_by.kind)


def _answer_without_effect(
    state: LedgerState, due: DueTurn | DueRetry, trouble: Trouble
) -> Decision:
    draft, place = ChangeSetDraft(state, due), due.turn.chunk_id or due.turn.run_id
    reflected = _reading_of(due)
    letter = _tell(due, trouble, place, reflected.accepted if reflected else [])
    if isinstance(due, DueTurn):
        draft.apply(note_changes(draft.ledger, due.source_changes))
    draft.lay(note("candidate_rejected", place, None, trouble.reason, trouble.failure.error))
    if isinstance(due, DueTurn) and due.part and due.source_changes:
        draft.made.turn = due.part
    return _decision(draft, due, [letter])


def _tell(
    due: DueTurn | DueRetry, trouble: Trouble, subject: str, accepted: Sequence[Judged]
) -> Envelope:
    """The letter with the fact that has the subject decided once more."""
    letter_id = letter_id_of(trouble, due.cause, subject)
    reflected = _reading_of(due)
    retried = due.requested if isinstance(due, DueRetry) else None
    turn = due if isinstance(due, DueTurn) else None
    again = LedgerRetryRequested(
        dead_letter_id=letter_id,
        turn=due.turn,
        reading=reflected.reading if reflected else None,
        accepted=list(accepted),
        source_changes=turn.source_changes if turn else retried.source_changes if retried else [],
        unfinished=list(turn.unfinished) if turn else retried.unfinished if retried else [],
        removals_held=turn.held if turn else retried.removals_held if retried else 0,
        judged=list(turn.judged) if turn else retried.judged if retried else [],
    )
    lane, run_id = due.turn.lane, due.turn.run_id
    cause = due.cause.caused(again, lane=lane, run_id=run_id)
    return tell(trouble, due.cause, subject, cause, lane=lane, run_id=run_id)


def _decision(
    draft: ChangeSetDraft, due: DueTurn | DueRetry, before: Sequence[Envelope]
) -> Decision:
    """The change set behind what is told; a retry is settled by its answer, whatever that is."""
    turn = draft.ledger.turn
    is_last = isinstance(due, DueRetry) or turn.last_in_batch or turn.kind == "run_end"
    event = draft.event(_summarise(draft.ledger) if is_last else None)
    told = list(before)
    if isinstance(due, DueRetry):
        told.append(settled(due.cause, due.requested.dead_letter_id, "ledger"))
    last = due.cause.caused(event, lane=due.turn.lane, run_id=due.turn.run_id)
    return Decision((*told, last))


def _summarise(ledger: CurrentLedger) -> WorkingSummary | None:
    """The summary, or none where deriving it is what raises."""
    try:
        return derive_summary(ledger)
    except OF_THE_MACHINE:
        raise
    except Exception:
        return None
