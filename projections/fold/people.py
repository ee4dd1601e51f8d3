"""What people decided, as the ledger answered it: append-only, with every record before and after.

The decisions themselves change no table of their own: what became of one stands in the change set
that it caused. They are read so that a trace finds the place of each.
"""

from __future__ import annotations

from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.hitl import (
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    DocumentRoleDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
    ProposalDecided,
)
from schemas.events.ledger import HumanDecision, LedgerChanged, Snapshot


def fold_answer(rows: Rows, fact: Envelope, event: LedgerChanged, hitl: HumanDecision) -> None:
    """The row of one decision."""
    rows.add(
        fact,
        "ledger_hitl_events",
        {
            "hitl_event_id": hitl.hitl_event_id,
            "ledger_seq": event.ledger_seq,
            "event_id": event.caused_by_event_id,
            "action": hitl.action,
            "target_type": hitl.target_type,
            "target_id": hitl.target_id,
            "decision": hitl.decision,
            "outcome": hitl.outcome,
            "refusal": hitl.refusal,
            "rationale": hitl.rationale,
            "actor_id": hitl.actor_id,
            "actor_role": hitl.actor_role,
            "expected_revision": hitl.expected_revision,
            "before_state": hitl.before,
            "after_state": _after(event) if hitl.outcome == "applied" else None,
            "undoes": hitl.undoes,
            "floor": hitl.floor,
            "escalated_to": hitl.escalated_to,
            "proposal_id": hitl.proposal_id,
            "proposed_by": hitl.proposed_by,
            "run_id": event.turn.run_id if event.turn else None,
            "correlation_id": fact.correlation_id,
            "occurred_at": fact.occurred_at,
        },
    )


def _after(event: LedgerChanged) -> Snapshot:
    return Snapshot(**{name: getattr(event, name) for name in Snapshot.model_fields})


def fold_decision(rows: Rows, fact: Envelope, event: PersonDecided) -> None:
    """Nothing but the event's place in the log, which is kept of every fact."""


FOLDS: dict[type[Event], Any] = dict.fromkeys(
    (
        MergeDecided,
        ContradictionDecided,
        AtomVerified,
        AtomUnverified,
        AtomDismissed,
        AtomReincluded,
        MergeUndone,
        ProposalDecided,
        DocumentRoleDecided,
    ),
    fold_decision,
)
