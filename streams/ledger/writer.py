"""Stage 2, the ledger: single writer of ``ledger.v1``; one turn of one project, one change set.

Everything that decides is the fold of the inputs that wait and of the change sets already written.
``turns`` says which turn is next; ``upsert`` and ``sources`` what a turn changes, which a
``ChangeSetDraft`` lays over the state. A person's decision (``decisions``, ``people``) takes the
place before the next turn; its change set has none, and the fold rule knows it by its cause. What a
model is asked about, and how its answers come back, ``judgements`` says; ``giving_up`` what becomes
of what cannot be decided, and ``retries`` how it is decided once more.
"""

from __future__ import annotations

from schemas.envelope import Envelope
from schemas.events.atom import AtomReflected
from schemas.events.judgement import JudgementRequested
from schemas.events.ledger import LedgerChanged
from schemas.events.ledger_retry import LedgerRetryRequested
from streams.ledger.giving_up import answer_without, poison
from streams.ledger.pairs.judged_pairs import apply_judgements, ask_about_doubts
from streams.ledger.people.people import decision_change_set
from streams.ledger.sources.reanchor import reanchor
from streams.ledger.sources.sources import apply_source_changes, settle_run
from streams.ledger.summary import derive_summary
from streams.ledger.turns.changes import Changes
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.retries import DueRetry
from streams.ledger.turns.state import LedgerState
from streams.ledger.turns.turns import DueTurn
from streams.ledger.upsert import TakeIn, apply_candidate, apply_reading
from streams.stage import Decision, Record, Tables
from streams.undecidable import OF_THE_MACHINE, Trouble, settled, settled_by


class Ledger:
    """See ``streams.stage.Writer``. ``take_in`` applies a candidate."""

    name = "ledger"
    inputs = ("ingestion.v1", "atom.validated.v1", "hitl.v1", "ledger.control.v1")
    output = "ledger.v1"
    state_version = 8  # 8: keeps what members proposed, and which documents replace others

    def __init__(self, take_in: TakeIn = apply_candidate) -> None:
        self._take_in = take_in

    def open(self, tables: Tables) -> LedgerState:
        return LedgerState(tables)

    def evolve(self, state: LedgerState, record: Record) -> None:
        if isinstance(record.envelope.event, LedgerChanged):
            state.take_own(record)
        else:
            state.take_input(record.envelope)

    def decide(self, state: LedgerState) -> Decision | None:
        while project := state.due.first():
            if due := state.next(project):
                return Decision(self._decide_due(state, due))
            state.due.discard(project)
        return None

    def give_up(self, state: LedgerState, trouble: Trouble, *, whole: bool) -> Decision:
        """See ``giving_up``."""
        project = state.due.first()
        due = state.next(project) if project else None
        assert due is not None
        return answer_without(state, due, trouble, None if whole else self._take_in)

    def pass_over(self, state: LedgerState, record: Record, letter_id: str) -> None:
        """An input waits as ever, a reading else as one that could not be read."""
        envelope = record.envelope
        match envelope.event:
            case LedgerChanged():
                state.pass_over_own(record)
            case AtomReflected() as reflected:
                try:
                    state.take_input(envelope)
                except OF_THE_MACHINE:
                    raise
                except Exception:
                    state.take_input(poison(envelope, reflected))
            case _:
                state.take_input(envelope)

    def rest(self, state: LedgerState) -> None:
        if project := state.due.first():
            state.due.discard(project)

    def _decide_due(
        self, state: LedgerState, due: DueTurn | DueDecision | DueRetry
    ) -> tuple[Envelope, ...]:
        """The one change set that a turn or a decision leads to, also when nothing changes; before
        it what the turn asks the judge, or what is settled by it.
        """
        if isinstance(due, DueDecision):
            return (*settled_by(due.cause, self.name), decision_change_set(state, due))
        draft = ChangeSetDraft(state, due)
        if isinstance(due, DueRetry):
            draft.apply(self._decide_again(draft.ledger, due.requested))
            event = draft.event(derive_summary(draft.ledger))
            return (
                settled(due.cause, due.requested.dead_letter_id, self.name),
                due.cause.caused(event, lane=due.turn.lane, run_id=due.turn.run_id),
            )
        asked = draft.apply(self._take_turn(draft.ledger, due))
        last = _cause_change_set(draft, due)
        if asked is None:
            return (last,)
        return (due.cause.caused(asked, lane=due.turn.lane, run_id=due.turn.run_id), last)

    def _take_turn(self, ledger: CurrentLedger, due: DueTurn) -> Changes[JudgementRequested | None]:
        """What a turn changes, and what it asks the judge."""
        if due.reflected:
            yield from apply_reading(ledger, due.reflected, self._take_in)
            return (yield from ask_about_doubts(ledger))
        if due.judged:
            yield from apply_judgements(ledger, due.judged)
        elif due.part:
            if not (yield from settle_run(ledger, due.source_changes, due.unfinished, due.held)):
                yield due.part
        else:
            yield from apply_source_changes(ledger, due.source_changes)
        return None

    def _decide_again(self, ledger: CurrentLedger, asked: LedgerRetryRequested) -> Changes[None]:
        """What was left out changes what it would have changed, as far as it still holds."""
        if asked.reading:
            reflected = AtomReflected(
                reading=asked.reading, accepted=asked.accepted, reflection_version=""
            )
            yield from apply_reading(ledger, reflected, self._take_in)
        elif asked.judged:
            yield from apply_judgements(ledger, tuple(asked.judged))
        else:
            for change in asked.source_changes:
                payload = ledger.state.current_hash.get(f"{ledger.project}|{change.source_id}")
                if payload == (change.new_hash or ""):
                    yield from reanchor(ledger, change)
            if asked.turn.kind == "run_end":
                yield from settle_run(ledger, [], tuple(asked.unfinished), asked.held)


def _cause_change_set(draft: ChangeSetDraft, due: DueTurn) -> Envelope:
    turn = draft.ledger.turn
    commits = turn.last_in_batch or turn.kind == "run_end"
    event = draft.event(derive_summary(draft.ledger) if commits else None)
    return due.cause.caused(event, lane=due.turn.lane, run_id=due.turn.run_id)


LEDGER = Ledger()
