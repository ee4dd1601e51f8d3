"""Evidence moves along when its chunk does: fresh twins instead of another reading.

A chunk that says word for word what an earlier one said gives the same candidates, so each evidence
row of the earlier one gets a twin on the new payload, shifted with its chunk. Where a content has
come back, old and new chunk are the same, and its rows are simply fresh again. An atom that had
become obsolete meanwhile lives again, and is looked at like any atom that does; one that a person
has decided against does not.
"""

from __future__ import annotations

from schemas.events.atom import Reading
from schemas.events.ingestion import Reanchored, SourceChange
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.ids import evidence_id
from streams.ledger.atoms.evidence import (
    ACTIVE_CONFIDENCE,
    TWO_ROWS_KINDS,
    count_rows,
    is_confirmed,
    status_by_rows,
)
from streams.ledger.atoms.lifecycle import has_lost
from streams.ledger.pairs.contradictions import find_contradictions
from streams.ledger.pairs.merging import near_duplicates, settle_near_duplicates
from streams.ledger.turns.changes import Changes, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live

REVIVED_BY_RETURN = frozenset({"obsolete", "superseded"})


def reanchor(ledger: CurrentLedger, change: SourceChange) -> Changes[None]:
    """Give the rows on the change's earlier chunks their twins."""
    pairs = {pair.from_chunk_id: pair for pair in change.reanchored}
    if not pairs:
        return
    came_back: dict[str, EvidenceRow] = {}
    origins = (change.other_source_id, change.source_id)
    places = [place for origin in origins if origin for place in rows_of_source(ledger, origin)]
    for row in [ledger.evidence_row(*place) for place in places]:
        if row is None or row.chunk_id not in pairs or change.new_hash is None:
            continue
        was_fresh = not row.stale
        twin = _twin(ledger, row, change, pairs[row.chunk_id])
        atom = ledger.get_atom(row.atom_id)
        evidence_row = ledger.evidence_row(atom.atom_id, twin.evidence_id)
        if evidence_row and not evidence_row.stale:
            continue
        atom = yield from count_rows(
            ledger, atom, twin, evidence=int(evidence_row is None), fresh=1
        )
        yield twin
        yield from put_atom(ledger, atom, **(status_by_rows(ledger, atom) if is_live(atom) else {}))
        yield note("evidence_refreshed", atom.atom_id, twin.evidence_id, "reanchored")
        gone = frozenset({"obsolete"}) if was_fresh else REVIVED_BY_RETURN
        if atom.status in gone and not has_lost(atom):
            came_back.setdefault(atom.atom_id, twin)
    for atom_id, twin in sorted(came_back.items()):
        yield from _revive(ledger, ledger.get_atom(atom_id), twin)


def rows_of_source(ledger: CurrentLedger, source: str) -> list[tuple[str, str]]:
    """Atom and evidence id of every row of a source, in that order, those of this turn too."""
    prefix = f"{ledger.project}|{source}|"
    found = {
        (key.removeprefix(prefix).split("|")[0], key.rsplit("|", 1)[1])
        for key, _ in ledger.state.source_rows.with_prefix(prefix)
    }
    drafted = {
        (row.atom_id, row.evidence_id)
        for row in ledger.evidence.values()
        if row.source_id == source
    }
    return sorted(found | drafted)


def _twin(
    ledger: CurrentLedger, row: EvidenceRow, change: SourceChange, pair: Reanchored
) -> EvidenceRow:
    start, end = row.char_start + pair.shift, row.char_end + pair.shift
    own = find_naming_atom(ledger, row)
    return row.model_copy(
        update={
            "evidence_id": evidence_id(own, pair.to_chunk_id, start, end),
            "source_id": change.source_id,
            "sanitized_hash": change.new_hash,
            "chunk_id": pair.to_chunk_id,
            "char_start": start,
            "char_end": end,
            "line_start": row.line_start + pair.line_shift,
            "line_end": row.line_end + pair.line_shift,
            "stale": False,
            "stale_since_seq": None,
            "run_id": ledger.turn.run_id,
        }
    )


def find_naming_atom(ledger: CurrentLedger, row: EvidenceRow) -> str:
    """The atom that the row's id was made from: its own, or one that was merged into it."""
    asked, waiting = {row.atom_id}, [row.atom_id]
    while waiting:
        atom_id = waiting.pop()
        key = evidence_id(atom_id, row.chunk_id, row.char_start, row.char_end)
        if key == row.evidence_id:
            return atom_id
        for link in ledger.links_of(atom_id):
            if link.link_type == "duplicates" and link.from_atom_id not in asked:
                asked.add(link.from_atom_id)
                waiting.append(link.from_atom_id)
    return row.atom_id


def _revive(ledger: CurrentLedger, atom: AtomRecord, twin: EvidenceRow) -> Changes[None]:
    """The atom is live again, with near duplicates and contradictions looked for."""
    sure = atom.confidence >= ACTIVE_CONFIDENCE
    apart = atom.kind not in TWO_ROWS_KINDS or is_confirmed(ledger, atom)
    status = "active" if sure and apart else "draft"
    yield note("status_set", atom.atom_id, None, "found_again", status)
    atom = yield from put_atom(
        ledger, atom, status=status, status_reason="found_again", superseded_by=None
    )
    near = near_duplicates(ledger, atom)
    standing = yield from settle_near_duplicates(ledger, _place_of(ledger, atom, twin), atom, near)
    if standing.atom_id == atom.atom_id:
        yield from find_contradictions(ledger, standing, near, gained_source=False)


def _place_of(ledger: CurrentLedger, atom: AtomRecord, twin: EvidenceRow) -> Reading:
    """Where the atom stands again, said like a reading of it."""
    read = atom.latest_provenance
    return Reading(
        run_id=ledger.turn.run_id,
        batch_no=ledger.turn.batch_no,
        position=ledger.turn.position,
        lane=ledger.turn.lane,
        chunk_id=twin.chunk_id,
        source_id=twin.source_id,
        sanitized_hash=twin.sanitized_hash,
        structure_path=twin.structure_path,
        outcome="extracted",
        engine=read.engine,
        extractor_version=read.extractor_version,
    )
