"""All the ledger writer knows of the projects of one partition.

Tables hold what must survive; they are fed from an input (``Turns``, ``Decisions``, ``Retries``,
the answers of ``Judgements``) or from the ledger's own output (all others), never from both, so the
topics may be folded in any interleaving.
Indexes are derived from the atoms and live in memory.
"""

from __future__ import annotations

from collections import defaultdict

from schemas.envelope import Envelope
from schemas.events.ledger import (
    AtomRecord,
    Change,
    EvidenceRow,
    HumanDecision,
    LedgerChanged,
    MergeOp,
    Snapshot,
)
from streams.due import DueProjects
from streams.ledger.turns.conversations import talk_key
from streams.ledger.turns.decisions import Decisions, DueDecision
from streams.ledger.turns.fact_frames import newer_fact_keys
from streams.ledger.turns.fold import MERGES, LedgerView, find_moved_evidence
from streams.ledger.turns.indexes import ProjectIndex
from streams.ledger.turns.judgements import Judgements
from streams.ledger.turns.refusals import OPEN as OPEN
from streams.ledger.turns.retries import DueRetry, Retries
from streams.ledger.turns.turns import DueTurn, Turns
from streams.stage import Record, Table, Tables

MAX_WAITING_FOR_ENTITY = 64


class LedgerState:
    """The state of ``LEDGER``; see ``streams.stage.Writer``.

    ``support`` counts the fresh rows of a source under an atom (0: all have become stale);
    ``source_rows`` names a source's rows as ``project|source|atom|evidence``.
    ``current_hash`` names the payload of a source that was revised, ``reread`` the run that revised
    a source which is not settled yet. ``documents`` holds what a document is called and replaces,
    behind its payload; ``replaced`` the atoms that were superseded with theirs. ``pairs`` lists the
    contradictions and merge candidates of an atom, ``links_of`` its links,
    ``merges`` the last merge of an atom into another,
    ``mentioned_by`` who has spoken of an entity, ``waiting_names`` the atoms that speak of a name
    no entity has, ``spoken`` what was asked and
    decided in a conversation as ``project|talk|kind|atom|evidence``, ``serials`` the facts of
    numbered lists by what they are about, ``decided`` the place of each decision of a person, and
    ``confidence_decided`` an atom's confidence before and after the last one that touched it.
    """

    def __init__(self, tables: Tables) -> None:
        self.view = LedgerView(tables)
        self.judgements = Judgements(tables, self.view)
        self.turns = Turns(tables, self.view, self.judgements)
        self.decisions = Decisions(tables, self.view)
        self.retries = Retries(tables, self.view)
        self.support: Table[int] = tables.table("support", int)
        self.source_rows: Table[str] = tables.table("source_rows", str)
        self.current_hash: Table[str] = tables.table("current_hash", str)
        self.reread: Table[str] = tables.table("reread", str)
        self.documents: Table[str] = tables.table("documents", str)
        self.replaced: Table[str] = tables.table("replaced_atoms", str)
        self.pairs: Table[str] = tables.table("pairs", str)
        self.links_of: Table[str] = tables.table("links_of", str)
        self.open_contradictions: Table[str] = tables.table("open_disputes", str)
        self.merges: Table[MergeOp] = tables.table("merges", MergeOp)
        self.mentioned_by: Table[str] = tables.table("mentioned_by", str)
        self.waiting_names: Table[list[str]] = tables.table("waiting_names", list)
        self.spoken: Table[str] = tables.table("spoken", str)
        self.serials: Table[str] = tables.table("serials", str)
        self.decided: Table[int] = tables.table("decided", int)
        self.proposals: Table[HumanDecision] = tables.table("proposals", HumanDecision)
        self.confidence_decided: Table[list[float]] = tables.table("confidence_decided", list)
        self.indexes: defaultdict[str, ProjectIndex] = defaultdict(ProjectIndex)
        waiting = self.turns.projects() | self.decisions.projects() | self.retries.projects()
        self.due = DueProjects(waiting)
        for key, atom in self.view.atoms.items():
            self.index(key.split("|", 1)[0]).change(None, atom)

    def index(self, project: str) -> ProjectIndex:
        return self.indexes[project]

    def take_input(self, envelope: Envelope) -> None:
        self.turns.take(envelope)
        self.judgements.take(envelope)
        self.decisions.take(envelope)
        self.retries.take(envelope)
        self.due.add(envelope.project_id)

    def take_own(self, record: Record) -> None:
        """Fold a change set of our own; one that is not the next is ignored."""
        if not self.view.accepts(record):
            return
        project, event = record.envelope.project_id, record.envelope.event
        assert isinstance(event, LedgerChanged)
        index = self.index(project)
        for atom in event.atoms:
            index.change(self.atom(project, atom.atom_id), atom)
        self._take_evidence(project, event)
        self._take_pairs(project, event)
        for mention in event.mentions:
            self.mentioned_by[f"{project}|{mention.entity_atom_id}|{mention.atom_id}"] = ""
        for op in event.merge_ops:
            if op.op in MERGES and op.loser_atom_id:
                self.merges[f"{project}|{op.loser_atom_id}"] = op
        for change in event.changes:
            self._take_change(project, event, change)
        if event.hitl:
            self._take_decision(project, event, event.hitl)
        self.view.apply(record)
        self._drop_answered(record)

    def pass_over_own(self, record: Record) -> None:
        """Fold no more of our own change set than its place, its records and what it answers."""
        if self.view.accepts(record):
            self.view.apply(record)
            self._drop_answered(record)

    def _drop_answered(self, record: Record) -> None:
        project, event = record.envelope.project_id, record.envelope.event
        assert isinstance(event, LedgerChanged)
        if event.turn:
            self.judgements.take_own(project, event, event.turn)
            self.turns.drop_applied(record.envelope, event.turn)
        else:
            self.decisions.drop_answered(project, event.caused_by_event_id)
            self.retries.drop_answered(project, event.caused_by_event_id)
        self.due.had_its_turn(project)

    def next(self, project: str) -> DueTurn | DueDecision | DueRetry | None:
        """What takes the next place in the project's order: a person's before the next turn."""
        return (
            self.decisions.next(project) or self.retries.next(project) or self.turns.next(project)
        )

    def atom(self, project: str, atom_id: str) -> AtomRecord | None:
        return self.view.atoms.get(f"{project}|{atom_id}")

    def evidence_row(self, project: str, atom_id: str, evidence_id: str) -> EvidenceRow | None:
        return self.view.evidence.get(f"{project}|{atom_id}|{evidence_id}")

    def _take_evidence(self, project: str, event: LedgerChanged) -> None:
        before = find_moved_evidence(event)
        made = {atom.atom_id: atom for atom in event.atoms}
        for row in event.evidence:
            held_by = before.get(row.evidence_id, row.atom_id)
            evidence_row = self.evidence_row(project, held_by, row.evidence_id)
            if evidence_row:
                self._support(project, evidence_row, -1)
                self.source_rows.pop(_source_row(project, evidence_row), None)
            self._support(project, row, 1)
            self.source_rows[_source_row(project, row)] = ""
            atom = self.atom(project, row.atom_id) or made.get(row.atom_id)
            if key := talk_key(project, row, atom.kind) if atom else "":
                self.spoken[key] = ""
            for place in newer_fact_keys(project, row):
                self.serials[place] = ""

    def _support(self, project: str, row: EvidenceRow, step: int) -> None:
        key = f"{project}|{row.source_id}|{row.atom_id}"
        self.support[key] = self.support.get(key, 0) + (0 if row.stale else step)

    def _take_pairs(self, project: str, event: LedgerChanged) -> None:
        for contradiction in event.contradictions:
            for atom_id in (contradiction.atom_a_id, contradiction.atom_b_id):
                self.pairs[f"{project}|{atom_id}|{contradiction.contradiction_id}"] = ""
            key = f"{project}|{contradiction.contradiction_id}"
            if contradiction.status in OPEN:
                self.open_contradictions[key] = ""
            else:
                self.open_contradictions.pop(key, None)
        for pair in event.merge_candidates:
            for atom_id in (pair.atom_a_id, pair.atom_b_id):
                self.pairs[f"{project}|{atom_id}|{pair.merge_candidate_id}"] = ""
        for link in event.links:
            for atom_id in (link.from_atom_id, link.to_atom_id):
                self.links_of[f"{project}|{atom_id}|{link.link_id}"] = ""

    def _take_decision(self, project: str, event: LedgerChanged, made: HumanDecision) -> None:
        if made.outcome == "proposed":
            kept = made.model_copy(update={"before": Snapshot()})
            self.proposals[f"{project}|{made.hitl_event_id}"] = kept
        elif made.outcome != "refused" and made.proposal_id:
            self.proposals.pop(f"{project}|{made.proposal_id}", None)
        if made.outcome != "applied":
            return
        self.decided[f"{project}|{made.hitl_event_id}"] = event.ledger_seq
        if made.target_type == "document":  # it says nothing of its atoms one by one
            return
        before = {atom.atom_id: atom.confidence for atom in made.before.atoms}
        for atom in event.atoms:
            moved = [before.get(atom.atom_id, atom.confidence), atom.confidence]
            self.confidence_decided[f"{project}|{atom.atom_id}"] = moved

    def _take_change(self, project: str, event: LedgerChanged, change: Change) -> None:
        source = f"{project}|{change.target_id}"
        match change.op, change.reason:
            case "source_settled", "revised":
                if not change.other_id:
                    self.documents.pop(source, None)
                self.current_hash[source] = change.other_id or ""
                self.reread[source] = event.turn.run_id if event.turn else ""
            case "source_settled", "document":
                self.documents[source] = change.detail
            case "atom_superseded", "document_replaced":
                self.replaced[source] = ""
            case "status_set", "document_holds":
                self.replaced.pop(source, None)
            case "source_settled", "settled":
                self.reread.pop(source, None)
            case "source_settled", "renamed":
                run_id = event.turn.run_id if event.turn else ""
                moved = f"{project}|{change.other_id}"
                self.current_hash[source], self.current_hash[moved] = change.detail, ""
                if document := self.documents.pop(moved, None):
                    self.documents[source] = document
                self.reread[source] = self.reread[moved] = run_id
            case "source_settled", "duplicate":
                self.documents.pop(source, None)
                self.current_hash[source] = ""
                self.reread[source] = event.turn.run_id if event.turn else ""
            case "source_settled", "removed":
                self.documents.pop(source, None)
                self.current_hash[source] = ""
                self.reread.pop(source, None)
            case "entity_linked", "waiting":
                name = f"{project}|{change.detail}"
                waiting = self.waiting_names.get(name, [])
                if change.target_id not in waiting:
                    self.waiting_names[name] = [*waiting, change.target_id]
            case "entity_linked", "arrived":
                self.waiting_names.pop(f"{project}|{change.detail}", None)
            case _:
                pass


def _source_row(project: str, row: EvidenceRow) -> str:
    return f"{project}|{row.source_id}|{row.atom_id}|{row.evidence_id}"
