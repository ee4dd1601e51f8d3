"""Near duplicates: the same statement in other words.

One new atom at a time is compared with what the index nominates. Above the upper threshold the two
become one, in the band between a person is asked, and a statement that has changed at its place in
a re-read source replaces its older wording.

An entity is its name: entities with different names never become one without a person, however
alike their descriptions are.
"""

from __future__ import annotations

from typing import Literal

from schemas.events.atom import Provenance, Reading
from schemas.events.ledger import LIVE, AtomRecord
from schemas.features import keep_feature
from schemas.fingerprint import norm_text
from schemas.ids import pair_id
from schemas.worth import keep_best_role
from streams.ledger.atoms.entities import follow_merge
from streams.ledger.atoms.evidence import merge_confidence, move_rows, status_by_rows
from streams.ledger.atoms.lifecycle import retire
from streams.ledger.likeness.agreement import agreement
from streams.ledger.likeness.near_index import Near
from streams.ledger.likeness.similarity import (
    AUTO_MERGE_THRESHOLD,
    MERGE_REVIEW_THRESHOLD,
    jaccard,
    similarity,
    text_to_compare,
    title_similarity,
    words,
)
from streams.ledger.pairs.reviews import Duplicate, ask_about_nearest, raw_text
from streams.ledger.turns.changes import (
    Changes,
    add_link,
    add_mention,
    end_link,
    put_atom,
    record_merge,
)
from streams.ledger.turns.current import CurrentLedger

MIN_JACCARD = 2 * MERGE_REVIEW_THRESHOLD - 1 - 1e-6  # cosine is 1 at most
MAX_COMPARED = 16  # nearest by their words that are compared letter by letter: 0.1 ms a pair


def near_duplicates(ledger: CurrentLedger, atom: AtomRecord) -> list[Near]:
    """What shares rare words with the atom: from the index, then from this turn itself."""
    ours = words(text_to_compare(atom))
    near = ledger.index.group(atom.kind).near(ours)
    for other in ledger.find_newly_live(atom.kind):
        theirs = words(text_to_compare(other))
        near.append(Near(other.atom_id, other.kind, other.polarity, jaccard(ours, theirs)))
    return [each for each in near if each.atom_id != atom.atom_id]


def settle_near_duplicates(
    ledger: CurrentLedger, reading: Reading, atom: AtomRecord, near: list[Near]
) -> Changes[AtomRecord]:
    """Merge, replace or ask; the atom that stands for the statement afterwards."""
    duplicates = _duplicates(ledger, atom, near)
    for duplicate in duplicates:
        if _replaces(ledger, reading, duplicate.atom):
            yield from _supersede(ledger, atom, duplicate)
        elif _merges(duplicate):
            return (yield from merge(ledger, atom, duplicate.atom, duplicate.similarity))
    if twin := _find_dismissed_twin(ledger, atom):
        return (
            yield from merge_into(
                ledger,
                twin.atom,
                atom,
                twin.similarity,
                confidence=max(atom.confidence, twin.atom.confidence),
                latest=atom.latest_provenance,
                reason="same_as_dismissed",
            )
        )
    yield from ask_about_nearest(ledger, atom, duplicates)
    return ledger.get_atom(atom.atom_id)


def ask_about(ledger: CurrentLedger, atom: AtomRecord, near: list[Near]) -> Changes[None]:
    """A person is asked about the nearest duplicates of an atom that a person brought back."""
    yield from ask_about_nearest(ledger, atom, _duplicates(ledger, atom, near))


def _find_dismissed_twin(ledger: CurrentLedger, atom: AtomRecord) -> Duplicate | None:
    """What a person has dismissed and the atom says again, in other words only."""
    dismissed = ledger.index.dismissed_group(atom.kind)
    if not dismissed.ordinals:
        return None
    near = dismissed.near(words(text_to_compare(atom)))
    twins = (
        twin
        for twin in _duplicates(ledger, atom, near, status=frozenset({"dismissed"}))
        if _merges(twin)
    )
    return next(twins, None)


def _duplicates(
    ledger: CurrentLedger, atom: AtomRecord, near: list[Near], status: frozenset[str] = LIVE
) -> list[Duplicate]:
    """Those of that status, most alike first, then by atom id; of a series only the nearest."""
    text = text_to_compare(atom)
    duplicates: list[Duplicate] = []
    compared = 0
    for each in sorted(near, key=lambda each: (-each.jaccard, each.atom_id)):
        same_polarity = not each.polarity or not atom.polarity or each.polarity == atom.polarity
        if each.jaccard < MIN_JACCARD or each.kind != atom.kind or not same_polarity:
            continue
        other = ledger.get_atom(each.atom_id)
        if other.status not in status or _is_rejected(ledger, atom, other):
            continue
        if (compared := compared + 1) > MAX_COMPARED:
            break
        other_text = text_to_compare(other)
        alike = similarity(text, other_text)
        renamed = atom.kind == "entity" and norm_text(atom.title) != norm_text(other.title)
        if renamed:
            alike = min(alike, title_similarity(atom.title, other.title))
        if alike >= MERGE_REVIEW_THRESHOLD:
            pinned = bool(atom.verified_by and other.verified_by)
            agreed = agreement(raw_text(atom), raw_text(other))
            if agreed == "same" and (pinned or renamed):
                agreed = "unsure"
            duplicates.append(Duplicate(other, alike, agreed))
    duplicates.sort(key=lambda each: (-each.similarity, each.atom.atom_id))
    return duplicates


def _is_rejected(ledger: CurrentLedger, one: AtomRecord, other: AtomRecord) -> bool:
    """Whether a person has said that the two are different statements."""
    pair = ledger.merge_candidate(pair_id("mrg", ledger.project, one.atom_id, other.atom_id))
    return pair is not None and pair.state == "rejected"


def _merges(duplicate: Duplicate) -> bool:
    return duplicate.similarity >= AUTO_MERGE_THRESHOLD and duplicate.agreed == "same"


def _replaces(ledger: CurrentLedger, reading: Reading, other: AtomRecord) -> bool:
    """Whether the other one is the older wording at the place that was read again.

    What the same reading says again is no older wording: a record was put in beside it.
    """
    if other.evidence_state != "stale" or other.verified_by:
        return False
    if other.atom_fingerprint in ledger.fingerprints_read:
        return False
    rows = ledger.rows_of(other.atom_id)
    return all(row.source_id == reading.source_id for row in rows) and any(
        row.structure_path == reading.structure_path for row in rows
    )


def _supersede(ledger: CurrentLedger, atom: AtomRecord, duplicate: Duplicate) -> Changes[None]:
    old = duplicate.atom
    yield from record_merge(
        ledger,
        op="supersede",
        winner_atom_id=atom.atom_id,
        loser_atom_id=old.atom_id,
        similarity=duplicate.similarity,
        fingerprint_winner=atom.atom_fingerprint,
        fingerprint_loser=old.atom_fingerprint,
        confidence_before=atom.confidence,
        confidence_after=atom.confidence,
        reason="changed_at_its_place",
    )
    yield from add_link(ledger, atom.atom_id, old.atom_id, "supersedes", "changed_at_its_place")
    yield from retire(ledger, old, "superseded", "changed_at_its_place", by=atom)


def merge(
    ledger: CurrentLedger,
    later: AtomRecord,
    other: AtomRecord,
    similarity: float,
    *,
    op: Literal["auto_merge", "reviewed_merge"] = "auto_merge",
    reason: str = "near_duplicate",
    actor: str = "system",
    candidate_id: str | None = None,
) -> Changes[AtomRecord]:
    """One of the two with the evidence of both; the other points at it.

    ``later`` is the one that was seen last.
    """
    winner, loser = sorted((later, other), key=_precedence)
    moving = ledger.rows_of(loser.atom_id)
    new_source = any(
        ledger.supports(row.source_id, winner.atom_id) is None for row in moving if not row.stale
    )
    return (
        yield from merge_into(
            ledger,
            winner,
            loser,
            similarity,
            confidence=merge_confidence(winner, loser.confidence, new_source=new_source),
            latest=later.latest_provenance,
            op=op,
            reason=reason,
            actor=actor,
            candidate_id=candidate_id,
        )
    )


def merge_into(
    ledger: CurrentLedger,
    winner: AtomRecord,
    loser: AtomRecord,
    similarity: float,
    *,
    confidence: float,
    latest: Provenance,
    reason: str,
    op: Literal["auto_merge", "reviewed_merge"] = "auto_merge",
    actor: str = "system",
    candidate_id: str | None = None,
) -> Changes[AtomRecord]:
    """The winner with the evidence of both and that ``confidence``; the loser points at it."""
    merged, moved = yield from move_rows(ledger, loser, winner)
    merged = merged.model_copy(
        update={
            "confidence": confidence,
            "last_run_id": ledger.run_id or winner.last_run_id,
            "last_seen_at": max(winner.last_seen_at, loser.last_seen_at),
            "latest_provenance": latest,
            "attributes": keep_feature(
                keep_best_role(winner.attributes, loser.attributes), loser.attributes
            ),
        }
    )
    merged = yield from put_atom(ledger, merged, **status_by_rows(ledger, merged))
    if loser.status == "active" and merged.status == "draft":
        merged = yield from put_atom(
            ledger, merged, status="active", status_reason="merged_with_active"
        )
    links_added, links_removed = yield from _move_links(ledger, loser, winner)
    mentions_added = yield from _add_mentions(ledger, loser, winner)
    if loser.kind == "entity":
        yield from follow_merge(ledger, loser, winner)
    yield from record_merge(
        ledger,
        op=op,
        winner_atom_id=winner.atom_id,
        loser_atom_id=loser.atom_id,
        candidate_id=candidate_id,
        similarity=similarity,
        fingerprint_winner=winner.atom_fingerprint,
        fingerprint_loser=loser.atom_fingerprint,
        confidence_before=winner.confidence,
        confidence_after=confidence,
        evidence_added=moved,
        actor=actor,
        reason=reason,
        links_added=links_added,
        links_removed=links_removed,
        mentions_added=mentions_added,
    )
    yield from retire(ledger, _without_evidence(loser), "merged", reason, by=merged)
    yield from add_link(ledger, loser.atom_id, winner.atom_id, "duplicates", reason)
    return merged


def _without_evidence(loser: AtomRecord) -> AtomRecord:
    return loser.model_copy(
        update={
            "evidence_count": 0,
            "direct_evidence_count": 0,
            "source_count": 0,
            "stale_evidence_count": 0,
            "previous_status": loser.status,
        }
    )


def _precedence(atom: AtomRecord) -> tuple[bool, int, float, int, str]:
    """Verified first, then more rows, higher confidence, older, smaller id."""
    return (
        atom.verified_by is None,
        -atom.evidence_count,
        -atom.confidence,
        atom.first_seq,
        atom.atom_id,
    )


def _move_links(
    ledger: CurrentLedger, loser: AtomRecord, winner: AtomRecord
) -> Changes[tuple[list[str], list[str]]]:
    """The loser's links at the winner; links of pairs, and between the two, stay or end.

    The ids of the links made, and of those ended.
    """
    made: list[str] = []
    ended: list[str] = []
    for link in ledger.links_of(loser.atom_id):
        if link.link_type in ("contradicts", "duplicates", "supersedes"):
            continue
        yield from end_link(ledger, link.from_atom_id, link.to_atom_id, link.link_type, "merged")
        ended.append(link.link_id)
        ends = (link.from_atom_id, link.to_atom_id)
        first, second = (winner.atom_id if end == loser.atom_id else end for end in ends)
        if first != second and (
            key := (yield from add_link(ledger, first, second, link.link_type, "merged"))
        ):
            made.append(key)
    return made, ended


def _add_mentions(
    ledger: CurrentLedger, loser: AtomRecord, winner: AtomRecord
) -> Changes[list[str]]:
    """The loser's mentions at the winner, too; the ids of the entities that are new there."""
    made: list[str] = []
    for each in ledger.mentions_of(loser.atom_id):
        entity_id = each.entity_atom_id
        if (yield from add_mention(ledger, winner.atom_id, entity_id, each.mention, "merged")):
            made.append(entity_id)
    return made
