"""What a step of a turn changes.

Steps yield it, whole records as they stand after, and ``ChangeSetDraft.apply`` lays it over the
ledger: a step that has yielded a change sees the ledger with it when it goes on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from schemas.events.ledger import (
    AtomRecord,
    Change,
    ChangeOp,
    ContradictionRecord,
    DocumentRoleRecord,
    EntityMention,
    EvidenceRow,
    LinkRecord,
    LinkType,
    MergeCandidate,
    MergeOp,
    Turn,
)
from schemas.ids import merge_op_id
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.judgements import Pair


class Support(NamedTuple):
    """The atom has ``step`` more fresh rows of the source."""

    source_id: str
    atom_id: str
    step: int


class Waiting(NamedTuple):
    """These atoms speak of a normalised name that has no entity."""

    name: str
    atom_ids: Sequence[str]


class ReadAs(NamedTuple):
    """A candidate of this turn became that atom."""

    candidate_id: str
    atom_id: str


class FingerprintsRead(NamedTuple):
    """Those of candidates of this turn."""

    fingerprints: frozenset[str]


class Doubt(NamedTuple):
    """A model may be asked about a pair."""

    pair: Pair
    doubt: float


Records = (
    AtomRecord
    | EvidenceRow
    | LinkRecord
    | EntityMention
    | MergeCandidate
    | ContradictionRecord
    | DocumentRoleRecord
)
Changed = Records | MergeOp | Change | Turn | Support | Waiting | ReadAs | FingerprintsRead | Doubt
T = TypeVar("T")
Changes = Generator[Changed, None, T]  # and what the step comes to


def note(
    op: ChangeOp,
    target_id: str,
    other_id: str | None = None,
    reason: str = "",
    detail: str = "",
) -> Change:
    """What was done to what, and why."""
    return Change(op=op, target_id=target_id, other_id=other_id, reason=reason, detail=detail)


def put_atom(ledger: CurrentLedger, atom: AtomRecord, **changed: Any) -> Changes[AtomRecord]:
    """The atom with ``changed`` fields; its revision goes up once a change set."""
    before = ledger.state.atom(ledger.project, atom.atom_id)
    revision = before.revision + 1 if before else 1
    after = atom.model_copy(update={"revision": revision} | changed)
    yield after
    return after


def add_link(
    ledger: CurrentLedger,
    from_atom: str,
    to_atom: str,
    link_type: LinkType,
    reason: str,
    *,
    by_model: bool = False,
) -> Changes[str | None]:
    """An active link from one atom to the other; its id, or None when there was one."""
    key, known = ledger.find_link(from_atom, to_atom, link_type)
    if known and known.active:
        return None
    ours: Literal["rule", "model"] = "model" if by_model else "rule"
    yield LinkRecord(
        link_id=key,
        from_atom_id=from_atom,
        to_atom_id=to_atom,
        link_type=link_type,
        created_by="human" if ledger.is_of_person else ours,
        run_id=ledger.run_id,
    )
    yield note("link_added", from_atom, to_atom, link_type, reason)
    return key


def end_link(
    ledger: CurrentLedger, from_atom: str, to_atom: str, link_type: LinkType, reason: str
) -> Changes[None]:
    """There is no active link from one atom to the other."""
    _, known = ledger.find_link(from_atom, to_atom, link_type)
    if known and known.active:
        yield known.model_copy(update={"active": False})
        yield note("link_removed", from_atom, to_atom, link_type, reason)


def add_mention(
    ledger: CurrentLedger, atom_id: str, entity_id: str, name: str, reason: str
) -> Changes[bool]:
    """The atom speaks of the entity; False when that is known, or said of itself."""
    if atom_id == entity_id or ledger.speaks_of(atom_id, entity_id):
        return False
    yield EntityMention(atom_id=atom_id, entity_atom_id=entity_id, mention=name)
    yield note("entity_linked", atom_id, entity_id, reason, name)
    return True


def end_mention(ledger: CurrentLedger, atom_id: str, entity_id: str, reason: str) -> Changes[None]:
    """The atom does not speak of the entity after all."""
    mention = ledger.find_mention(atom_id, entity_id)
    if mention and mention.active:
        yield mention.model_copy(update={"active": False})
        yield note("entity_linked", atom_id, entity_id, reason, mention.mention)


def record_merge(ledger: CurrentLedger, **fields: Any) -> Changes[None]:
    op = MergeOp(
        merge_op_id=merge_op_id(ledger.cause_id, ledger.merges_made),
        run_id=ledger.run_id,
        caused_by_event_id=ledger.cause_id,
        **fields,
    )
    yield op
    yield note("merge_op_recorded", op.winner_atom_id, op.loser_atom_id, op.op, op.merge_op_id)
