"""Stage 2, the ledger: single writer of ``ledger.v1``; one turn of one project, one change set.

Everything that decides is the fold of the inputs that wait and of the change sets already written.
``turns`` says which turn is next; ``upsert`` and ``sources`` what a turn does to the ledger, on a
``ChangeSetDraft`` laid over the state. A person's decision (``decisions``, ``people``) takes the
place before the next turn; its change set has none, and the fold rule knows it by its cause. What a
model is asked about, and how its answers come back, ``judgements`` says.
"""

from __future__ import annotations

from schemas.envelope import Envelope
from schemas.events.judgement import JudgementRequested
from schemas.events.ledger import LedgerChanged
from streams.ledger.decisions import DueDecision
from streams.ledger.draft import ChangeSetDraft
from streams.ledger.judged_pairs import apply_judgements, ask_about_doubts
from streams.ledger.people import decision_change_set, refuse_as_too_large
from streams.ledger.sources import apply_source_changes, note_changes, settle_run
from streams.ledger.state import LedgerState
from streams.ledger.summary import derive_summary
from streams.ledger.turns import DueTurn
from streams.ledger.upsert import apply_reading
from streams.stage import Decision, Record, Tables


class Ledger:
    """See ``streams.stage.Writer``."""

    name = "ledger"
    inputs = ("ingestion.v1", "atom.validated.v1", "hitl.v1", "ledger.control.v1")
    output = "ledger.v1"
    state_version = 6  # 6: keeps what decisions of people came after each other

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
                return Decision(decide_due(state, due))
            state.due.discard(project)
        return None

    def undecidable(self, state: LedgerState, decision: Decision, reason: str) -> Decision:
        """The turn of a decision that cannot be written, without effect, so that others follow."""
        due = state.next(decision.commit_record.project_id)
        assert due is not None
        if isinstance(due, DueDecision):
            return Decision((refuse_as_too_large(state, due),))
        draft = ChangeSetDraft(state, due)
        note_changes(draft, due.source_changes)
        place = due.turn.chunk_id or due.turn.run_id
        draft.note("candidate_rejected", place, None, "record_too_large", reason)
        if due.part and due.source_changes:
            draft.turn_into_part(due.part)
        return Decision((_cause_change_set(draft, due),))


def decide_due(state: LedgerState, due: DueTurn | DueDecision) -> tuple[Envelope, ...]:
    """The one change set that a turn or a decision leads to, also when nothing changes; before it
    what the turn asks the judge.
    """
    if isinstance(due, DueDecision):
        return (decision_change_set(state, due),)
    draft = ChangeSetDraft(state, due)
    asked: JudgementRequested | None = None
    if due.reflected:
        apply_reading(draft, due.reflected)
        asked = ask_about_doubts(draft)
    elif due.judged:
        apply_judgements(draft, due.judged)
    elif due.part:
        if not settle_run(draft, due.source_changes, due.unfinished, due.held):
            draft.turn_into_part(due.part)
    else:
        apply_source_changes(draft, due.source_changes)
    last = _cause_change_set(draft, due)
    if asked is None:
        return (last,)
    return (due.cause.caused(asked, lane=due.turn.lane, run_id=due.turn.run_id), last)


def _cause_change_set(draft: ChangeSetDraft, due: DueTurn) -> Envelope:
    commits = draft.turn.last_in_batch or draft.turn.kind == "run_end"
    event = draft.event(derive_summary(draft) if commits else None)
    return due.cause.caused(event, lane=due.turn.lane, run_id=due.turn.run_id)


LEDGER = Ledger()
