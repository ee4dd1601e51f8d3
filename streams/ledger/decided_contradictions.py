"""What a person says about a contradiction: who is right, that it is none, or who shall decide."""

from __future__ import annotations

from typing import Any, Literal

from schemas.events.hitl import ContradictionDecided
from schemas.events.ledger import ContradictionRecord
from streams.ledger.draft import ChangeSetDraft
from streams.ledger.lifecycle import LOST, retire
from streams.ledger.ruling import Refused, Ruling, require_seen
from streams.ledger.state import OPEN

MIN_RATIONALE_CHARS = 10


def apply_to_contradiction(
    draft: ChangeSetDraft, ruling: Ruling, decided: ContradictionDecided
) -> None:
    """The contradiction is closed, or handed on and still blocks. Raises Refused."""
    contradiction = draft.contradiction(decided.contradiction_id)
    if contradiction is None:
        raise Refused("unknown_target")
    require_seen(contradiction.revision, decided.expected_revision)
    if contradiction.status not in OPEN:
        raise Refused("not_open")
    match decided.decision:
        case "resolve":
            _resolve(draft, ruling, contradiction, decided)
        case "dismiss":
            _close(draft, ruling, contradiction, "dismissed", "dismissed")
        case "escalate":
            _escalate(draft, ruling, contradiction, decided.escalated_to)


def _resolve(
    draft: ChangeSetDraft,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    decided: ContradictionDecided,
) -> None:
    if len(ruling.rationale) < MIN_RATIONALE_CHARS:
        raise Refused("rationale_too_short")
    kind = decided.resolution_kind
    if kind is None:
        raise Refused("resolution_kind_missing")
    _close(draft, ruling, contradiction, "resolved", kind, resolution_kind=kind)
    sides = (contradiction.atom_a_id, contradiction.atom_b_id)
    first, second = (draft.put_atom(draft.get_atom(atom_id)) for atom_id in sides)
    if kind in ("a_wins", "b_wins"):
        winner, loser = (first, second) if kind == "a_wins" else (second, first)
        draft.link(winner.atom_id, loser.atom_id, "supersedes", LOST)
        retire(draft, loser, "superseded", LOST, by=winner)


def _close(
    draft: ChangeSetDraft,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    status: Literal["resolved", "dismissed"],
    reason: str,
    **fields: Any,
) -> None:
    _record_decision(draft, ruling, contradiction, status=status, **fields)
    draft.unlink(contradiction.atom_a_id, contradiction.atom_b_id, "contradicts", reason)
    draft.note("contradiction_closed", contradiction.contradiction_id, None, reason)


def _escalate(
    draft: ChangeSetDraft,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    escalated_to: str | None,
) -> None:
    _record_decision(draft, ruling, contradiction, status="escalated", escalated_to=escalated_to)
    key = contradiction.contradiction_id
    draft.note("contradiction_updated", key, None, "escalated", escalated_to or "")


def _record_decision(
    draft: ChangeSetDraft, ruling: Ruling, contradiction: ContradictionRecord, **fields: Any
) -> None:
    said = {"rationale": ruling.rationale or None, "updated_seq": draft.seq}
    draft.contradictions[contradiction.contradiction_id] = contradiction.model_copy(
        update=ruling.on_pair | said | fields
    )
