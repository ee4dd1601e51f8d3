"""Run control's answer to what it cannot decide: the run ends, and what it leaves can be resumed.

Which run it is shows by asking for each alone. A batch whose commit raises is committed without
counters; a request whose run cannot be begun gets one that ends at once, so that whoever waits for
it has an answer. What raises where nobody waits, a deep dive or the reading of stale sources, is
told and passed over, and the rest is decided.
"""

from __future__ import annotations

from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.ingestion import BatchCommitted, Counters
from schemas.events.ingestion_request import RunLane, RunResumeRequested
from schemas.ids import run_id as derive_run_id
from streams.cause import Cause
from streams.run_control.rows import Trigger
from streams.run_control.scope import ProjectScope, RunScope
from streams.run_control.starting import LANES, begin_nothing
from streams.run_control.steps import Question, Steps
from streams.run_control.stops import end_undecidable
from streams.stage import Decision
from streams.undecidable import OF_THE_MACHINE, Trouble, letter_id_of, tell, try_again


def answer_without(
    project: ProjectScope, steps: Steps, trouble: Trouble, *, whole: bool
) -> Decision:
    """What is due without what raises; ``whole``: the run that it is about ends."""
    letters: list[Envelope] = []
    for question in steps.questions(project):
        try:
            decision = question.ask()
        except OF_THE_MACHINE:
            raise
        except Exception as error:
            failed = trouble.of(error)
        else:
            if decision is None:
                continue
            if not whole:
                return Decision((*letters, *decision.envelopes))
            failed = trouble
        told, instead = _answer(project, question, failed, whole=whole)
        letters.append(told)
        if instead:
            return Decision((*letters, instead))
    raise LookupError("nothing of what is due can be answered")


def _answer(
    project: ProjectScope, question: Question, trouble: Trouble, *, whole: bool
) -> tuple[Envelope, Envelope | None]:
    """What is told of a step that raises, and what stands in the place of its decision."""
    if run := question.run:
        project.views.pop(run.run_id, None)  # what it holds may be half changed
        again = RunResumeRequested(run_id=run.run_id, request_key="", retry_poison=True)
        told = _tell(trouble, run.run.cause, f"{question.step} of {run.run_id}", again)
        if question.step == "commit" and (run.run.stopped or not whole):
            return told, _commit_nothing(run)
        if run.run.stopped:  # it only waits for its last turn in the ledger
            return told, None
        return told, end_undecidable(run, trouble.error_class)
    if question.step == "start" and (found := _find_not_begun(project)):
        trigger, lane = found
        started = begin_nothing(project, trigger.requested, lane, trouble.error_class)
        again = RunResumeRequested(run_id=started.run_id, request_key="", retry_poison=True)
        told = _tell(trouble, trigger.cause, f"start of {started.run_id}", again)
        return told, trigger.cause.caused(started, lane=lane, run_id=started.run_id)
    first = next(iter(project.triggers.values()))
    return _tell(trouble, first.cause, question.step, None), None


def _tell(
    trouble: Trouble, cause: Cause, subject: str, again: RunResumeRequested | None
) -> Envelope:
    """The letter; ``again`` resumes the run under a key of the letter."""
    if again is None:
        return tell(trouble, cause, subject)
    letter_id = letter_id_of(trouble, cause, subject)
    fact = outside_fact(
        again.model_copy(update={"request_key": f"retry {letter_id}"}),
        project_id=cause.project_id,
        occurred_at=cause.occurred_at,
        actor=SYSTEM,
    )
    return tell(trouble, cause, subject, try_again(fact, cause, letter_id))


def _commit_nothing(scope: RunScope) -> Envelope | None:
    """The batch is committed, without what it brought."""
    applied = scope.commit(scope.run.committed)
    if applied is None or applied.cause is None:
        return None
    event = BatchCommitted(
        run_id=scope.run_id,
        batch_no=scope.run.committed,
        ledger_seq=applied.seq,
        last_successful_chunk_id=applied.last_chunk_id,
        counters=Counters(),
        new_atoms_per_10k_tokens=0.0,
    )
    return scope.run.caused(applied.cause, event)


def _find_not_begun(project: ProjectScope) -> tuple[Trigger, RunLane] | None:
    """The first request with a whole listing, and a lane of it that has no run."""
    for trigger in project.triggers.values():
        requested = trigger.requested
        if project.listing(requested.trigger_key) is None:
            continue
        for lane in LANES:
            run_id = derive_run_id(project.id, requested.trigger_key, lane)
            if lane in requested.lanes and run_id not in project.runs:
                return trigger, lane
    return None
