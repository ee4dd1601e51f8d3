"""What a person says about a contradiction: who is right, that it is none, or who shall decide."""

from __future__ import annotations

from typing import Any, Literal

from schemas.events.hitl import ContradictionDecided
from schemas.events.ledger import AtomRecord, ContradictionRecord
from streams.ledger.atoms.lifecycle import LOST, has_lost, retire
from streams.ledger.pairs.contradictions import DECIDED_FIELDS
from streams.ledger.pairs.revival import come_back
from streams.ledger.people.ruling import Refused, Ruling, require_fit, require_last
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.refusals import target_of_contradiction


def apply_to_contradiction(
    draft: ChangeSetDraft, ruling: Ruling, decided: ContradictionDecided
) -> None:
    """The contradiction is closed, handed on and still blocks, or open again. Raises Refused."""
    contradiction = draft.contradiction(decided.contradiction_id)
    if contradiction is None:
        raise Refused("unknown_target")
    require_fit(decided, target_of_contradiction(contradiction))
    if decided.decision == "reopen":
        _reopen(draft, contradiction, decided.undoes)
        return
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
    kind = decided.resolution_kind
    assert kind
    _close(draft, ruling, contradiction, "resolved", kind, resolution_kind=kind)
    sides = (contradiction.atom_a_id, contradiction.atom_b_id)
    first, second = (draft.put_atom(draft.get_atom(atom_id)) for atom_id in sides)
    if kind in ("a_wins", "b_wins"):
        winner, loser = (first, second) if kind == "a_wins" else (second, first)
        draft.link(winner.atom_id, loser.atom_id, "supersedes", LOST)
        kept = loser.model_copy(update={"previous_status": loser.status})
        retire(draft, kept, "superseded", LOST, by=winner)


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


def _reopen(draft: ChangeSetDraft, known: ContradictionRecord, undoes: str | None) -> None:
    """Open as before the decision ``undoes``; who has lost by it is live again.

    Raises Refused when one of the sides is gone or decided since.
    """
    assert undoes
    if known.resolution_kind in ("a_wins", "b_wins"):
        winner, loser = _sides_of(draft, known)
        _require_as_resolved(draft, winner, loser, undoes)
        _open_again(draft, known)
        _restore_loser(draft, winner, loser)
    else:
        if not all(draft.live_atom(each) for each in (known.atom_a_id, known.atom_b_id)):
            raise Refused("side_gone")
        _open_again(draft, known)


def _sides_of(draft: ChangeSetDraft, known: ContradictionRecord) -> tuple[AtomRecord, AtomRecord]:
    """Winner and loser of a contradiction that one side has won."""
    first, second = draft.get_atom(known.atom_a_id), draft.get_atom(known.atom_b_id)
    return (first, second) if known.resolution_kind == "a_wins" else (second, first)


def _require_as_resolved(
    draft: ChangeSetDraft, winner: AtomRecord, loser: AtomRecord, undoes: str
) -> None:
    """Raises Refused unless both sides are as the decision ``undoes`` left them."""
    for side in (winner, loser):
        last = side.resolution.hitl_event_id if side.resolution else None
        require_last(undoes, last, side.atom_id)
    is_won = has_lost(loser) and loser.superseded_by == winner.atom_id
    if not is_won or draft.live_atom(winner.atom_id) is None:
        raise Refused("side_gone")


def _open_again(draft: ChangeSetDraft, known: ContradictionRecord) -> None:
    """Open; handed on when it was before it was closed."""
    was_handed_on = known.status != "escalated" and known.escalated_to is not None
    opened = dict.fromkeys(DECIDED_FIELDS) | {"status": "open", "updated_seq": draft.seq}
    if was_handed_on:
        opened |= {"status": "escalated", "escalated_to": known.escalated_to}
    key = known.contradiction_id
    draft.contradictions[key] = known.model_copy(update=opened)
    draft.link(known.atom_a_id, known.atom_b_id, "contradicts", "reopened")
    draft.note("contradiction_opened", key, None, "reopened", known.explanation)


def _restore_loser(draft: ChangeSetDraft, winner: AtomRecord, loser: AtomRecord) -> None:
    """The loser is as it was before it lost."""
    status = loser.previous_status or "draft"
    draft.unlink(winner.atom_id, loser.atom_id, "supersedes", "reopened")
    draft.note("status_set", loser.atom_id, winner.atom_id, "reopened", status)
    changed = {"status": status, "status_reason": "reopened"}
    restored = draft.put_atom(loser, **changed, superseded_by=None, previous_status=None)
    draft.put_atom(winner)
    come_back(draft, restored)


def _record_decision(
    draft: ChangeSetDraft, ruling: Ruling, contradiction: ContradictionRecord, **fields: Any
) -> None:
    said = {"rationale": ruling.rationale or None, "updated_seq": draft.seq}
    draft.contradictions[contradiction.contradiction_id] = contradiction.model_copy(
        update=ruling.on_pair | said | fields
    )
