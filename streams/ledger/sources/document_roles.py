"""The role of its documents that an atom has, where a person has given a role to one of them.

Each piece of evidence keeps what its reader took the document for. So a person's word changes the
atoms of that document alone, nothing is read again, and taken back it leaves no trace: the best of
all that its fresh evidence says is what was there before. Evidence of a log before that says
nothing, and is noted as what the atom counts as when the first such word comes.
"""

from __future__ import annotations

from schemas.document_roles.public import ORIGIN_OF_ROLE
from schemas.events.atom import ORIGIN, Candidate
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.worth import best_origin
from streams.ledger.sources.reanchor import rows_of_source
from streams.ledger.turns.changes import Changes, put_atom
from streams.ledger.turns.current import CurrentLedger


def attributes_told(ledger: CurrentLedger, source: str, candidate: Candidate) -> dict[str, str]:
    """The candidate's attributes, with the role that a person has given to its document."""
    given = _given_origin(ledger, source)
    return candidate.attributes | {ORIGIN: given} if given else candidate.attributes


def settle_role(ledger: CurrentLedger, source: str) -> Changes[None]:
    """Every atom of the document counts as what people and readers say of its documents now."""
    for atom_id in dict.fromkeys(atom_id for atom_id, _ in rows_of_source(ledger, source)):
        atom = ledger.get_atom(atom_id)
        rows = yield from _note_origins(ledger, atom)
        fresh = [row for row in rows if not row.stale] or rows
        origin = best_origin(_given_origin(ledger, it.source_id) or it.origin for it in fresh)
        if origin and origin != atom.attributes.get(ORIGIN):
            yield from put_atom(ledger, atom, attributes=atom.attributes | {ORIGIN: origin})


def move_role(ledger: CurrentLedger, source: str, moved_to: str) -> Changes[None]:
    """What a person has said of a document that is renamed is said of it under its new name."""
    known = ledger.document_role(source)
    if known is None or known.role is None or ledger.document_role(moved_to) is not None:
        return
    yield known.model_copy(update={"source_id": moved_to, "revision": 1})
    yield from settle_role(ledger, moved_to)


def _note_origins(ledger: CurrentLedger, atom: AtomRecord) -> Changes[list[EvidenceRow]]:
    """The rows of an atom, each with what its reader took its document for."""
    rows = ledger.rows_of(atom.atom_id)
    known = atom.attributes.get(ORIGIN, "")
    if not known or all(row.origin for row in rows):
        return rows
    noted = [row if row.origin else row.model_copy(update={"origin": known}) for row in rows]
    for before, after in zip(rows, noted, strict=True):
        if after is not before:
            yield after
    return noted


def _given_origin(ledger: CurrentLedger, source: str) -> str:
    record = ledger.document_role(source)
    return ORIGIN_OF_ROLE[record.role] if record and record.role else ""
