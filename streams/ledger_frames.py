"""The frames of one change set of the ledger: its decision, its atoms and its contradictions.

There is one frame for all atoms of a change set, and one for all its contradictions: a client that
follows a large ingest gets as many frames as there are chunks, not as many as there are atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.events.ledger import AtomRecord, ContradictionRecord, HumanDecision, LedgerChanged

MOST_SHOWN = 50  # of one frame; it says how many there are
LONGEST_TITLE = 200

Frame = tuple[str, dict[str, Any]]


def make_ledger_frames(fact: LedgerChanged) -> Iterator[Frame]:
    if fact.hitl is not None:
        yield "decision", _decision(fact.hitl) | {"ledger_seq": fact.ledger_seq}
    atoms = [_atom(atom) for atom in fact.atoms if atom.ledger == "pkl"]
    if atoms:
        yield "atoms", _counted(fact, "atoms", atoms)
    pairs = [_contradiction(pair) for pair in fact.contradictions]
    if pairs:
        yield "contradictions", _counted(fact, "contradictions", pairs)


def _counted(fact: LedgerChanged, name: str, shown: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ledger_seq": fact.ledger_seq, "count": len(shown), name: shown[:MOST_SHOWN]}


def _decision(decided: HumanDecision) -> dict[str, Any]:
    return {
        "hitl_event_id": decided.hitl_event_id,
        "action": decided.action,
        "target_type": decided.target_type,
        "target_id": decided.target_id,
        "decision": decided.decision,
        "outcome": decided.outcome,
    }


def _atom(atom: AtomRecord) -> dict[str, Any]:
    """``is_new``: it came with this change set."""
    return {
        "atom_id": atom.atom_id,
        "kind": atom.kind,
        "status": atom.status,
        "title": atom.title[:LONGEST_TITLE],
        "confidence": atom.confidence,
        "is_new": atom.revision == 1,
    }


def _contradiction(pair: ContradictionRecord) -> dict[str, Any]:
    return {
        "contradiction_id": pair.contradiction_id,
        "status": pair.status,
        "severity": pair.severity,
        "atom_a_id": pair.atom_a_id,
        "atom_b_id": pair.atom_b_id,
    }
