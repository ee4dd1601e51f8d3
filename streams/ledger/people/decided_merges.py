"""Merge reviews, and merges undone.

A rejected pair, and one that was split again, is never merged or proposed again: its merge
candidate says so, and an atom's id is its fingerprint, so other wordings are other pairs.
"""

from __future__ import annotations

from typing import Any, Literal

from schemas.events.hitl import MergeDecided, MergeUndone
from schemas.events.ledger import (
    AtomRecord,
    ContradictionRecord,
    EvidenceRow,
    MergeCandidate,
    MergeOp,
)
from schemas.ids import evidence_id, pair_id
from streams.ledger.atoms.entities import follow_split
from streams.ledger.atoms.evidence import (
    TWO_ROWS_KINDS,
    count_rows,
    is_confirmed,
    take_back_confidence,
    with_confirmation,
)
from streams.ledger.pairs.contradictions import (
    ContradictionReason,
    record_contradiction,
    refresh_contradictions,
)
from streams.ledger.pairs.merging import merge
from streams.ledger.pairs.revival import come_back
from streams.ledger.people.ruling import Refused, Ruling, require_fit
from streams.ledger.turns.changes import (
    Changes,
    add_link,
    end_link,
    end_mention,
    note,
    put_atom,
    record_merge,
)
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.refusals import target_of_atom, target_of_pair
from streams.ledger.turns.state import OPEN

REVIEWED = "reviewed"


def apply_to_merge(ledger: CurrentLedger, ruling: Ruling, decided: MergeDecided) -> Changes[None]:
    """The pair is one atom, blocked for good, or in review again. Raises Refused."""
    pair = ledger.merge_candidate(decided.merge_candidate_id)
    if pair is None:
        raise Refused("unknown_target")
    require_fit(decided, target_of_pair(pair))
    if decided.decision == "reopen":
        if not (yield from _reopen(ledger, pair)):
            raise Refused("side_gone")
        return
    first, second = ledger.get_atom(pair.atom_a_id), ledger.get_atom(pair.atom_b_id)
    if decided.decision == "approve":
        yield from _record_decision(ledger, ruling, pair, "approved")
        yield from _merge(ledger, ruling, pair, first, second)
    else:
        yield from _record_decision(ledger, ruling, pair, "rejected")
        yield from _record_rejection(ledger, ruling, pair, first, second)


def _merge(
    ledger: CurrentLedger,
    ruling: Ruling,
    pair: MergeCandidate,
    first: AtomRecord,
    second: AtomRecord,
) -> Changes[None]:
    """One atom; what contradicted the other one contradicts it from now on."""
    contradictions = [
        each for side in (first, second) for each in _list_open_contradictions(ledger, side)
    ]
    later, other = sorted((first, second), key=_last_seen, reverse=True)
    merged = yield from merge(
        ledger,
        later,
        other,
        pair.similarity,
        op="reviewed_merge",
        reason=REVIEWED,
        actor=ruling.actor_id,
        candidate_id=pair.merge_candidate_id,
    )
    gone = {first.atom_id, second.atom_id} - {merged.atom_id}
    for contradiction in contradictions:
        sides = {contradiction.atom_a_id, contradiction.atom_b_id}
        for third in sorted(sides - gone - {merged.atom_id}):
            opponent = ledger.live_atom(third)
            if opponent and sides & gone:
                reason = ContradictionReason.of(contradiction)
                yield from record_contradiction(
                    ledger, merged, opponent, reason, gained_source=False
                )
    yield from refresh_contradictions(ledger, merged, gained_source=False)


def _record_rejection(
    ledger: CurrentLedger,
    ruling: Ruling,
    pair: MergeCandidate,
    first: AtomRecord,
    second: AtomRecord,
) -> Changes[None]:
    yield from record_merge(
        ledger,
        op="rejected_merge",
        winner_atom_id=first.atom_id,
        loser_atom_id=second.atom_id,
        candidate_id=pair.merge_candidate_id,
        similarity=pair.similarity,
        fingerprint_winner=first.atom_fingerprint,
        fingerprint_loser=second.atom_fingerprint,
        confidence_before=first.confidence,
        confidence_after=first.confidence,
        actor=ruling.actor_id,
        reason=REVIEWED,
    )


def undo_merge(ledger: CurrentLedger, ruling: Ruling, decided: MergeUndone) -> Changes[None]:
    """The loser of a merge is an atom of its own again. Raises Refused."""
    loser = ledger.atom(decided.atom_id)
    if loser is None:
        raise Refused("unknown_target")
    require_fit(decided, target_of_atom(loser))
    op = ledger.state.merges.get(f"{ledger.project}|{loser.atom_id}")
    if op is None:
        raise Refused("not_merged")
    holder = ledger.find_survivor(op.winner_atom_id)
    assert holder
    if ruling.undoes is None:
        yield from _block(ledger, ruling, op, holder, loser)
    else:
        _require_untouched(ledger, ruling.undoes, op)
    links_added, links_removed = yield from _links_back(ledger, op)
    for entity_id in op.mentions_added if holder.atom_id == op.winner_atom_id else ():
        yield from end_mention(ledger, holder.atom_id, entity_id, "unmerged")
    if loser.kind == "entity":
        yield from _mentions_back(ledger, op, loser)
    restored, rest, moved = yield from _rows_back(ledger, op, holder, loser)
    status = loser.previous_status or "draft"
    restored = yield from put_atom(
        ledger,
        restored,
        status=status,
        status_reason="unmerged",
        merged_into=None,
        previous_status=None,
    )
    yield note("status_set", loser.atom_id, holder.atom_id, "unmerged", status)
    rest = yield from _without(ledger, op, rest)
    yield from record_merge(
        ledger,
        op="unmerge",
        winner_atom_id=holder.atom_id,
        loser_atom_id=loser.atom_id,
        candidate_id=pair_id("mrg", ledger.project, op.winner_atom_id, loser.atom_id),
        similarity=op.similarity,
        fingerprint_winner=holder.atom_fingerprint,
        fingerprint_loser=loser.atom_fingerprint,
        confidence_before=holder.confidence,
        confidence_after=rest.confidence,
        evidence_added=moved,
        actor=ruling.actor_id,
        reason=f"undoes {op.merge_op_id}",
        links_added=links_added,
        links_removed=links_removed,
    )
    pair = op.candidate_id and ledger.merge_candidate(op.candidate_id)
    if ruling.undoes is not None and pair:
        yield from _reopen(ledger, pair)
    yield from come_back(ledger, restored)
    yield from refresh_contradictions(ledger, rest, gained_source=False)


def _require_untouched(ledger: CurrentLedger, undoes: str, op: MergeOp) -> None:
    """Raises Refused when a later decision was about what the merge made.

    That is the merged atom, also in whatever it was merged into since, and its contradictions.
    Decided against: to keep such a decision on the winner. Whoever made it saw the evidence of both
    statements as one, and nobody else can say which of the two it was about. Splitting them all the
    same is a decision of its own, without ``undoes``. A pair that was judged since stays judged:
    that was about wordings, which no merge changes.
    """
    made_at = ledger.state.decided[f"{ledger.project}|{undoes}"]
    for atom in _list_holders(ledger, op.winner_atom_id):
        last = atom.resolution.hitl_event_id if atom.resolution else None
        found = [(atom.atom_id, last)]
        found += [
            (each.contradiction_id, each.hitl_event_id)
            for each in ledger.contradictions_of(atom.atom_id)
        ]
        for record_id, decision_id in found:
            if decision_id and ledger.state.decided[f"{ledger.project}|{decision_id}"] > made_at:
                raise Refused("decided_since", record_id)


def _list_holders(ledger: CurrentLedger, atom_id: str) -> list[AtomRecord]:
    """The atom, and those that it was merged into one after the other."""
    found = [ledger.get_atom(atom_id)]
    while found[-1].status == "merged" and found[-1].merged_into:
        found.append(ledger.get_atom(found[-1].merged_into))
    return found


def _reopen(ledger: CurrentLedger, pair: MergeCandidate) -> Changes[bool]:
    """The pair is in review again if both of its atoms are live; else it is nobody's decision."""
    is_open = all(ledger.live_atom(each) for each in (pair.atom_a_id, pair.atom_b_id))
    key = pair.merge_candidate_id
    undecided = {"decided_by": None, "decided_at": None, "hitl_event_id": None}
    state = {"state": "open" if is_open else "withdrawn"}
    yield pair.model_copy(update=undecided | state)
    if is_open:
        yield note("merge_candidate_opened", key, None, "reopened", f"{pair.similarity:.6f}")
    return is_open


def _block(
    ledger: CurrentLedger, ruling: Ruling, op: MergeOp, holder: AtomRecord, loser: AtomRecord
) -> Changes[None]:
    for other in dict.fromkeys((op.winner_atom_id, holder.atom_id)):
        key = pair_id("mrg", ledger.project, other, loser.atom_id)
        first, second = sorted((other, loser.atom_id))
        pair = ledger.merge_candidate(key) or MergeCandidate(
            merge_candidate_id=key,
            atom_a_id=first,
            atom_b_id=second,
            similarity=op.similarity,
            opened_seq=ledger.seq,
        )
        yield from _record_decision(ledger, ruling, pair, "rejected")


def _links_back(ledger: CurrentLedger, op: MergeOp) -> Changes[tuple[list[str], list[str]]]:
    """The loser's links are its own again; the ids of those made and of those ended."""
    made: list[str] = []
    ended: list[str] = []
    for key in op.links_added:
        link = ledger.get_link(key)
        if link.active:
            yield from end_link(
                ledger, link.from_atom_id, link.to_atom_id, link.link_type, "unmerged"
            )
            ended.append(key)
    for key in op.links_removed:
        link = ledger.get_link(key)
        ends = (link.from_atom_id, link.to_atom_id)
        if (yield from add_link(ledger, *ends, link.link_type, "unmerged")):
            made.append(key)
    assert op.loser_atom_id
    yield from end_link(ledger, op.loser_atom_id, op.winner_atom_id, "duplicates", "unmerged")
    return made, ended


def _mentions_back(ledger: CurrentLedger, op: MergeOp, loser: AtomRecord) -> Changes[None]:
    """On the way from the one it was merged into to the one that stands for it now."""
    for each in _list_holders(ledger, op.winner_atom_id):
        yield from follow_split(ledger, loser, each, _wordings(ledger, each.atom_id)[1:])


def _rows_back(
    ledger: CurrentLedger, op: MergeOp, holder: AtomRecord, loser: AtomRecord
) -> Changes[tuple[AtomRecord, AtomRecord, list[str]]]:
    """Loser and holder with their own rows, and the ids of those that went back.

    Rows that came to the loser's wording after the merge are known by their ids, and so are those
    of the holder's own, which the loser may have held while it was the winner.
    """
    wordings = _wordings(ledger, loser.atom_id)
    moved: list[str] = []
    for row in ledger.rows_of(holder.atom_id):
        came = row.evidence_id in op.evidence_added or _is_of(row, wordings)
        if not came or _is_of(row, [holder.atom_id]):
            continue
        yield row.model_copy(update={"atom_id": loser.atom_id})
        fresh = int(not row.stale)
        holder = yield from count_rows(ledger, holder, row, evidence=-1, fresh=-fresh)
        loser = yield from count_rows(ledger, loser, row, evidence=1, fresh=fresh)
        moved.append(row.evidence_id)
    return loser, holder, moved


def _wordings(ledger: CurrentLedger, atom_id: str) -> list[str]:
    """The atom and those that were merged into it before."""
    found = [atom_id]
    for wording in found:
        found += [
            link.from_atom_id
            for link in ledger.links_of(wording)
            if link.link_type == "duplicates" and link.to_atom_id == wording
        ]
    return found


def _is_of(row: EvidenceRow, wordings: list[str]) -> bool:
    span = (row.chunk_id, row.char_start, row.char_end)
    return any(evidence_id(atom_id, *span) == row.evidence_id for atom_id in wordings)


def _without(ledger: CurrentLedger, op: MergeOp, holder: AtomRecord) -> Changes[AtomRecord]:
    """The holder without what the merge gave to its confidence and status."""
    holder = with_confirmation(ledger, holder)
    left = take_back_confidence(holder.confidence, op.confidence_before, op.confidence_after)
    least = max(op.confidence_before, holder.confidence_floor or 0.0)
    changed: dict[str, Any] = {"confidence": max(left, least)}
    unearned = holder.status_reason == "merged_with_active" or (
        holder.kind in TWO_ROWS_KINDS and not is_confirmed(ledger, holder)
    )
    if holder.status == "active" and unearned and not holder.verified_by:
        changed |= {"status": "draft", "status_reason": "unmerged"}
        yield note("status_set", holder.atom_id, op.loser_atom_id, "unmerged", "draft")
    if changed["confidence"] != holder.confidence:
        shown = f"{changed['confidence']:.6f}"
        yield note("confidence_set", holder.atom_id, op.loser_atom_id, "unmerged", shown)
    return (yield from put_atom(ledger, holder, **changed))


def _record_decision(
    ledger: CurrentLedger,
    ruling: Ruling,
    pair: MergeCandidate,
    state: Literal["approved", "rejected"],
) -> Changes[None]:
    key = pair.merge_candidate_id
    yield pair.model_copy(update=ruling.on_pair | {"state": state})
    yield note("merge_candidate_closed", key, None, state)


def _list_open_contradictions(ledger: CurrentLedger, atom: AtomRecord) -> list[ContradictionRecord]:
    return [each for each in ledger.contradictions_of(atom.atom_id) if each.status in OPEN]


def _last_seen(atom: AtomRecord) -> tuple[Any, str]:
    return atom.last_seen_at, atom.atom_id
