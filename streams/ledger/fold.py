"""The ledger as a fold of its change sets, for the writer and for all who read ``ledger.v1``.

One place holds the fold rule (spec 08 §4), so that no two readers can differ in what the ledger is:
a change set counts when it is the next of its project and its turn moves its run forward; all
others are repeats, or the work of a writer that had already lost its partition.

Keys begin with the project: ``project|atom`` for atoms, ``project|atom|evidence`` for rows.
Evidence that a merge moved keeps its id and changes its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.envelope import Part
from schemas.events.ledger import (
    LIVE,
    AtomRecord,
    ContradictionRecord,
    EntityMention,
    EvidenceRow,
    LedgerChanged,
    LinkRecord,
    MergeCandidate,
    Turn,
)
from streams.stage import Record, Table, Tables

MERGES = frozenset({"auto_merge", "reviewed_merge"})


class Place(Part):
    """The last accepted change set of a project, and the run whose batch it left open, if any."""

    seq: int = 0
    value_hash: str = ""
    begun_run: str = ""


class Progress(Part):
    """The last applied turn of a run; ``done`` when it committed its batch, ``ended`` with it."""

    batch_no: int = -1
    position: int = 0
    done: bool = True
    ended: bool = False

    def precedes(self, turn: Turn) -> bool:
        """Whether ``turn`` lies ahead."""
        if self.ended:
            return False
        if turn.kind == "run_end":
            return True
        return (turn.batch_no, turn.position) > (self.batch_no, self.position)

    def after(self, turn: Turn) -> Progress:
        if turn.kind == "run_end":
            return self.model_copy(update={"done": True, "ended": True})
        return Progress(
            batch_no=turn.batch_no, position=turn.position, done=turn.last_in_batch, ended=False
        )


class LedgerView:
    """The ledger of the projects of one partition as of their last accepted change sets."""

    def __init__(self, tables: Tables) -> None:
        self.places: Table[Place] = tables.table("ledger_places", Place)
        self.progress: Table[Progress] = tables.table("ledger_progress", Progress)
        self.causes: Table[int] = tables.table("ledger_causes", int)
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

    def fold(self, record: Record) -> bool:
        """Take in a ``ledger.changed`` record; False when it is a repeat, which changes nothing."""
        if not self.accepts(record):
            return False
        self.apply(record)
        return True

    def accepts(self, record: Record) -> bool:
        """Whether the record is the next change set of its project."""
        project, event = record.envelope.project_id, record.envelope.event
        if not isinstance(event, LedgerChanged) or event.ledger_seq != self.last_seq(project) + 1:
            return False
        if event.turn is None:
            return f"{project}|{event.caused_by_event_id}" not in self.causes
        return self.progress_of(project, event.turn.run_id).precedes(event.turn)

    def apply(self, record: Record) -> None:
        """Take in a record that ``accepts`` let through."""
        project, event = record.envelope.project_id, record.envelope.event
        assert isinstance(event, LedgerChanged)
        self._move_on(project, event, record.value_hash)
        for atom in event.atoms:
            self.atoms[f"{project}|{atom.atom_id}"] = atom
        before = moved_evidence(event)
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
        for dispute in event.contradictions:
            self.contradictions[f"{project}|{dispute.contradiction_id}"] = dispute

    def last_seq(self, project: str) -> int:
        """The sequence number of the last accepted change set; 0 before the first."""
        return self.place(project).seq

    def place(self, project: str) -> Place:
        return self.places.get(project, Place())

    def progress_of(self, project: str, run_id: str) -> Progress:
        return self.progress.get(f"{project}|{run_id}", Progress())

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
        return [mention for _, mention in self.mentions.with_prefix(f"{project}|{atom_id}|")]

    def _move_on(self, project: str, event: LedgerChanged, value_hash: str) -> None:
        turn, begun = event.turn, self.place(project).begun_run
        if turn is None:
            self.causes[f"{project}|{event.caused_by_event_id}"] = event.ledger_seq
        else:
            key = f"{project}|{turn.run_id}"
            self.progress[key] = self.progress_of(project, turn.run_id).after(turn)
            begun = "" if turn.last_in_batch or turn.kind == "run_end" else turn.run_id
        self.places[project] = Place(seq=event.ledger_seq, value_hash=value_hash, begun_run=begun)


def moved_evidence(event: LedgerChanged) -> dict[str, str]:
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
