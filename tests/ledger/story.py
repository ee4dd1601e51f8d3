"""Builders and a player for ledger tests: a test states only what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.codec import encode
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.atom import (
    AtomReflected,
    Candidate,
    CandidateRow,
    DocumentFacts,
    Judged,
    Reading,
)
from schemas.events.hitl import PersonDecided
from schemas.events.ingestion import (
    BatchPlanned,
    Counters,
    Limits,
    NextBatchHint,
    RunStarted,
    RunStopped,
    SourceChange,
)
from schemas.events.ledger import AtomRecord, HumanDecision, LedgerChanged
from schemas.ids import sha256_hex
from streams.ledger.turns.fold import LedgerView
from streams.ledger.turns.state import LedgerState
from streams.ledger.writer import LEDGER
from streams.stage import Decision, Record
from streams.tables import MemoryTables

PROJECT = "prj_test"
STARTED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMITS = Limits(
    batch_size=4,
    planned_ahead=1,
    horizon=32,
    max_chunks_per_run=100,
    token_budget=0,
    max_concurrency=1,
)


def a_row(text: str = "The service keeps all of its records.", start: int = 0) -> CandidateRow:
    return CandidateRow(char_start=start, char_end=start + len(text), snippet=text)


def judged(
    title: str,
    body: str = "",
    *,
    kind: str = "claim",
    confidence: float = 0.75,
    rows: Sequence[CandidateRow] = (),
    status: Any = "active",
    **fields: Any,
) -> Judged:
    candidate = Candidate(
        candidate_id=f"cnd_{sha256_hex(kind + title + body)[:8]}",
        kind=kind,
        title=title,
        body=body or title,
        confidence=confidence,
        **{"polarity": "affirm"} | fields,
    )
    return Judged(
        candidate=candidate,
        status=status,
        confidence_before=confidence,
        confidence_after=confidence,
        rows=list(rows) or [a_row(title + " is what the source says.")],
    )


@dataclass(frozen=True)
class Chunk:
    """What the reader finds in one chunk of one payload of a source."""

    chunk_id: str
    accepted: Sequence[Judged] = ()
    source_id: str = "src_a"
    sanitized_hash: str = "h1"
    outcome: Any = "extracted"
    rejected: int = 0
    path: tuple[str, ...] = ("Overview",)
    engine: str = "heuristic"
    error: str | None = None
    document: DocumentFacts | None = None


@dataclass(frozen=True)
class Batch:
    chunks: Sequence[Chunk] = ()
    changes: Sequence[SourceChange] = ()


@dataclass(frozen=True)
class Run:
    """A whole run: its batches, and what goes with its end."""

    batches: Sequence[Batch]
    trigger: str = "t1"
    lane: Any = "deep"
    removals: Sequence[SourceChange] = ()
    withdrawn: Sequence[int] = ()
    unfinished: Sequence[str] = ()
    engine: str = "heuristic"

    @property
    def run_id(self) -> str:
        return f"run_{self.trigger}_{self.lane}"


def a_run(*chunks: Chunk, **fields: Any) -> Run:
    """A run of one batch."""
    changes = fields.pop("changes", ())
    return Run([Batch(chunks, changes)], **fields)


def fact(
    event: Event,
    key: str,
    *,
    lane: Any = "none",
    run: str | None = None,
    actor: Actor | None = None,
) -> Record:
    """A record of an input topic; equal keys make the same fact."""
    at = STARTED_AT + timedelta(microseconds=int(sha256_hex(key)[:8], 16))
    envelope = outside_fact(
        event,
        project_id=PROJECT,
        occurred_at=at,
        actor=actor or Actor(),
        lane=lane,
        run_id=run,
        natural_key=key,
    )
    return Record(event.topic, 0, 0, b"", envelope)


def ingestion_of(run: Run) -> list[Record]:
    """What run control says of a run, in its order."""
    about: dict[str, Any] = {"lane": run.lane, "run": run.run_id}
    started = RunStarted(
        run_id=run.run_id,
        trigger_key=run.trigger,
        root="root",
        lane=run.lane,
        trigger="manual",
        coverage_target="best_effort",
        engine=run.engine,
        limits=LIMITS,
        versions={},
        basis_seq=0,
        source_count=1,
    )
    facts = [fact(started, f"{run.run_id}|started", **about)]
    for number, batch in enumerate(run.batches):
        planned = BatchPlanned(
            run_id=run.run_id,
            batch_no=number,
            basis_seq=0,
            horizon_end=1,
            hint=NextBatchHint(
                decision_rule="best_effort",
                selected_chunk_ids=[chunk.chunk_id for chunk in batch.chunks],
            ),
            source_changes=list(batch.changes),
        )
        facts.append(fact(planned, f"{run.run_id}|{number}|planned", **about))
    stopped = RunStopped(
        run_id=run.run_id,
        stop_reason="exhausted",
        totals=Counters(),
        batch_count=len(run.batches),
        sources_processed=1,
        sources_skipped=0,
        chunks_skipped=0,
        source_changes=list(run.removals),
        withdrawn_batches=list(run.withdrawn),
        unfinished_sources=list(run.unfinished),
    )
    facts.append(fact(stopped, f"{run.run_id}|stopped", **about))
    return facts


def results_of(run: Run) -> list[Record]:
    """The readings of all chunks of a run, in the order of its plans."""
    facts = []
    for number, batch in enumerate(run.batches):
        for position, chunk in enumerate(batch.chunks, start=1):
            reading = Reading(
                run_id=run.run_id,
                batch_no=number,
                position=position,
                lane=run.lane,
                chunk_id=chunk.chunk_id,
                source_id=chunk.source_id,
                sanitized_hash=chunk.sanitized_hash,
                structure_path=list(chunk.path),
                outcome=chunk.outcome,
                engine=chunk.engine,
                error=chunk.error,
                extractor_version="h1",
                input_tokens=100,
                output_tokens=20,
                document=chunk.document,
            )
            rejected = [judged(f"rejected {n}", status="rejected") for n in range(chunk.rejected)]
            event = AtomReflected(
                reading=reading,
                accepted=list(chunk.accepted),
                rejected=rejected,
                reflection_version="f1",
            )
            key = f"{run.run_id}|{number}|{position}|reflected"
            facts.append(fact(event, key, lane=run.lane, run=run.run_id))
    return facts


def decided(event: PersonDecided, key: str = "", by: str = "ana") -> Record:
    """A person's decision; without ``key`` one whose content names it."""
    key = key or f"{event.type_name}|{event.model_dump_json()}"
    return fact(event, key, actor=Actor(type="human", id=by))


def facts_of(*runs: Run) -> list[Record]:
    """All inputs of the runs, in a quiet order."""
    return [record for run in runs for record in (*ingestion_of(run), *results_of(run))]


@dataclass
class Story:
    """A ledger writer over its log. ``given`` feeds inputs; the writer decides after each.

    ``asked`` is what it has asked the judge.
    """

    log: list[Record] = field(default_factory=list)
    asked: list[Envelope] = field(default_factory=list)
    inputs: list[Record] = field(default_factory=list)
    state: LedgerState = field(default_factory=lambda: LEDGER.open(MemoryTables()))

    def given(self, *runs: Run) -> Story:
        return self.play(facts_of(*runs))

    def play(self, records: Iterable[Record]) -> Story:
        for record in records:
            self.inputs.append(record)
            LEDGER.evolve(self.state, record)
            self.decide()
        return self

    def decision(self, event: PersonDecided, key: str = "", by: str = "ana") -> HumanDecision:
        """The ledger's answer to a person's decision."""
        self.play([decided(event, key, by)])
        answer = self.change_sets[-1].hitl
        assert answer is not None
        return answer

    def fold(self, records: Iterable[Record]) -> Story:
        """Feed inputs without letting the writer decide."""
        for record in records:
            self.inputs.append(record)
            LEDGER.evolve(self.state, record)
        return self

    def decide(self) -> None:
        while decision := LEDGER.decide(self.state):
            self.write(decision)

    def write(self, decision: Decision) -> None:
        self.asked += decision.envelopes[:-1]
        written = recorded(decision.commit_record, len(self.log))
        self.log.append(written)
        LEDGER.evolve(self.state, written)

    def refold(self, own_first: bool = True) -> None:
        """Lose the store and fold it again from offset 0."""
        self.state = LEDGER.open(MemoryTables())
        parts = (self.log, self.inputs) if own_first else (self.inputs, self.log)
        for record in (*parts[0], *parts[1]):
            LEDGER.evolve(self.state, record)

    @property
    def change_sets(self) -> list[LedgerChanged]:
        return [change_set_in(record) for record in self.log]

    @property
    def view(self) -> LedgerView:
        return self.state.view

    def atom(self, title: str) -> AtomRecord:
        (found,) = [atom for atom in self.view.atoms.values() if atom.title == title]
        return found

    def ops(self, op: str) -> list[Any]:
        return [change for each in self.change_sets for change in each.changes if change.op == op]

    def bytes(self) -> list[bytes]:
        return [record.value for record in self.log]


def change_set_in(record: Record) -> LedgerChanged:
    event = record.envelope.event
    assert isinstance(event, LedgerChanged)
    return event


def recorded(envelope: Envelope, offset: int) -> Record:
    """A decision as written; the time of recording follows from the place, not from a clock."""
    stamped = envelope.recorded(STARTED_AT + timedelta(days=1, seconds=offset))
    return Record("ledger.v1", 0, offset, encode(stamped), stamped)


def story(*runs: Run) -> Story:
    return Story().given(*runs)
