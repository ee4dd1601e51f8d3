"""Given/when/then for run control: facts go in, what it decides comes out and is folded back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import VERSIONS, ChunkRef, SourceProcessed
from schemas.events.ingestion import BatchPlanned, RunStarted, RunStopped, SourceChange
from schemas.events.ingestion_request import (
    IngestionRequested,
    ListedSource,
    SourceReady,
    SourcesListed,
)
from schemas.events.ledger import Change, LedgerChanged, Turn
from schemas.events.source import SourceInfo
from schemas.events.working_summary import WorkingSummary
from schemas.ids import sha256_hex
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Record
from streams.tables import MemoryTables

PROJECT = "prj_1"
AT = datetime(2026, 1, 1, tzinfo=UTC)
NO_BYTES = b""


def a_source(
    path: str, chunks: int = 2, tier: int = 3, content: str = "", **more
) -> SourceProcessed:
    source = f"src_{path}"
    info = SourceInfo(
        source_id=source,
        root="repo",
        external_ref=f"repo@{path}",
        path=path,
        source_type="readme" if tier == 1 else "code",
        priority_tier=tier,
    )
    fields: dict[str, Any] = {
        "outcome": "sanitized",
        "revision_seq": 1,
        "raw_sha256": "00",
        "raw_normalized_hash": sha256_hex(content or path),
        "sanitized_hash": sha256_hex(content or path),
        "trigger_key": "k1",
        "versions": VERSIONS,
        "chunks": [a_chunk(path, at) for at in range(chunks)],
    }
    return SourceProcessed(source=info, **(fields | more))


def a_chunk(path: str, at: int, **more) -> ChunkRef:
    fields: dict[str, Any] = {
        "chunk_id": f"chk_{path}_{at}",
        "anchor_type": "heading",
        "anchor_start": at * 100,
        "anchor_end": at * 100 + 99,
        "line_start": at * 10 + 1,
        "text_hash": "h",
        "token_estimate": 100,
    }
    return ChunkRef(**(fields | more))


class Play:
    """One project in front of run control; ``written`` is all it has written so far."""

    def __init__(self) -> None:
        self.state = RUN_CONTROL.open(MemoryTables())
        self.inputs: list[Envelope] = []
        self.written: list[Envelope] = []
        self.order: list[Envelope] = []
        self.seq = 0
        self.in_ledger: set[tuple[str, int]] = set()
        self._ended: set[str] = set()

    def given(self, *events: Event) -> Play:
        for event in events:
            self.fold(self.fact(event))
        return self

    def fact(self, event: Event) -> Envelope:
        key = event.local_key or event.aggregate_id
        fact = outside_fact(
            event, project_id=PROJECT, occurred_at=AT, actor=SYSTEM, natural_key=key
        )
        self.inputs.append(fact)
        self.order.append(fact)
        return fact

    def fold(self, envelope: Envelope) -> None:
        RUN_CONTROL.evolve(self.state, Record("t", 0, 0, NO_BYTES, envelope))

    def when(self) -> list[Event]:
        """Everything that is due now, written and folded."""
        decided: list[Event] = []
        while decision := RUN_CONTROL.decide(self.state):
            decided += [envelope.event for envelope in decision.envelopes]
            self.written += decision.envelopes
            self.order.append(decision.commit_record)
            self.fold(decision.commit_record)
        return decided

    def asked(
        self,
        *sources: SourceProcessed,
        key: str = "k1",
        lanes=("preview", "deep"),
        accept_removals: bool = False,
        asking: dict[str, Any] | None = None,
        complete: bool = True,
        **limits,
    ) -> Play:
        """A request with its listing; its sources are not ready yet. ``asking``: more of it."""
        listed = [
            ListedSource(
                source_id=processed.source.source_id,
                path=processed.source.path,
                source_type=processed.source.source_type,
                priority_tier=processed.source.priority_tier,
            )
            for processed in sources
        ]
        return self.given(
            IngestionRequested(
                trigger_key=key,
                root="repo",
                lanes=list(lanes),
                limits=limits,
                accept_removals=accept_removals,
                **asking or {},
            ),
            SourcesListed(
                trigger_key=key,
                root="repo",
                complete=complete,
                part_index=0,
                part_count=1,
                sources=listed,
            ),
        )

    def ready(self, *sources: SourceProcessed) -> Play:
        return self.given(*(SourceReady(processed=processed) for processed in sources))

    def ledger_applies(
        self, batch: BatchPlanned, gaps=(), atoms: int = 0, poison: tuple[str, ...] = (), **told
    ) -> None:
        """The ledger's turns for a batch, the last one with a summary, new atoms and what is
        ``told``.
        """
        self.in_ledger.add((batch.run_id, batch.batch_no))
        chunks, settled_ones = batch.hint.selected_chunk_ids, batch.source_changes
        if settled_ones or not chunks:
            told_now = {"changes": [settled(change) for change in settled_ones]}
            at = (batch.run_id, batch.batch_no, 0, None, not chunks, gaps, "extracted")
            self._applied(*at, told_now)
        for position, chunk in enumerate(chunks, start=1):
            last = position == len(chunks)
            made = [Change(op="atom_created", target_id=f"atm_{at}") for at in range(atoms * last)]
            more = told | {"changes": made} if last else {}
            outcome = "poison" if chunk in poison else "extracted"
            self._applied(batch.run_id, batch.batch_no, position, chunk, last, gaps, outcome, more)

    def ledger_begins(self, batch: BatchPlanned, turns: int) -> None:
        """The ledger's turns for the batch's first chunks."""
        for position, chunk in enumerate(batch.hint.selected_chunk_ids[:turns], start=1):
            self._applied(batch.run_id, batch.batch_no, position, chunk, False, ())

    def ledger_ends(self, stopped: RunStopped) -> None:
        self._ended.add(stopped.run_id)
        told = {"changes": [settled(change) for change in stopped.source_changes]}
        self._applied(stopped.run_id, -1, 0, None, False, (), "extracted", told)

    def ledger_decides(self, **told) -> None:
        """A change set of a person's, between two turns."""
        self.seq += 1
        changed = LedgerChanged(
            ledger_seq=self.seq, prev_hash=self._head(), caused_by_event_id=str(self.seq), **told
        )
        self.given(changed)

    def _head(self) -> str:
        """The hash of the change set before; all records here have the same bytes."""
        return sha256_hex(NO_BYTES) if self.seq > 1 else ""

    def _applied(
        self, run_id, batch_no, position, chunk, last, gaps, outcome="extracted", more=None
    ) -> None:
        self.seq += 1
        kind: Literal["sources", "chunk", "run_end"] = "chunk" if chunk else "sources"
        if batch_no < 0:
            kind = "run_end"
        turn = Turn(
            run_id=run_id,
            batch_no=batch_no,
            position=position,
            kind=kind,
            lane="deep",
            chunk_id=chunk,
            outcome=outcome,
            tokens=100 if chunk else 0,
            last_in_batch=last,
        )
        summary = WorkingSummary(state_version="v", ledger_seq=self.seq, gaps=list(gaps))
        self.given(
            LedgerChanged(
                ledger_seq=self.seq,
                prev_hash=self._head(),
                caused_by_event_id=str(self.seq),
                turn=turn,
                summary=summary if last else None,
                **more or {},
            )
        )

    def to_the_end(self) -> list[Event]:
        """Let the ledger apply everything in canonical order until all runs have ended."""
        done: list[Event] = []
        while True:
            done += self.when()
            written = [envelope.event for envelope in self.written]
            runs = [event.run_id for event in written if isinstance(event, RunStarted)]
            if not self._one_step(written, runs):
                return done

    def _one_step(self, written, runs) -> bool:
        withdrawn = {
            (event.run_id, batch_no)
            for event in written
            if isinstance(event, RunStopped)
            for batch_no in event.withdrawn_batches
        }
        for run in [run for run in runs if run not in self._ended]:
            for event in written:
                if event.aggregate_id != run:
                    continue
                if isinstance(event, BatchPlanned) and (
                    (run, event.batch_no) not in self.in_ledger | withdrawn
                ):
                    self.ledger_applies(event)
                    return True
                if isinstance(event, RunStopped):
                    self.ledger_ends(event)
                    return True
            return False
        return False


def settled(change: SourceChange) -> Change:
    """How the ledger says that it knows of a source change."""
    of_payload = change.kind == "revised"
    return Change(
        op="source_settled",
        target_id=change.source_id,
        other_id=change.new_hash if of_payload else change.other_source_id,
        reason=change.kind,
        detail="" if of_payload else change.new_hash or "",
    )


def chunks_read(events: list[Event]) -> list[str]:
    return [event.chunk_id for event in events if isinstance(event, ExtractRequested)]
