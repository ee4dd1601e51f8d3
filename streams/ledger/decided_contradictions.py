"""What a person says about a contradiction: who is right, that it is none, or who shall decide."""

from __future__ import annotations

from typing import Any, Literal

from schemas.events.hitl import ContradictionDecided
from schemas.events.ledger import ContradictionRecord
from streams.ledger.draft import Draft
from streams.ledger.lifecycle import LOST, retire
from streams.ledger.ruling import Refused, Ruling, require_seen
from streams.ledger.state import OPEN

MIN_RATIONALE_CHARS = 10


def apply_to_contradiction(draft: Draft, ruling: Ruling, decided: ContradictionDecided) -> None:
    """The contradiction is closed, or handed on and still blocks. Raises Refused."""
    dispute = draft.contradiction(decided.contradiction_id)
    if dispute is None:
        raise Refused("unknown_target")
    require_seen(dispute.revision, decided.expected_revision)
    if dispute.status not in OPEN:
        raise Refused("not_open")
    match decided.decision:
        case "resolve":
            _resolve(draft, ruling, dispute, decided)
        case "dismiss":
            _close(draft, ruling, dispute, "dismissed", "dismissed")
        case "escalate":
            _escalate(draft, ruling, dispute, decided.escalated_to)


def _resolve(
    draft: Draft, ruling: Ruling, dispute: ContradictionRecord, decided: ContradictionDecided
) -> None:
    if len(ruling.rationale) < MIN_RATIONALE_CHARS:
        raise Refused("rationale_too_short")
    kind = decided.resolution_kind
    if kind is None:
        raise Refused("resolution_kind_missing")
    _close(draft, ruling, dispute, "resolved", kind, resolution_kind=kind)
    sides = (dispute.atom_a_id, dispute.atom_b_id)
    first, second = (draft.put_atom(draft.known_atom(atom_id)) for atom_id in sides)
    if kind in ("a_wins", "b_wins"):
        winner, loser = (first, second) if kind == "a_wins" else (second, first)
        draft.link(winner.atom_id, loser.atom_id, "supersedes", LOST)
        retire(draft, loser, "superseded", LOST, by=winner)


def _close(
    draft: Draft,
    ruling: Ruling,
    dispute: ContradictionRecord,
    status: Literal["resolved", "dismissed"],
    reason: str,
    **fields: Any,
) -> None:
    _decided(draft, ruling, dispute, status=status, **fields)
    draft.unlink(dispute.atom_a_id, dispute.atom_b_id, "contradicts", reason)
    draft.note("contradiction_closed", dispute.contradiction_id, None, reason)


def _escalate(
    draft: Draft, ruling: Ruling, dispute: ContradictionRecord, escalated_to: str | None
) -> None:
    _decided(draft, ruling, dispute, status="escalated", escalated_to=escalated_to)
    key = dispute.contradiction_id
    draft.note("contradiction_updated", key, None, "escalated", escalated_to or "")


def _decided(draft: Draft, ruling: Ruling, dispute: ContradictionRecord, **fields: Any) -> None:
    said = {"rationale": ruling.rationale or None, "updated_seq": draft.seq}
    draft.contradictions[dispute.contradiction_id] = dispute.model_copy(
        update=ruling.on_pair | said | fields
    )
