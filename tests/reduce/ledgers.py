"""Ledgers in a few words, and a play of the artifact writer in front of one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from schemas.codec import decode, encode
from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.atom import Provenance
from schemas.events.ledger import (
    AtomRecord,
    Change,
    ChangeOp,
    ContradictionRecord,
    EvidenceRow,
    LedgerChanged,
    Turn,
)
from schemas.ids import derive_event_id, pair_id, sha256_hex
from streams.reduce.writer import REDUCE, Reduce
from streams.stage import Record
from streams.tables import MemoryTables

PROJECT = "prj_1"
AT = datetime(2026, 1, 1, tzinfo=UTC)
Lane = Literal["preview", "deep"]


def atom_id_of(name: str) -> str:
    return f"atm_{sha256_hex(name)[:32]}"


def an_atom(kind: str, title: str, **more: Any) -> AtomRecord:
    """A live atom; its id follows from its title, unless ``name`` says otherwise."""
    source = more.pop("source", "src_1")
    lane = more.pop("lane", "deep")
    provenance = Provenance(
        source_id=source,
        sanitized_hash="h",
        chunk_id="chk_1",
        run_id="run_1",
        lane=lane,
        engine="heuristic",
        extractor_version="h1",
    )
    fields: dict[str, Any] = {
        "atom_id": atom_id_of(more.pop("name", title)),
        "kind": kind,
        "title": title,
        "body": title,
        "area": "scope",
        "atom_fingerprint": "f",
        "confidence": 0.7,
        "status": "active",
        "evidence_count": 1,
        "direct_evidence_count": 1,
        "source_count": 1,
        "first_run_id": "run_1",
        "last_run_id": "run_1",
        "first_seen_at": AT,
        "last_seen_at": AT,
        "first_provenance": provenance,
        "latest_provenance": provenance,
        "first_seq": 1,
    }
    return AtomRecord.model_validate(fields | more)


def a_row(atom: AtomRecord, headings: Iterable[str] = (), line: int = 1) -> EvidenceRow:
    """Where the atom was read: under these headings, at this line."""
    return EvidenceRow(
        evidence_id=f"evd_{atom.atom_id}",
        atom_id=atom.atom_id,
        source_id=atom.latest_provenance.source_id,
        sanitized_hash="h",
        chunk_id="chk_1",
        structure_path=list(headings),
        char_start=0,
        char_end=len(atom.title),
        line_start=line,
        line_end=line,
        snippet=atom.title,
        evidence_type="direct",
        run_id="run_1",
    )


def a_requirement(title: str, **more: Any) -> AtomRecord:
    more.setdefault("attributes", {"requirement_type": "functional"})
    more.setdefault("area", "integrations")
    return an_atom("requirement", title, **more)


def a_conflict(first: AtomRecord, second: AtomRecord, **more: Any) -> ContradictionRecord:
    one, other = sorted((first.atom_id, second.atom_id))
    fields: dict[str, Any] = {
        "contradiction_id": pair_id("ctr", PROJECT, one, other),
        "atom_a_id": one,
        "atom_b_id": other,
        "contradiction_type": "body_conflict",
        "severity": "high",
        "opened_seq": 1,
        "updated_seq": 1,
    }
    return ContradictionRecord.model_validate(fields | more)


PURPOSE = an_atom("claim", "The relay is a service that is designed to carry orders to warehouses")
EXPORT = a_requirement("The relay must export every order as a signed document")
RETRY = a_requirement("The relay must repeat a failed delivery until a warehouse answers")
QUEUE = an_atom(
    "decision", "Orders are kept in a durable queue instead of memory", area="operations"
)
LOSS = an_atom(
    "risk",
    "An outage of the queue stops all deliveries",
    severity="high",
    impact="warehouses receive no orders",
)
WHO = an_atom("unknown", "Who rotates the signing keys of a warehouse?")
ENOUGH = (PURPOSE, EXPORT, RETRY, QUEUE, LOSS, WHO)


class Play:
    """One project: change sets go in, what the writer decides comes out and is folded back."""

    def __init__(self, writer: Reduce = REDUCE) -> None:
        self.writer = writer
        self.state = writer.open(MemoryTables())
        self.ledger: list[Record] = []
        self.written: list[Record] = []
        self.asked: list[Record] = []
        self._runs = 0

    def given(
        self,
        atoms: Iterable[AtomRecord] = (),
        conflicts: Iterable[ContradictionRecord] = (),
        *,
        commits: bool = True,
    ) -> Play:
        """One change set of the run under way; ``commits``: the last of its batch."""
        self._append(self._turn(commits=commits), list(atoms), list(conflicts))
        return self

    def _turn(self, *, commits: bool) -> Turn:
        return Turn(
            run_id=f"run_{self._runs}",
            batch_no=len(self.ledger),
            position=0,
            kind="sources",
            lane="deep",
            last_in_batch=commits,
        )

    def tells(self, *atoms: AtomRecord) -> Play:
        """A change set that says of each atom what became of it: it came, or it is obsolete."""
        ops: dict[str, ChangeOp] = {"obsolete": "atom_obsoleted"}
        changes = [
            Change(op=ops.get(one.status, "atom_created"), target_id=one.atom_id) for one in atoms
        ]
        self._append(self._turn(commits=True), list(atoms), [], changes)
        return self

    def append_changes(
        self,
        atoms: Iterable[AtomRecord],
        changes: Iterable[Change],
        conflicts: Iterable[ContradictionRecord] = (),
    ) -> None:
        """A change set of the run under way that says itself what it changed."""
        self._append(self._turn(commits=True), list(atoms), list(conflicts), changes)

    def ends(self, lane: Lane = "deep") -> ArtifactChanged:
        """The run under way ends; the writer's one answer to that."""
        before = len(self.answers())
        self.end_run(lane)
        self.decide()
        (answer,) = self.answers()[before:]
        return answer

    def end_run(self, lane: Lane = "deep") -> None:
        """The run ends without the writer being asked."""
        turn = Turn(run_id=f"run_{self._runs}", batch_no=-1, position=0, kind="run_end", lane=lane)
        self._runs += 1
        self._append(turn, [], [])

    def decided(
        self, atoms: Iterable[AtomRecord] = (), conflicts: Iterable[ContradictionRecord] = ()
    ) -> list[ArtifactChanged]:
        """A person's decision: a change set without a turn; the writer's answers to it."""
        before = len(self.answers())
        self._append(None, list(atoms), list(conflicts))
        self.decide()
        return self.answers()[before:]

    def asks(self, event: Event) -> ArtifactChanged:
        """Somebody requests something; the writer's answer."""
        before = len(self.answers())
        record = a_request(event, len(self.asked))
        self.asked.append(record)
        self.writer.evolve(self.state, record)
        self.decide()
        (answer,) = self.answers()[before:]
        return answer

    def decide(self) -> None:
        while decision := self.writer.decide(self.state):
            record = as_record("reduce.v1", len(self.written), decision.commit_record)
            self.written.append(record)
            self.writer.evolve(self.state, record)

    def answers(self) -> list[ArtifactChanged]:
        """What was published for settled positions."""
        events = [record.envelope.event for record in self.written]
        return [event for event in events if isinstance(event, ArtifactChanged)]

    @property
    def settled(self) -> list[Record]:
        """The records of those answers."""
        return [one for one in self.written if isinstance(one.envelope.event, ArtifactChanged)]

    def ahead(self) -> list[ArtifactSpeculated]:
        """What was written ahead of them, and what became of it."""
        events = [record.envelope.event for record in self.written]
        return [event for event in events if isinstance(event, ArtifactSpeculated)]

    def _append(
        self,
        turn: Turn | None,
        atoms: list[AtomRecord],
        conflicts: list[ContradictionRecord],
        changes: Iterable[Change] = (),
    ) -> None:
        seq = len(self.ledger) + 1
        event = LedgerChanged(
            ledger_seq=seq,
            prev_hash=self.ledger[-1].value_hash if self.ledger else "",
            caused_by_event_id=str(derive_event_id("told.by.test", PROJECT, str(seq))),
            turn=turn,
            changes=list(changes),
            atoms=atoms,
            contradictions=conflicts,
        )
        fact = outside_fact(
            event, project_id=PROJECT, occurred_at=AT, actor=SYSTEM, natural_key=str(seq)
        )
        record = as_record("ledger.v1", seq - 1, fact)
        self.ledger.append(record)
        self.writer.evolve(self.state, record)


def a_request(event: Event, number: int) -> Record:
    """Somebody's request; equal numbers make the same one."""
    fact = outside_fact(
        event,
        project_id=PROJECT,
        occurred_at=AT,
        actor=SYSTEM,
        natural_key=f"request {number}",
    )
    return as_record("reduce.request.v1", number, fact)


def as_record(topic: str, offset: int, envelope: Envelope) -> Record:
    """The fact as it comes back from the log."""
    value = encode(envelope.recorded(AT))
    return Record(topic, 0, offset, value, decode(value))


def prd_of(*atoms: AtomRecord, conflicts: Iterable[ContradictionRecord] = ()) -> ArtifactChanged:
    """The first answer to a ledger that holds just these."""
    return Play().given(atoms, conflicts).ends()


def items_of(answer: ArtifactChanged, artifact_type: str) -> list[ArtifactSnapshot]:
    """The items of a type that the answer changed, by number."""
    found = [one.snapshot for one in answer.items if one.snapshot.artifact_type == artifact_type]
    return sorted(found, key=lambda item: item.number)


def texts(answer: ArtifactChanged, section_id: str) -> list[str]:
    return [
        statement.text
        for section in answer.snapshot.sections
        if section.section_id == section_id
        for statement in section.statements
    ]


def cited(answer: ArtifactChanged) -> list[str]:
    """The leading atom of every statement, in order."""
    return [
        statement.citations[0].atom_id
        for section in answer.snapshot.sections
        for statement in section.statements
    ]
