"""Why a decision of a person is refused, as far as its target alone shows it.

The ledger asks with the target as it is; services ask before they publish, with the target as the
tables show it, so that nobody waits for an answer that is known. The ledger has the last word: what
depends on more than the target (the other side, what was merged since) it alone sees.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.hitl import (
    SHORTEST_RATIONALE,
    AtomDecided,
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
)
from schemas.events.ledger import (
    LIVE,
    AtomRecord,
    ContradictionRecord,
    DocumentRoleRecord,
    MergeCandidate,
)

OPEN = frozenset({"open", "escalated"})


@dataclass(frozen=True, slots=True)
class DecisionTarget:
    """What is decided about: an atom, a contradiction, a merge candidate (``status`` its state), or
    the role of a document (``status`` the one that a person has given to it).

    ``last_decision`` is the id of the last decision that touched it, ``decided_by`` who verified
    the atom or decided the pair; None: nobody.
    """

    status: str
    revision: int
    last_decision: str | None = None
    decided_by: str | None = None


def target_of_atom(atom: AtomRecord) -> DecisionTarget:
    last = atom.resolution.hitl_event_id if atom.resolution else None
    return DecisionTarget(atom.status, atom.revision, last, atom.verified_by)


def target_of_contradiction(contradiction_record: ContradictionRecord) -> DecisionTarget:
    return DecisionTarget(
        contradiction_record.status,
        contradiction_record.revision,
        contradiction_record.hitl_event_id,
        contradiction_record.decided_by,
    )


def target_of_pair(pair: MergeCandidate) -> DecisionTarget:
    return DecisionTarget(pair.state, pair.revision, pair.hitl_event_id, pair.decided_by)


def target_of_document(role: DocumentRoleRecord | None) -> DecisionTarget:
    if role is None:
        return DecisionTarget("", 0)
    return DecisionTarget(role.role or "", role.revision, role.hitl_event_id, role.decided_by)


def find_refusal(decided: PersonDecided, target: DecisionTarget) -> str | None:
    """The code of the reason; None where the target shows none."""
    if decided.undoes is not None and decided.undoes != target.last_decision:
        return "decided_since"
    if target.revision != decided.expected_revision:
        return "stale_revision"
    match decided:
        case AtomDecided():
            return _about_atom(decided, target)
        case ContradictionDecided():
            return _about_contradiction(decided, target)
        case MergeDecided() if decided.decision == "reopen":
            is_rejected = decided.undoes is not None and target.status == "rejected"
            return None if is_rejected else "not_decided"
        case MergeDecided():
            return None if target.status == "open" else "not_open"
        case _:
            return None


def _about_atom(decided: AtomDecided, atom: DecisionTarget) -> str | None:
    match decided:
        case AtomVerified() if atom.status not in LIVE:
            return "not_live"
        case AtomUnverified() if atom.decided_by is None:
            return "not_verified"
        case AtomDismissed() if atom.status not in LIVE:
            return "not_live"
        case AtomDismissed() if not decided.rationale.strip():
            return "rationale_missing"
        case AtomReincluded() if atom.status != "dismissed":
            return "not_dismissed"
        case MergeUndone() if atom.status != "merged":
            return "not_merged"
        case _:
            return None


def _about_contradiction(
    decided: ContradictionDecided, contradiction: DecisionTarget
) -> str | None:
    if decided.decision == "reopen":
        is_decided = decided.undoes is not None and contradiction.decided_by is not None
        return None if is_decided else "not_decided"
    if contradiction.status not in OPEN:
        return "not_open"
    if decided.decision == "resolve":
        if len(decided.rationale.strip()) < SHORTEST_RATIONALE:
            return "rationale_too_short"
        if decided.resolution_kind is None:
            return "resolution_kind_missing"
    return None
