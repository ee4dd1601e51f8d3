"""Takes one accepted candidate into the ledger, step by step.

The candidate's fingerprint names an atom, together with its exact words where another statement has
that fingerprint. When the ledger has it, or has merged it into another, the candidate adds evidence
there. Otherwise a new atom is made and looked at for near duplicates and contradictions, and so is
one that comes back to life.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.events.atom import AtomReflected, Candidate, Judged, Provenance, Reading
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import atom_fingerprint
from schemas.ids import atom_id as derive_atom_id
from schemas.versions import EXTRACTOR_VERSION
from streams.ledger.atoms.answers import settle_answers
from streams.ledger.atoms.document_status import derive_standing, holds
from streams.ledger.atoms.entities import link_names, take_relations, welcome
from streams.ledger.atoms.evidence import (
    ACTIVE_CONFIDENCE,
    TWO_ROWS_KINDS,
    add_rows,
    is_confirmed,
    merge_confidence,
    status_by_rows,
    with_confirmation,
)
from streams.ledger.atoms.lifecycle import has_lost
from streams.ledger.atoms.newer_facts import settle_newer_facts
from streams.ledger.atoms.reasoning import Said, link_reasoning
from streams.ledger.likeness.agreement import agreement
from streams.ledger.pairs.contradictions import (
    find_contradictions,
    is_unsure,
    refresh_contradictions,
)
from streams.ledger.pairs.merging import near_duplicates, settle_near_duplicates
from streams.ledger.sources.document_roles import attributes_told
from streams.ledger.sources.documents import note_document
from streams.ledger.sources.rereading import withdraw_rules
from streams.ledger.turns.changes import (
    Changes,
    FingerprintsRead,
    ReadAs,
    note,
    put_atom,
    record_merge,
)
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live

REVIVED_BY_EVIDENCE = frozenset({"obsolete", "superseded"})
TakeIn = Callable[[CurrentLedger, Reading, Judged], Changes[str]]


def apply_reading(
    ledger: CurrentLedger, reflected: AtomReflected, take_in: TakeIn
) -> Changes[None]:
    """All accepted candidates of a chunk; those of an outdated payload are refused."""
    reading, said = reflected.reading, list[Said]()
    read = frozenset(fingerprint_of(it.candidate) for it in reflected.accepted)
    yield FingerprintsRead(read)
    if (yield from refuse_outdated(ledger, reflected)):
        return
    yield from withdraw_rules(ledger, reflected)
    if reading.outcome == "poison":
        return
    yield from note_document(ledger, reading)
    for judged in reflected.accepted:
        said.append(((yield from take_in(ledger, reading, judged)), judged.rows))
    yield from link_reasoning(ledger, said)


def refuse_outdated(ledger: CurrentLedger, reflected: AtomReflected) -> Changes[bool]:
    """Whether the chunk is of an outdated payload; then all its candidates are refused."""
    reading = reflected.reading
    current = ledger.state.current_hash.get(f"{ledger.project}|{reading.source_id}")
    if current is None or current == reading.sanitized_hash:
        return False
    for judged in reflected.accepted:
        candidate = judged.candidate.candidate_id
        yield note("candidate_rejected", candidate, reading.chunk_id, "missing_chunk")
    return True


def _compare_once_sure(ledger: CurrentLedger, was_unsure: bool, atom: AtomRecord) -> Changes[None]:
    """Look for what contradicts an atom that nobody looked at while it was unsure."""
    if was_unsure and is_live(atom) and not is_unsure(atom):
        near = near_duplicates(ledger, atom)
        yield from find_contradictions(ledger, atom, near, gained_source=False)


def apply_candidate(ledger: CurrentLedger, reading: Reading, judged: Judged) -> Changes[str]:
    """The id of the atom that stands for the candidate."""
    candidate = judged.candidate
    fingerprint = fingerprint_of(candidate)
    own_id = _identify(ledger, candidate, fingerprint)
    survivor = ledger.find_survivor(own_id)
    gained_source = survivor is None or ledger.supports(reading.source_id, survivor.atom_id) is None
    if survivor is None:
        atom: AtomRecord = yield from _create(ledger, reading, judged, own_id, fingerprint)
        is_new = True
    else:
        atom, is_new = yield from _upsert(ledger, reading, judged, survivor, own_id)
    yield from link_names(ledger, atom.atom_id, candidate)
    if is_new and is_live(atom):
        near = near_duplicates(ledger, atom)
        standing = yield from settle_near_duplicates(ledger, reading, atom, near)
        if standing.atom_id == atom.atom_id:
            yield from find_contradictions(ledger, standing, near, gained_source=gained_source)
        else:
            gained_source = ledger.never_supported(reading.source_id, standing.atom_id)
            yield from refresh_contradictions(ledger, standing, gained_source=gained_source)
            yield from _compare_once_sure(ledger, is_unsure(atom), standing)
        atom = standing
    elif survivor is not None:
        yield from _compare_once_sure(ledger, is_unsure(survivor), atom)
    if atom.kind == "entity":
        yield from welcome(ledger, ledger.get_atom(own_id))
    yield ReadAs(candidate.candidate_id, atom.atom_id)
    yield from take_relations(ledger, atom.atom_id, candidate, candidate.engine or reading.engine)
    yield from settle_answers(
        ledger, ledger.get_atom(atom.atom_id), reading.structure_path, judged.rows
    )
    yield from settle_newer_facts(ledger, atom.atom_id)
    return atom.atom_id


def fingerprint_of(candidate: Candidate) -> str:
    return atom_fingerprint(
        candidate.kind,
        candidate.title,
        candidate.body,
        candidate.polarity,
        candidate.severity,
        candidate.impact,
        candidate.tags,
    )


def _identify(ledger: CurrentLedger, candidate: Candidate, fingerprint: str) -> str:
    """The id of the fingerprint, unless what has it differs in letters that carry meaning.

    An entity is its name, however that is written.
    """
    plain = derive_atom_id(ledger.project, candidate.kind, fingerprint)
    holder = ledger.atom(plain)
    texts = (f"{it.title}\n{it.body}" for it in (holder, candidate) if it)
    if holder is None or candidate.kind == "entity" or agreement(*texts) == "same":
        return plain
    exact = (candidate.title, candidate.body)
    return derive_atom_id(ledger.project, candidate.kind, fingerprint, *exact)


def _create(
    ledger: CurrentLedger, reading: Reading, judged: Judged, own_id: str, fingerprint: str
) -> Changes[AtomRecord]:
    candidate, provenance = judged.candidate, _provenance(reading, judged.candidate)
    kind: Any = candidate.kind
    atom = AtomRecord(
        atom_id=own_id,
        kind=kind,
        title=candidate.title,
        body=candidate.body,
        polarity=candidate.polarity,
        severity=candidate.severity,
        impact=candidate.impact,
        tags=candidate.tags,
        area=candidate.area,
        attributes=attributes_told(ledger, reading.source_id, candidate),
        atom_fingerprint=fingerprint,
        confidence=round(judged.confidence_after, 6),
        status="draft",
        first_run_id=ledger.turn.run_id,
        last_run_id=ledger.turn.run_id,
        first_seen_at=ledger.at,
        last_seen_at=ledger.at,
        first_provenance=provenance,
        latest_provenance=provenance,
        first_seq=ledger.seq,
    )
    yield note("atom_created", own_id, candidate.candidate_id, "new_fingerprint")
    atom, _ = yield from add_rows(ledger, atom, own_id, reading, judged)
    atom = with_confirmation(ledger, atom)
    status, reason = _first_status(ledger, atom, judged)
    return (yield from put_atom(ledger, atom, status=status, status_reason=reason))


def _upsert(
    ledger: CurrentLedger, reading: Reading, judged: Judged, atom_record: AtomRecord, own_id: str
) -> Changes[tuple[AtomRecord, bool]]:
    """The known atom with what the candidate adds, and whether that brought it back to life."""
    new_source = ledger.supports(reading.source_id, atom_record.atom_id) is None
    atom, added = yield from add_rows(ledger, atom_record, own_id, reading, judged)
    if not added:
        return (yield from _accept_after_all(ledger, judged, atom_record)), False
    confidence = merge_confidence(atom, judged.confidence_after, new_source=new_source)
    changed: dict[str, Any] = {
        "confidence": confidence,
        "latest_provenance": _provenance(reading, judged.candidate),
        "last_run_id": ledger.turn.run_id,
        "last_seen_at": ledger.at,
    }
    if confidence != atom_record.confidence:
        reason = "new_source" if new_source else "same_source"
        yield note("confidence_set", atom.atom_id, None, reason, f"{confidence:.6f}")
    told_attributes = attributes_told(ledger, reading.source_id, judged.candidate)
    stands = derive_standing(atom, told_attributes, new_source=new_source)
    atom = atom.model_copy(update=changed | stands)
    revived = atom.status in REVIVED_BY_EVIDENCE and (new_source or not has_lost(atom))
    if revived:
        atom = with_confirmation(ledger, atom)
        status, reason = _first_status(ledger, atom, judged)
        changed = {"status": status, "status_reason": "found_again"}
        changed |= {"superseded_by": None, "previous_status": None}
    else:
        changed = status_by_rows(ledger, atom) or _accept_later(atom, judged) or stands
    if "status" in changed:
        yield note("status_set", atom.atom_id, None, changed["status_reason"], changed["status"])
    atom = yield from put_atom(ledger, atom, **changed)
    yield from record_merge(
        ledger,
        op="exact_upsert",
        winner_atom_id=atom.atom_id,
        candidate_id=judged.candidate.candidate_id,
        similarity=1.0,
        fingerprint_winner=atom.atom_fingerprint,
        confidence_before=atom_record.confidence,
        confidence_after=atom.confidence,
        evidence_added=added,
        reason="same_fingerprint" if own_id == atom.atom_id else "same_as_merged",
    )
    if not revived or has_lost(atom_record):
        yield from refresh_contradictions(ledger, atom, gained_source=new_source)
    return atom, revived


def _first_status(ledger: CurrentLedger, atom: AtomRecord, judged: Judged) -> tuple[str, str]:
    if judged.status != "active":
        return "draft", "judged_draft"
    if atom.kind not in TWO_ROWS_KINDS:
        return "active", "accepted"
    if atom.confidence < ACTIVE_CONFIDENCE:
        return "draft", "low_confidence"
    if not is_confirmed(ledger, atom):
        return "draft", "insufficient_evidence_draft"
    return "active", "accepted"


def _accept_after_all(
    ledger: CurrentLedger, judged: Judged, atom_record: AtomRecord
) -> Changes[AtomRecord]:
    """What was left a draft for want of a verdict, once that is made of the very same evidence."""
    waited = atom_record.status == "draft" and atom_record.status_reason == "judged_draft"
    if not (waited and judged.adjudication and holds(atom_record)):
        return atom_record
    status, reason = _first_status(ledger, atom_record, judged)
    if status == atom_record.status:
        return atom_record
    yield note("status_set", atom_record.atom_id, None, reason, status)
    return (yield from put_atom(ledger, atom_record, status=status, status_reason=reason))


def _accept_later(atom: AtomRecord, judged: Judged) -> dict[str, Any]:
    """A draft of a kind that needs one row only is active once a reading of it is accepted."""
    if (
        atom.status == "draft"
        and holds(atom)
        and atom.kind not in TWO_ROWS_KINDS
        and judged.status == "active"
    ):
        return {"status": "active", "status_reason": "accepted"}
    return {}


def _provenance(reading: Reading, candidate: Candidate) -> Provenance:
    by_rules = candidate.engine == "heuristic" != reading.engine
    return Provenance(
        source_id=reading.source_id,
        sanitized_hash=reading.sanitized_hash,
        chunk_id=reading.chunk_id,
        run_id=reading.run_id,
        lane=reading.lane,
        engine=candidate.engine or reading.engine,
        provider=None if by_rules else reading.provider,
        model=None if by_rules else reading.model,
        prompt_version=None if by_rules else reading.prompt_version,
        extractor_version=EXTRACTOR_VERSION if by_rules else reading.extractor_version,
    )
