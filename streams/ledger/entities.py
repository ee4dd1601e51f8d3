"""Names in candidates resolved to entity atoms, and the relations a reader proposed checked.

A name without an entity waits, within bounds, and is linked when an atom of that name or alias
comes. That it waits stands in the change set, so that the ledger's own output alone tells it.
"""

from __future__ import annotations

from schemas.events.atom import Candidate
from schemas.fingerprint import norm_text
from streams.ledger.draft import Draft
from streams.ledger.indexes import is_live, names_of
from streams.ledger.state import MAX_WAITING_FOR_ENTITY

MAX_NAMES = 12
HINTS_TAKEN = frozenset({"supports", "derived_from"})


def link_entities(draft: Draft, atom_id: str, candidate: Candidate) -> None:
    """The atom's names are linked or wait; those that waited for this entity are linked."""
    if candidate.kind == "entity":
        _welcome(draft, atom_id)
    names = dict.fromkeys(norm_text(name) for name in candidate.entities[:MAX_NAMES])
    for name in names:
        if not name:
            continue
        entity_id = _entity_named(draft, name)
        if entity_id:
            draft.mention(atom_id, entity_id, name, "named")
            continue
        waiting = draft.waiting_for(name)
        if atom_id not in waiting and len(waiting) < MAX_WAITING_FOR_ENTITY:
            waiting.append(atom_id)
            draft.note("entity_linked", atom_id, None, "waiting", name)


def take_relations(draft: Draft, atom_id: str, candidate: Candidate) -> None:
    """Proposed links that hold are made; others are refused with a reason.

    Contradiction, merge and replacement are the ledger's to find and never taken on a hint.
    """
    for relation in candidate.relations:
        if relation.to == atom_id:
            refusal = "refused_self"
        elif draft.atom(relation.to) is None:
            refusal = "refused_missing_atom"
        elif relation.link_type not in HINTS_TAKEN:
            refusal = "refused_not_by_hint"
        else:
            draft.link(atom_id, relation.to, relation.link_type, "proposed")
            continue
        draft.note("link_removed", atom_id, relation.to, refusal, relation.link_type)


def _welcome(draft: Draft, entity_id: str) -> None:
    entity = draft.known_atom(entity_id)
    if not is_live(entity):
        return
    for name in names_of(entity):
        waiting = draft.waiting_for(name)
        if not waiting:
            continue
        for atom_id in waiting:
            draft.mention(atom_id, entity_id, name, "named")
        waiting.clear()
        draft.note("entity_linked", entity_id, None, "arrived", name)


def _entity_named(draft: Draft, name: str) -> str | None:
    """The oldest live entity of that name, those of this turn after all others."""
    known = draft.index.entity_named(name)
    if known and draft.live_atom(known):
        return known
    drafted = [atom for atom in draft.newly_live("entity") if name in names_of(atom)]
    return min((atom.atom_id for atom in drafted), default=None)
