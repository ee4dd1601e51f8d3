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
from streams.ledger.turns.draft import ChangeSetDraft

MIN_JACCARD = 2 * MERGE_REVIEW_THRESHOLD - 1 - 1e-6  # cosine is 1 at most
MAX_COMPARED = 16  # nearest by their words that are compared letter by letter: 0.1 ms a pair


def near_duplicates(draft: ChangeSetDraft, atom: AtomRecord) -> list[Near]:
    """What shares rare words with the atom: from the index, then from this turn itself."""
    ours = words(text_to_compare(atom))
    near = draft.index.group(atom.kind).near(ours)
    for other in draft.find_newly_live(atom.kind):
        theirs = words(text_to_compare(other))
        near.append(Near(other.atom_id, other.kind, other.polarity, jaccard(ours, theirs)))
    return [each for each in near if each.atom_id != atom.atom_id]


def settle_near_duplicates(
    draft: ChangeSetDraft, reading: Reading, atom: AtomRecord, near: list[Near]
) -> AtomRecord:
    """Merge, replace or ask; the atom that stands for the statement afterwards."""
    duplicates = _duplicates(draft, atom, near)
    for duplicate in duplicates:
        if _replaces(draft, reading, duplicate.atom):
            _supersede(draft, atom, duplicate)
        elif _merges(duplicate):
            return merge(draft, atom, duplicate.atom, duplicate.similarity)
    if twin := _find_dismissed_twin(draft, atom):
        return merge_into(
            draft,
            twin.atom,
            atom,
            twin.similarity,
            confidence=max(atom.confidence, twin.atom.confidence),
            latest=atom.latest_provenance,
            reason="same_as_dismissed",
        )
    ask_about_nearest(draft, atom, duplicates)
    return draft.get_atom(atom.atom_id)


def ask_about(draft: ChangeSetDraft, atom: AtomRecord, near: list[Near]) -> None:
    """A person is asked about the nearest duplicates of an atom that a person brought back."""
    ask_about_nearest(draft, atom, _duplicates(draft, atom, near))


def _find_dismissed_twin(draft: ChangeSetDraft, atom: AtomRecord) -> Duplicate | None:
    """What a person has dismissed and the atom says again, in other words only."""
    dismissed = draft.index.dismissed_group(atom.kind)
    if not dismissed.ordinals:
        return None
    near = dismissed.near(words(text_to_compare(atom)))
    twins = (
        twin
        for twin in _duplicates(draft, atom, near, status=frozenset({"dismissed"}))
        if _merges(twin)
    )
    return next(twins, None)


def _duplicates(
    draft: ChangeSetDraft, atom: AtomRecord, near: list[Near], status: frozenset[str] = LIVE
) -> list[Duplicate]:
    """Those of that status, most alike first, then by atom id; of a series only the nearest."""
    text = text_to_compare(atom)
    found: list[Duplicate] = []
    compared = 0
    for each in sorted(near, key=lambda each: (-each.jaccard, each.atom_id)):
        same_polarity = not each.polarity or not atom.polarity or each.polarity == atom.polarity
        if each.jaccard < MIN_JACCARD or each.kind != atom.kind or not same_polarity:
            continue
        other = draft.get_atom(each.atom_id)
        if other.status not in status or _is_rejected(draft, atom, other):
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
            found.append(Duplicate(other, alike, agreed))
    found.sort(key=lambda each: (-each.similarity, each.atom.atom_id))
    return found


def _is_rejected(draft: ChangeSetDraft, one: AtomRecord, other: AtomRecord) -> bool:
    """Whether a person has said that the two are different statements."""
    pair = draft.merge_candidate(pair_id("mrg", draft.project, one.atom_id, other.atom_id))
    return pair is not None and pair.state == "rejected"


def _merges(duplicate: Duplicate) -> bool:
    return duplicate.similarity >= AUTO_MERGE_THRESHOLD and duplicate.agreed == "same"


def _replaces(draft: ChangeSetDraft, reading: Reading, other: AtomRecord) -> bool:
    """Whether the other one is the older wording at the place that was read again.

    What the same reading says again is no older wording: a record was put in beside it.
    """
    if other.evidence_state != "stale" or other.verified_by:
        return False
    if other.atom_fingerprint in draft.fingerprints_read:
        return False
    rows = draft.rows_of(other.atom_id)
    return all(row.source_id == reading.source_id for row in rows) and any(
        row.structure_path == reading.structure_path for row in rows
    )


def _supersede(draft: ChangeSetDraft, atom: AtomRecord, duplicate: Duplicate) -> None:
    old = duplicate.atom
    draft.record_merge(
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
    draft.link(atom.atom_id, old.atom_id, "supersedes", "changed_at_its_place")
    retire(draft, old, "superseded", "changed_at_its_place", by=atom)


def merge(
    draft: ChangeSetDraft,
    later: AtomRecord,
    other: AtomRecord,
    similarity: float,
    *,
    op: Literal["auto_merge", "reviewed_merge"] = "auto_merge",
    reason: str = "near_duplicate",
    actor: str = "system",
    candidate_id: str | None = None,
) -> AtomRecord:
    """One of the two with the evidence of both; the other points at it.

    ``later`` is the one that was seen last.
    """
    winner, loser = sorted((later, other), key=_precedence)
    moving = draft.rows_of(loser.atom_id)
    new_source = any(
        draft.supports(row.source_id, winner.atom_id) is None for row in moving if not row.stale
    )
    return merge_into(
        draft,
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


def merge_into(
    draft: ChangeSetDraft,
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
) -> AtomRecord:
    """The winner with the evidence of both and that ``confidence``; the loser points at it."""
    merged, moved = move_rows(draft, loser, winner)
    merged = merged.model_copy(
        update={
            "confidence": confidence,
            "last_run_id": draft.run_id or winner.last_run_id,
            "last_seen_at": max(winner.last_seen_at, loser.last_seen_at),
            "latest_provenance": latest,
            "attributes": keep_feature(
                keep_best_role(winner.attributes, loser.attributes), loser.attributes
            ),
        }
    )
    merged = draft.put_atom(merged, **status_by_rows(draft, merged))
    if loser.status == "active" and merged.status == "draft":
        merged = draft.put_atom(merged, status="active", status_reason="merged_with_active")
    links_made, links_ended = _move_links(draft, loser, winner)
    mentions_made = [
        each.entity_atom_id
        for each in draft.mentions_of(loser.atom_id)
        if draft.mention(winner.atom_id, each.entity_atom_id, each.mention, "merged")
    ]
    if loser.kind == "entity":
        follow_merge(draft, loser, winner)
    draft.record_merge(
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
        links_made=links_made,
        links_ended=links_ended,
        mentions_made=mentions_made,
    )
    gone = loser.model_copy(
        update={
            "evidence_count": 0,
            "direct_evidence_count": 0,
            "source_count": 0,
            "stale_evidence_count": 0,
            "previous_status": loser.status,
        }
    )
    retire(draft, gone, "merged", reason, by=merged)
    draft.link(loser.atom_id, winner.atom_id, "duplicates", reason)
    return merged


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
    draft: ChangeSetDraft, loser: AtomRecord, winner: AtomRecord
) -> tuple[list[str], list[str]]:
    """The loser's links at the winner; links of pairs, and between the two, stay or end.

    The ids of the links made, and of those ended.
    """
    made: list[str] = []
    ended: list[str] = []
    for link in draft.links_of(loser.atom_id):
        if link.link_type in ("contradicts", "duplicates", "supersedes"):
            continue
        draft.unlink(link.from_atom_id, link.to_atom_id, link.link_type, "merged")
        ended.append(link.link_id)
        ends = (link.from_atom_id, link.to_atom_id)
        first, second = (winner.atom_id if end == loser.atom_id else end for end in ends)
        if first != second and (key := draft.link(first, second, link.link_type, "merged")):
            made.append(key)
    return made, ended
