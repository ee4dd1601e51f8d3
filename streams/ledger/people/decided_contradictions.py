"""What a person says about a contradiction: who is right, that it is none, or who shall decide."""

from __future__ import annotations

from typing import Any, Literal

from schemas.events.hitl import ContradictionDecided
from schemas.events.ledger import AtomRecord, ContradictionRecord
from streams.ledger.atoms.lifecycle import LOST, has_lost, retire
from streams.ledger.pairs.contradictions import DECIDED_FIELDS
from streams.ledger.pairs.revival import come_back
from streams.ledger.people.ruling import Refused, Ruling, require_fit, require_last
from streams.ledger.turns.changes import Changes, add_link, end_link, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.refusals import target_of_contradiction


def apply_to_contradiction(
    ledger: CurrentLedger, ruling: Ruling, decided: ContradictionDecided
) -> Changes[None]:
    """The contradiction is closed, handed on and still blocks, or open again. Raises Refused."""
    contradiction = ledger.contradiction(decided.contradiction_id)
    if contradiction is None:
        raise Refused("unknown_target")
    require_fit(decided, target_of_contradiction(contradiction))
    if decided.decision == "reopen":
        yield from _reopen(ledger, contradiction, decided.undoes)
        return
    match decided.decision:
        case "resolve":
            yield from _resolve(ledger, ruling, contradiction, decided)
        case "dismiss":
            yield from _close(ledger, ruling, contradiction, "dismissed", "dismissed")
        case "escalate":
            yield from _escalate(ledger, ruling, contradiction, decided.escalated_to)


def _resolve(
    ledger: CurrentLedger,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    decided: ContradictionDecided,
) -> Changes[None]:
    kind = decided.resolution_kind
    assert kind
    yield from _close(ledger, ruling, contradiction, "resolved", kind, resolution_kind=kind)
    first = yield from put_atom(ledger, ledger.get_atom(contradiction.atom_a_id))
    second = yield from put_atom(ledger, ledger.get_atom(contradiction.atom_b_id))
    if kind in ("a_wins", "b_wins"):
        winner, loser = (first, second) if kind == "a_wins" else (second, first)
        yield from add_link(ledger, winner.atom_id, loser.atom_id, "supersedes", LOST)
        kept = loser.model_copy(update={"previous_status": loser.status})
        yield from retire(ledger, kept, "superseded", LOST, by=winner)


def _close(
    ledger: CurrentLedger,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    status: Literal["resolved", "dismissed"],
    reason: str,
    **fields: Any,
) -> Changes[None]:
    yield from _record_decision(ledger, ruling, contradiction, status=status, **fields)
    yield from end_link(
        ledger, contradiction.atom_a_id, contradiction.atom_b_id, "contradicts", reason
    )
    yield note("contradiction_closed", contradiction.contradiction_id, None, reason)


def _escalate(
    ledger: CurrentLedger,
    ruling: Ruling,
    contradiction: ContradictionRecord,
    escalated_to: str | None,
) -> Changes[None]:
    yield from _record_decision(
        ledger, ruling, contradiction, status="escalated", escalated_to=escalated_to
    )
    key = contradiction.contradiction_id
    yield note("contradiction_updated", key, None, "escalated", escalated_to or "")


def _reopen(
    ledger: CurrentLedger, contradiction_record: ContradictionRecord, undoes: str | None
) -> Changes[None]:
    """Open as before the decision ``undoes``; who has lost by it is live again.

    Raises Refused when one of the sides is gone or decided since.
    """
    assert undoes
    if contradiction_record.resolution_kind in ("a_wins", "b_wins"):
        winner, loser = _sides_of(ledger, contradiction_record)
        _require_as_resolved(ledger, winner, loser, undoes)
        yield from _open_again(ledger, contradiction_record)
        yield from _restore_loser(ledger, winner, loser)
    else:
        if not all(
            ledger.live_atom(each)
            for each in (contradiction_record.atom_a_id, contradiction_record.atom_b_id)
        ):
            raise Refused("side_gone")
        yield from _open_again(ledger, contradiction_record)


def _sides_of(
    ledger: CurrentLedger, contradiction_record: ContradictionRecord
) -> tuple[AtomRecord, AtomRecord]:
    """Winner and loser of a contradiction that one side has won."""
    first, second = (
        ledger.get_atom(contradiction_record.atom_a_id),
        ledger.get_atom(contradiction_record.atom_b_id),
    )
    return (first, second) if contradiction_record.resolution_kind == "a_wins" else (second, first)


def _require_as_resolved(
    ledger: CurrentLedger, winner: AtomRecord, loser: AtomRecord, undoes: str
) -> None:
    """Raises Refused unless both sides are as the decision ``undoes`` left them."""
    for side in (winner, loser):
        last = side.resolution.hitl_event_id if side.resolution else None
        require_last(undoes, last, side.atom_id)
    is_won = has_lost(loser) and loser.superseded_by == winner.atom_id
    if not is_won or ledger.live_atom(winner.atom_id) is None:
        raise Refused("side_gone")


def _open_again(ledger: CurrentLedger, contradiction_record: ContradictionRecord) -> Changes[None]:
    """Open; handed on when it was before it was closed."""
    was_handed_on = (
        contradiction_record.status != "escalated" and contradiction_record.escalated_to is not None
    )
    opened = dict.fromkeys(DECIDED_FIELDS) | {"status": "open", "updated_seq": ledger.seq}
    if was_handed_on:
        opened |= {"status": "escalated", "escalated_to": contradiction_record.escalated_to}
    key = contradiction_record.contradiction_id
    yield contradiction_record.model_copy(update=opened)
    yield from add_link(
        ledger,
        contradiction_record.atom_a_id,
        contradiction_record.atom_b_id,
        "contradicts",
        "reopened",
    )
    yield note("contradiction_opened", key, None, "reopened", contradiction_record.explanation)


def _restore_loser(ledger: CurrentLedger, winner: AtomRecord, loser: AtomRecord) -> Changes[None]:
    """The loser is as it was before it lost."""
    status = loser.previous_status or "draft"
    yield from end_link(ledger, winner.atom_id, loser.atom_id, "supersedes", "reopened")
    yield note("status_set", loser.atom_id, winner.atom_id, "reopened", status)
    changed = {"status": status, "status_reason": "reopened"}
    restored = yield from put_atom(
        ledger, loser, **changed, superseded_by=None, previous_status=None
    )
    yield from put_atom(ledger, winner)
    yield from come_back(ledger, restored)


def _record_decision(
    ledger: CurrentLedger, ruling: Ruling, contradiction: ContradictionRecord, **fields: Any
) -> Changes[None]:
    said = {"rationale": ruling.rationale or None, "updated_seq": ledger.seq}
    yield contradiction.model_copy(update=ruling.on_pair | said | fields)
