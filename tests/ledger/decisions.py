"""Decisions at random, about what a ledger shows: most can be carried out, some must be refused."""

from __future__ import annotations

import random
from typing import Any

from schemas.document_roles.public import DOCUMENT_ROLES
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
)
from streams.ledger.turns.fold import LedgerView
from streams.stage import Table

OF_STATUS: dict[str, tuple[type[PersonDecided], ...]] = {
    "dismissed": (AtomReincluded,),
    "merged": (MergeUndone,),
}
OF_LIVE = (AtomVerified, AtomUnverified, AtomDismissed)


def a_decision(view: LedgerView, chance: random.Random) -> PersonDecided | None:
    """A decision about an atom, pair or contradiction of the ledger; None when there is nothing."""
    tables: list[Table[Any]] = [view.atoms, view.contradictions, view.merge_candidates]
    if view.evidence and chance.random() < 0.2:
        return _about_a_document(view, chance)
    filled = [table for table in tables if table]
    if not filled:
        return None
    table = chance.choice(filled)
    record = chance.choice([record for _, record in table.items()])
    seen: dict[str, Any] = {
        "expected_revision": record.revision - chance.choice((0, 0, 0, 0, 0, 1)),
        "actor_role": chance.choice(("owner", "pm", "pm", "pm", "member")),
        "rationale": chance.choice(
            ("agreed with the whole team", "agreed with the whole team", "")
        ),
    }
    if table is view.atoms:
        event = chance.choice(OF_STATUS.get(record.status, OF_LIVE))
        return event.model_validate(seen | {"atom_id": record.atom_id})
    if table is view.contradictions:
        return ContradictionDecided(
            contradiction_id=record.contradiction_id,
            decision=chance.choice(("resolve", "resolve", "dismiss", "escalate")),
            resolution_kind=chance.choice(("a_wins", "b_wins", "both_valid", "reworded")),
            **seen,
        )
    return MergeDecided(
        merge_candidate_id=record.merge_candidate_id,
        decision=chance.choice(("approve", "reject")),
        **seen,
    )


def _about_a_document(view: LedgerView, chance: random.Random) -> DocumentRoleDecided:
    sources = sorted(
        {(key.split("|")[0], row.source_id) for key, row in view.evidence.items()},
    )
    project, source = chance.choice(sources)
    known = view.document_roles.get(f"{project}|{source}")
    return DocumentRoleDecided(
        source_id=source,
        role=chance.choice((*DOCUMENT_ROLES, None)),
        expected_revision=known.revision if known else 0,
        actor_role=chance.choice(("owner", "pm", "member")),
    )
