"""What members propose: it waits, with its reason, until somebody who may decide answers it, or
until the member withdraws it.

A proposal is checked like a decision when it is made and again when it is accepted, against the
revision that the member saw: what has changed meanwhile is refused, and the proposal still waits.
"""

from __future__ import annotations

from typing import Any

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
from schemas.events.ledger import HumanDecision
from streams.ledger.people.ruling import Refused
from streams.ledger.turns.state import LedgerState

OF_ATOMS: dict[str, type[PersonDecided]] = {
    "unverify": AtomUnverified,
    "atom_dismissal": AtomDismissed,
    "atom_reinclusion": AtomReincluded,
    "unmerge": MergeUndone,
}
AS_TOLD = "as_told"  # the decision that a document has the role that its names tell
NOT_RESOLVING = ("dismiss", "escalate", "reopen")


def require_new(
    state: LedgerState,
    project: str,
    actor_id: str,
    decided: PersonDecided,
    names: tuple[str, str, Any],
) -> None:
    """Raises Refused when the same person's same proposal waits already."""
    action, decision, _ = names
    proposed = (actor_id, decided.target_id, action, decision)
    for _, waiting in state.proposals.with_prefix(f"{project}|"):
        known = (waiting.actor_id, waiting.target_id, waiting.action, waiting.decision)
        if known == proposed and waiting.expected_revision == decided.expected_revision:
            raise Refused("already_proposed")


def find_waiting(state: LedgerState, project: str, answer: ProposalDecided) -> HumanDecision | None:
    """The proposal that is answered; None when it is none, or answered already."""
    return state.proposals.get(f"{project}|{answer.proposal_id}")


def decision_of(proposal: HumanDecision, answer: ProposalDecided) -> PersonDecided:
    """What was proposed as a decision of whom answers, about the revision that they saw."""
    shared: dict[str, Any] = {
        "expected_revision": answer.expected_revision,
        "actor_role": answer.actor_role,
        "rationale": answer.rationale.strip() or proposal.rationale,
        "undoes": proposal.undoes,
    }
    kind, fields = _content_of(proposal)
    return kind.model_validate(fields | shared)


def _content_of(proposal: HumanDecision) -> tuple[type[PersonDecided], dict[str, Any]]:
    """What is decided, and how, as the event says it."""
    target, decision = proposal.target_id, proposal.decision
    if proposal.action == "merge_review":
        return MergeDecided, {"merge_candidate_id": target, "decision": decision}
    if proposal.action == "contradiction_resolution":
        resolves = decision not in NOT_RESOLVING
        return ContradictionDecided, {
            "contradiction_id": target,
            "decision": "resolve" if resolves else decision,
            "resolution_kind": decision if resolves else None,
            "escalated_to": proposal.escalated_to,
        }
    if proposal.action == "atom_verification":
        return AtomVerified, {"atom_id": target, "floor": proposal.floor}
    if proposal.action == "document_role":
        role = None if decision == AS_TOLD else decision
        return DocumentRoleDecided, {"source_id": target, "role": role}
    return OF_ATOMS[proposal.action], {"atom_id": target}
