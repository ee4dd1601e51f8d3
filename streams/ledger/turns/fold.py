"""The ledger as a fold of its change sets, for the writer and for all who read ``ledger.v1``.

Which records count is ``schemas.ledger_order``'s to say.

Keys begin with the project: ``project|atom`` for atoms, ``project|atom|evidence`` for rows.
Evidence that a merge moved keeps its id and changes its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.events.ledger import (
    LIVE,
    AtomRecord,
    ContradictionRecord,
    DocumentRoleRecord,
    EntityMention,
    EvidenceRow,
    LedgerChanged,
    LinkRecord,
    MergeCandidate,
)
from schemas.ledger_order import LedgerOrder, Place, Progress
from streams.stage import Record, Table, Tables

MERGES = frozenset({"auto_merge", "reviewed_merge"})


class LedgerView:
    """The ledger of the projects of one partition as of their last accepted change sets."""

    def __init__(self, tables: Tables) -> None:
        self.places: Table[Place] = tables.table("ledger_places", Place)
        self.progress: Table[Progress] = tables.table("ledger_progress", Progress)
        self.causes: Table[int] = tables.table("ledger_causes", int)
        self.order = LedgerOrder(self.places, self.progress, self.causes)
        self.atoms: Table[AtomRecord] = tables.table("ledger_atoms", AtomRecord)
        self.evidence: Table[EvidenceRow] = tables.table("ledger_evidence", EvidenceRow)
        self.links: Table[LinkRecord] = tables.table("ledger_links", LinkRecord)
        self.mentions: Table[EntityMention] = tables.table("ledger_mentions", EntityMention)
        self.merge_candidates: Table[MergeCandidate] = tables.table(
            "ledger_merge_candidates", MergeCandidate
        )
        self.contradictions: Table[ContradictionRecord] = tables.table(
            "ledger_contradictions", ContradictionRecord
        )
        self.document_roles: Table[DocumentRoleRecord] = tables.table(
            "ledger_document_roles", DocumentRoleRecord
        )

    def fold(self, record: Record) -> bool:
        """Take in a ``ledger.changed`` record; False when it is a repeat, which changes nothing."""
        if not self.accepts(record):
            return False
        self.apply(record)
        return True

    def accepts(self, record: Record) -> bool:
        """Whether the record is the next change set of its project."""
        event = record.envelope.event
        return isinstance(event, LedgerChanged) and self.order.accepts(
            record.envelope.project_id, event
        )

    def apply(self, record: Record) -> None:
        """Take in a record that ``accepts`` let through."""
        project, event = record.envelope.project_id, record.envelope.event
        assert isinstance(event, LedgerChanged)
        self.order.take(project, event, record.value_hash)
        for atom in event.atoms:
            self.atoms[f"{project}|{atom.atom_id}"] = atom
        before = find_moved_evidence(event)
        for row in event.evidence:
            if row.evidence_id in before:
                self.evidence.pop(f"{project}|{before[row.evidence_id]}|{row.evidence_id}", None)
            self.evidence[f"{project}|{row.atom_id}|{row.evidence_id}"] = row
        for link in event.links:
            self.links[f"{project}|{link.link_id}"] = link
        for mention in event.mentions:
            self.mentions[f"{project}|{mention.atom_id}|{mention.entity_atom_id}"] = mention
        for pair in event.merge_candidates:
            self.merge_candidates[f"{project}|{pair.merge_candidate_id}"] = pair
        for contradiction in event.contradictions:
            self.contradictions[f"{project}|{contradiction.contradiction_id}"] = contradiction
        for document in event.document_roles:
            self.document_roles[f"{project}|{document.source_id}"] = document

    def last_seq(self, project: str) -> int:
        """The sequence number of the last accepted change set; 0 before the first."""
        return self.place(project).seq

    def place(self, project: str) -> Place:
        return self.order.place(project)

    def progress_of(self, project: str, run_id: str) -> Progress:
        return self.order.progress_of(project, run_id)

    def live_atoms(self, project: str) -> Iterator[AtomRecord]:
        """The draft and active atoms, by atom id."""
        for _, atom in self.atoms.with_prefix(f"{project}|"):
            if atom.status in LIVE:
                yield atom

    def evidence_of(self, project: str, atom_id: str) -> list[EvidenceRow]:
        """The rows of one atom, stale ones too, by evidence id."""
        return [row for _, row in self.evidence.with_prefix(f"{project}|{atom_id}|")]

    def mentions_of(self, project: str, atom_id: str) -> list[EntityMention]:
        """The entities one atom speaks of, by entity."""
        held = self.mentions.with_prefix(f"{project}|{atom_id}|")
        return [mention for _, mention in held if mention.active]


def find_moved_evidence(event: LedgerChanged) -> dict[str, str]:
    """Evidence id → the atom that held it before this change set's merges, or their undoing."""
    moved: dict[str, str] = {}
    for op in event.merge_ops:
        held_by = op.loser_atom_id if op.op in MERGES else None
        if op.op == "unmerge":
            held_by = op.winner_atom_id
        if held_by:
            for evidence_id in op.evidence_added:
                moved.setdefault(evidence_id, held_by)
    return moved
