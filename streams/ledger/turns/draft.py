"""A change set in the making: the one place where what steps change is laid over the ledger."""

from __future__ import annotations

from typing import TypeVar

from schemas.events.ledger import (
    AtomRecord,
    Change,
    ContradictionRecord,
    DocumentRoleRecord,
    EntityMention,
    EvidenceRow,
    HumanDecision,
    LedgerChanged,
    LinkRecord,
    MergeCandidate,
    MergeOp,
    Turn,
)
from schemas.events.working_summary import WorkingSummary
from streams.ledger.turns.changes import (
    Changed,
    Changes,
    Doubt,
    FingerprintsRead,
    ReadAs,
    Support,
    Waiting,
)
from streams.ledger.turns.current import CurrentLedger, Made
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.retries import DueRetry
from streams.ledger.turns.state import LedgerState
from streams.ledger.turns.turns import DueTurn

T = TypeVar("T")
PairRecord = TypeVar("PairRecord", MergeCandidate, ContradictionRecord)


class ChangeSetDraft:
    """The change set of one turn or of one decision of a person."""

    def __init__(self, state: LedgerState, due: DueTurn | DueDecision | DueRetry) -> None:
        self.made = Made(due.turn)
        self.ledger = CurrentLedger(state, due, self.made)  # with all that is made
        self._is_retry = isinstance(due, DueRetry)

    def apply(self, changes: Changes[T]) -> T:
        """Lay over the ledger what a step changes, one by one, and return what it comes to."""
        while True:
            try:
                changed = next(changes)
            except StopIteration as end:
                result: T = end.value
                return result
            self.lay(changed)

    def lay(self, changed: Changed) -> None:
        """Lay one change over the ledger; a record takes the place of the one before."""
        made = self.made
        match changed:
            case Change():
                made.changes.append(changed)
            case AtomRecord():
                made.atoms[changed.atom_id] = changed
            case EvidenceRow():
                made.evidence[changed.evidence_id] = changed
            case Support(source_id, atom_id, step):
                fresh = (self.ledger.supports(source_id, atom_id) or 0) + step
                made.support[(source_id, atom_id)] = fresh
            case LinkRecord():
                made.links[changed.link_id] = changed
            case EntityMention():
                made.mentions[(changed.atom_id, changed.entity_atom_id)] = changed
            case Waiting(name, atom_ids):
                made.waiting[name] = list(atom_ids)
            case MergeCandidate():
                made.merge_candidates[changed.merge_candidate_id] = changed
            case ContradictionRecord():
                made.contradictions[changed.contradiction_id] = changed
            case DocumentRoleRecord():
                made.document_roles[changed.source_id] = changed
            case MergeOp():
                made.merge_ops.append(changed)
            case ReadAs(candidate_id, atom_id):
                made.read_as[candidate_id] = atom_id
            case FingerprintsRead(fingerprints):
                made.fingerprints_read |= fingerprints
            case Doubt(pair, doubt):
                made.doubts[pair] = doubt
            case Turn():  # the part of the turn that the change set holds is told in its place
                made.turn = changed

    def copy_made(self) -> Made:
        """What was made so far, for `restore`."""
        return self.made.copy()

    def restore(self, made: Made) -> None:
        """As if nothing had been made since."""
        for name in made.__slots__:
            setattr(self.made, name, getattr(made, name))

    def event(
        self, summary: WorkingSummary | None, hitl: HumanDecision | None = None
    ) -> LedgerChanged:
        """The change set; pairs that were known have their next revision."""
        ledger, made = self.ledger, self.made
        view, turn = ledger.state.view, None if self._is_retry else made.turn
        return LedgerChanged(
            ledger_seq=ledger.seq,
            prev_hash=ledger.place.value_hash,
            caused_by_event_id=ledger.cause_id,
            turn=turn,
            reason=turn.kind if turn else "retry" if self._is_retry else "decision",
            changes=made.changes,
            atoms=list(made.atoms.values()),
            evidence=list(made.evidence.values()),
            links=list(made.links.values()),
            mentions=list(made.mentions.values()),
            merge_ops=made.merge_ops,
            merge_candidates=[
                _raise_revision(pair, view.merge_candidates.get(f"{ledger.project}|{key}"))
                for key, pair in made.merge_candidates.items()
            ],
            contradictions=[
                _raise_revision(contradiction, view.contradictions.get(f"{ledger.project}|{key}"))
                for key, contradiction in made.contradictions.items()
            ],
            document_roles=list(made.document_roles.values()),
            summary=summary,
            hitl=hitl,
        )


def _raise_revision(after: PairRecord, before: PairRecord | None) -> PairRecord:
    """``after`` with the revision that follows that of ``before``."""
    return after.model_copy(update={"revision": before.revision + 1 if before else 1})
