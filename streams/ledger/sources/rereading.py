"""What rules have read in a chunk makes way for what a model reads there.

The same sentence would stand twice, in the words of each. Withdrawn is what nothing but the rules'
reading of this very chunk supports: what is said elsewhere, too, stays, and so does what a person
has verified. What the model says in the same words stays the same atom. A reading that found
nothing withdraws nothing: a model that is not well would empty the ledger.
"""

from __future__ import annotations

from schemas.events.atom import AtomReflected
from schemas.events.ledger import AtomRecord, EvidenceRow
from streams.ledger.atoms.evidence import stale_row
from streams.ledger.atoms.lifecycle import retire
from streams.ledger.sources.reanchor import rows_of_source
from streams.ledger.turns.changes import Changes, note
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live

READ_BY_MODEL = "read_by_model"


def withdraw_rules(ledger: CurrentLedger, reflected: AtomReflected) -> Changes[None]:
    """Withdraw what rules alone have read in the chunk and the model does not say again.

    The fingerprints of the reading are known to the ledger (``fingerprints_read``).
    """
    reading = reflected.reading
    if reading.engine != "model" or reading.error or not reflected.accepted:
        return
    atoms = dict.fromkeys(atom_id for atom_id, _ in rows_of_source(ledger, reading.source_id))
    for atom_id in atoms:
        atom = ledger.get_atom(atom_id)
        if not _is_of_rules(atom) or atom.atom_fingerprint in ledger.fingerprints_read:
            continue
        fresh = [row for row in ledger.rows_of(atom_id) if not row.stale]
        if fresh and all(row.chunk_id == reading.chunk_id for row in fresh):
            yield from _withdraw(ledger, atom, fresh)


def _is_of_rules(atom: AtomRecord) -> bool:
    by = {atom.first_provenance.engine, atom.latest_provenance.engine}
    return is_live(atom) and not atom.verified_by and by == {"heuristic"}


def _withdraw(ledger: CurrentLedger, atom: AtomRecord, fresh: list[EvidenceRow]) -> Changes[None]:
    for row in fresh:
        atom = yield from stale_row(ledger, atom, row)
    yield note("evidence_staled", atom.atom_id, fresh[0].source_id, READ_BY_MODEL)
    yield from retire(ledger, atom, "obsolete", READ_BY_MODEL)
