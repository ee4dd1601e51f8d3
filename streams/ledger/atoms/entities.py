"""Names in candidates resolved to entity atoms, and the relations a reader proposed checked.

A name without an entity waits, within bounds, and is linked when an atom of that name or alias
comes. That it waits stands in the change set, so that the ledger's own output alone tells it.
"""

from __future__ import annotations

from schemas.events.atom import Candidate, Relation
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from streams.ledger.atoms.lifecycle import ANSWERED, retire
from streams.ledger.turns.changes import Changes, Waiting, add_link, add_mention, end_mention, note
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live, names_of
from streams.ledger.turns.state import MAX_WAITING_FOR_ENTITY

MAX_NAMES = 12
HINTS_TAKEN = frozenset({"supports", "derived_from"})


def link_names(ledger: CurrentLedger, atom_id: str, candidate: Candidate) -> Changes[None]:
    """The atom's names are linked to their entities, or wait for one."""
    names = dict.fromkeys(norm_text(name) for name in candidate.entities[:MAX_NAMES])
    for name in names:
        if not name:
            continue
        entity_id = _entity_named(ledger, name)
        if entity_id:
            yield from add_mention(ledger, atom_id, entity_id, name, "named")
            continue
        waiting = ledger.find_waiting(name)
        if atom_id not in waiting and len(waiting) < MAX_WAITING_FOR_ENTITY:
            yield Waiting(name, [*waiting, atom_id])
            yield note("entity_linked", atom_id, None, "waiting", name)


def take_relations(
    ledger: CurrentLedger, atom_id: str, candidate: Candidate, engine: str
) -> Changes[None]:
    """Proposed links that hold are made; others are refused with a reason.

    Contradiction, merge and replacement are the ledger's to find and never taken on a hint. One
    replacement is: a question read in the same text as what answers it.
    """
    for relation in candidate.relations:
        to = ledger.read_as.get(relation.to, relation.to)
        target = ledger.atom(to)
        if to == atom_id:
            refusal = "refused_self"
        elif target is None:
            refusal = "refused_missing_atom"
        elif relation.link_type in HINTS_TAKEN:
            by_model = engine == "model"
            yield from add_link(
                ledger, atom_id, to, relation.link_type, "proposed", by_model=by_model
            )
            continue
        elif _is_answered(target, relation, ledger):
            yield from add_link(ledger, atom_id, to, relation.link_type, ANSWERED)
            yield from retire(ledger, target, "superseded", ANSWERED, by=ledger.get_atom(atom_id))
            continue
        else:
            refusal = "refused_not_by_hint"
        yield note("link_removed", atom_id, to, refusal, relation.link_type)


def _is_answered(question: AtomRecord, relation: Relation, ledger: CurrentLedger) -> bool:
    """Whether the hint closes an open question of this turn: it stays, with who answered it."""
    closes = relation.link_type == "supersedes" and relation.to in ledger.read_as
    return closes and question.kind == "unknown" and is_live(question)


def welcome(ledger: CurrentLedger, entity: AtomRecord) -> Changes[None]:
    """Those that waited for this entity speak of it, and so do those they were merged into.

    One that was merged at once is spoken of as what it was merged into.
    """
    spoken_of = ledger.find_survivor(entity.atom_id)
    if spoken_of is None or not is_live(spoken_of):
        return
    for name in dict.fromkeys((*names_of(entity), *names_of(spoken_of))):
        waiting = ledger.find_waiting(name)
        if not waiting:
            continue
        for atom_id in waiting:
            standing = ledger.find_survivor(atom_id)
            for speaker in dict.fromkeys((atom_id, standing.atom_id if standing else atom_id)):
                yield from add_mention(ledger, speaker, spoken_of.atom_id, name, "named")
        yield Waiting(name, [])
        yield note("entity_linked", spoken_of.atom_id, None, "arrived", name)


def follow_merge(ledger: CurrentLedger, loser: AtomRecord, winner: AtomRecord) -> Changes[None]:
    """Who speaks of the loser speaks of the winner; the loser keeps its own for a split."""
    for each in ledger.mentions_to(loser.atom_id):
        yield from add_mention(ledger, each.atom_id, winner.atom_id, each.mention, "merged")


def follow_split(
    ledger: CurrentLedger, loser: AtomRecord, holder: AtomRecord, others: list[str]
) -> Changes[None]:
    """Who speaks of the holder only by a name of the loser speaks of the loser alone.

    ``others`` are the entities merged into the holder that stay there.
    """
    own, of_loser = names_of(holder), names_of(loser)
    for each in ledger.mentions_to(holder.atom_id):
        speaker, name = each.atom_id, each.mention
        came = name in of_loser or ledger.speaks_of(speaker, loser.atom_id)
        stays = name in own or any(ledger.speaks_of(speaker, other) for other in others)
        if came and not stays:
            yield from end_mention(ledger, speaker, holder.atom_id, "unmerged")
            yield from add_mention(ledger, speaker, loser.atom_id, name, "unmerged")


def _entity_named(ledger: CurrentLedger, name: str) -> str | None:
    """The oldest live entity of that name, those of this turn after all others.

    Else the one that an entity of that name was merged into.
    """
    known = ledger.index.entities_named(name)
    drafted = (atom for atom in ledger.atoms.values() if atom.kind == "entity")
    fresh = sorted(atom.atom_id for atom in drafted if name in names_of(atom))
    named = list(dict.fromkeys((*known, *fresh)))
    own = next((atom_id for atom_id in named if ledger.live_atom(atom_id)), None)
    heirs = (ledger.find_survivor(atom_id) for atom_id in named)
    return own or next((heir.atom_id for heir in heirs if heir and is_live(heir)), None)
