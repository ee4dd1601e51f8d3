"""Verification, dismissal and re-inclusion of one atom."""

from __future__ import annotations

from typing import Any

from schemas.events.hitl import (
    AtomDecided,
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    PersonDecided,
)
from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import take_back_confidence
from streams.ledger.atoms.lifecycle import retire
from streams.ledger.pairs.contradictions import refresh_contradictions
from streams.ledger.pairs.revival import come_back
from streams.ledger.people.ruling import Refused, Ruling, require_fit
from streams.ledger.turns.changes import Changes, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live
from streams.ledger.turns.refusals import target_of_atom

DEFAULT_FLOOR = 0.90
VERIFIED = "verified"  # why it is active what was a draft before


def apply_to_atom(ledger: CurrentLedger, ruling: Ruling, decided: PersonDecided) -> Changes[None]:
    """The atom as the person wants it. Raises Refused."""
    atom = ledger.atom(decided.target_id)
    if atom is None or not isinstance(decided, AtomDecided):
        raise Refused("unknown_target")
    require_fit(decided, target_of_atom(atom))
    match decided:
        case AtomVerified():
            yield from _verify(ledger, ruling, atom, decided.floor)
        case AtomUnverified():
            yield from _unverify(ledger, ruling, atom)
        case AtomDismissed():
            yield from _dismiss(ledger, atom)
        case AtomReincluded():
            yield from _reinclude(ledger, atom)


def _verify(
    ledger: CurrentLedger, ruling: Ruling, atom: AtomRecord, floor: float | None
) -> Changes[None]:
    floor = round(max(atom.confidence, DEFAULT_FLOOR) if floor is None else floor, 6)
    confidence = _confidence_before(ledger, atom) if ruling.undoes else atom.confidence
    verified = yield from put_atom(
        ledger,
        atom,
        confidence_floor=floor,
        confidence=max(confidence, floor),
        verified_by=ruling.actor_id,
        verified_at=ruling.at,
        status="active",
        status_reason=VERIFIED if atom.status == "draft" else atom.status_reason,
    )
    yield note("atom_verified", atom.atom_id, None, "verified", f"{floor:.6f}")
    yield from refresh_contradictions(ledger, verified, gained_source=False)


def _unverify(ledger: CurrentLedger, ruling: Ruling, atom: AtomRecord) -> Changes[None]:
    """Without floor and pin; the confidence stays until something is read again.

    Only when that verification is taken back, what was a draft is one again, and the confidence
    is without what the pin gave to it. When nothing but the pin kept it, since all that said it is
    gone, it goes as well.
    """
    changed: dict[str, Any] = {"confidence_floor": None, "verified_by": None, "verified_at": None}
    if ruling.undoes is not None:
        changed["confidence"] = _confidence_before(ledger, atom)
    if atom.status_reason == VERIFIED:
        changed["status_reason"] = "unverified"
        if ruling.undoes is not None and is_live(atom):
            changed["status"] = "draft"
    loose = yield from put_atom(ledger, atom, **changed)
    yield note("atom_unverified", atom.atom_id, None, "unverified")
    if loose.confidence != atom.confidence:
        yield note("confidence_set", atom.atom_id, None, "unverified", f"{loose.confidence:.6f}")
        yield from refresh_contradictions(ledger, loose, gained_source=False)
    if is_live(loose) and loose.evidence_state == "stale" and not _is_reread(ledger, loose):
        yield from retire(ledger, loose, "obsolete", "not_found_again")


def _confidence_before(ledger: CurrentLedger, atom: AtomRecord) -> float:
    """The confidence without what the last decision about the atom gave to it."""
    before, after = ledger.state.confidence_decided[f"{ledger.project}|{atom.atom_id}"]
    return take_back_confidence(atom.confidence, before, after)


def _is_reread(ledger: CurrentLedger, atom: AtomRecord) -> bool:
    """Whether a run may still find the atom again in a source that said it."""
    sources = {row.source_id for row in ledger.rows_of(atom.atom_id)}
    return any(f"{ledger.project}|{source}" in ledger.state.reread for source in sources)


def _dismiss(ledger: CurrentLedger, atom: AtomRecord) -> Changes[None]:
    kept = atom.model_copy(update={"previous_status": atom.status})
    yield from retire(ledger, kept, "dismissed", "dismissed_by_person")


def _reinclude(ledger: CurrentLedger, atom: AtomRecord) -> Changes[None]:
    status = atom.previous_status or "draft"
    after = yield from put_atom(
        ledger, atom, status=status, status_reason="reincluded", previous_status=None
    )
    yield note("atom_reincluded", atom.atom_id, None, "reincluded", status)
    yield from come_back(ledger, after)
