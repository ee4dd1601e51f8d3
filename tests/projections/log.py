"""A small log in memory, made of the facts a tiny project leaves behind; a test says what it is
about.

``Log`` gives records their places as the broker would; ``Story`` tells the facts in a plausible
order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from infra.platform.kafka import partition_of
from projections.checkpoint import Record
from projections.fold import PROJECTED_TOPICS
from schemas import ids
from schemas.codec import encode, headers
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.artifact import ArtifactChanged, LatestSet, VersionPublished
from schemas.events.atom import (
    AtomReflected,
    CandidatesExtracted,
    Judged,
    Reading,
)
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import (
    VERSIONS,
    Annotation,
    ChunkCreated,
    SourceProcessed,
    SourceSanitized,
)
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    CandidateChunk,
    Counters,
    Limits,
    NextBatchHint,
    RunStarted,
    RunStopped,
)
from schemas.events.ingestion_request import (
    IngestionRequested,
    ListedSource,
    SourcesListed,
)
from schemas.events.ledger import (
    AtomRecord,
    Change,
    EntityMention,
    LedgerChanged,
    Turn,
)
from schemas.events.project import ProjectCreated
from schemas.events.source import SourceRevised
from schemas.events.vault import KeyCreated
from schemas.topics import key_of, topic_of
from streams.memory import Driver
from tests.projections.builders import (
    PROJECT,
    START,
    a_contradiction,
    a_rejection,
    an_atom,
    chunk_of,
    evidence_of,
    prd_of,
    ref_of,
    replace_part,
    source_of,
    spans,
)

PARTITIONS = 3
TRIGGER = "trigger-1"
KEY = "key_demo"
PERSON = Actor(type="human", id="human:ada")


@dataclass
class Log:
    """Records in the order they were written, each with its place."""

    records: list[Record] = field(default_factory=list)
    _ends: dict[tuple[str, int], int] = field(default_factory=dict)
    _seconds: Any = field(default_factory=itertools.count)

    def write(self, fact: Envelope) -> Record:
        at = START + timedelta(milliseconds=100 * next(self._seconds))
        chained = isinstance(fact.event, LedgerChanged) and fact.recorded_at
        fact = fact if chained else fact.recorded(at)  # the next one names these bytes
        topic, key = topic_of(fact).name, key_of(fact).encode()
        return self.write_bytes(topic, key, encode(fact), tuple(headers(fact)))

    def write_bytes(
        self,
        topic: str,
        key: bytes,
        value: bytes,
        with_headers: tuple[tuple[str, bytes], ...] = (),
    ) -> Record:
        partition = partition_of(key, PARTITIONS)
        offset = self._ends.get((topic, partition), 0)
        self._ends[topic, partition] = offset + 1
        record = Record(topic, partition, offset, key, value, with_headers)
        self.records.append(record)
        return record

    def again(self, record: Record) -> Record:
        """The same bytes a second time, further on: what at-least-once delivery does."""
        assert record.key is not None and record.value is not None
        return self.write_bytes(record.topic, record.key, record.value, record.headers)


def records_in(driver: Driver, topics: Iterable[str] = PROJECTED_TOPICS) -> list[Record]:
    """What a driver's log holds of ``topics``, as the projector would read it.

    In the partitions of a broker's partitioner, which the driver does not have.
    """
    log = Log()
    for topic in sorted(topics):
        for record in driver.log.of(topic):
            key = key_of(record.envelope).encode()
            log.write_bytes(topic, key, record.value, tuple(headers(record.envelope)))
    return log.records


@dataclass
class Story:
    """What a tiny project leaves in the log; every step writes and remembers what follows need."""

    log: Log = field(default_factory=Log)
    seq: int = 0
    prev_hash: str = ""
    artifact_seq: int = 0
    turns: int = 0
    run: str = ids.run_id(PROJECT, TRIGGER, "preview")
    chunks: dict[str, ChunkCreated] = field(default_factory=dict)
    revised: dict[str, Envelope] = field(default_factory=dict)
    processed: dict[str, SourceProcessed] = field(default_factory=dict)

    def outside(self, event: Event, **options: Any) -> Envelope:
        fact = outside_fact(event, project_id=PROJECT, occurred_at=START, actor=PERSON, **options)
        self.log.write(fact)
        return fact

    def follows(self, cause: Envelope, event: Event) -> Envelope:
        fact = cause.caused(event, lane="preview")
        self.log.write(fact)
        return fact

    def project(self, name: str = "Demo") -> Envelope:
        return self.outside(ProjectCreated(name=name), natural_key="demo")

    def requested(self, paths: Sequence[str], lanes: Sequence[Any] = ("preview",)) -> Envelope:
        self.trigger = self.outside(
            IngestionRequested(trigger_key=TRIGGER, root="demo", lanes=list(lanes))
        )
        self.outside(
            SourcesListed(
                trigger_key=TRIGGER,
                root="demo",
                complete=True,
                part_index=0,
                part_count=1,
                sources=[
                    ListedSource(
                        source_id=source_of(path).source_id,
                        path=path,
                        source_type=source_of(path).source_type,
                        priority_tier=1,
                    )
                    for path in paths
                ],
            )
        )
        return self.trigger

    def source(
        self,
        path: str,
        text: str,
        *,
        trigger_key: str = TRIGGER,
        annotations: Sequence[Annotation] = (),
        areas: Sequence[str] = (),
    ) -> list[ChunkCreated]:
        """The source has ``text`` now; one chunk a paragraph, the first one about ``areas``."""
        info = source_of(path)
        before = self.processed.get(path)
        revised = self.outside(
            SourceRevised(
                source=info,
                trigger_key=trigger_key,
                byte_count=len(text),
                raw_sha256=ids.sha256_hex(text),
                key_id=KEY,
                content=b"sealed",
            )
        )
        self.revised[path] = revised
        digest = ids.sha256_hex(text)
        self.follows(
            revised,
            SourceSanitized(
                source_id=info.source_id,
                raw_normalized_hash=digest,
                sanitized_hash=digest,
                encoding="utf-8",
                line_count=text.count("\n"),
                char_count=len(text),
                text=text,
                annotations=list(annotations),
                versions=VERSIONS,
            ),
        )
        chunks = [
            chunk_of(info, digest, text, start, end, annotations) for start, end in spans(text)
        ]
        for chunk in chunks:
            self.follows(revised, chunk)
            self.chunks[chunk.chunk_id] = chunk
        processed = SourceProcessed(
            source=info,
            trigger_key=trigger_key,
            outcome="sanitized",
            revision_seq=before.revision_seq + 1 if before else 1,
            raw_sha256=digest,
            raw_normalized_hash=digest,
            sanitized_hash=digest,
            versions=VERSIONS,
            previous_sanitized_hash=before.sanitized_hash if before else None,
            chunks=[
                replace_part(ref_of(chunk), areas=list(areas) if at == 0 else [])
                for at, chunk in enumerate(chunks)
            ],
        )
        self.follows(revised, processed)
        self.processed[path] = processed
        return chunks

    def skipped(self, path: str, reason: Any, detail: str) -> None:
        """Stage 0 answers that the source is not read."""
        info = source_of(path)
        revised = self.outside(
            SourceRevised(
                source=info,
                trigger_key=TRIGGER,
                byte_count=1,
                raw_sha256="00",
                key_id=KEY,
                content=b"sealed",
            )
        )
        self.follows(
            revised,
            SourceProcessed(
                source=info,
                trigger_key=TRIGGER,
                outcome="skipped",
                revision_seq=1,
                raw_sha256="00",
                skip_reason=reason,
                skip_detail=detail,
                versions=VERSIONS,
            ),
        )

    def run_started(self, lane: Any = "preview", trigger_key: str = TRIGGER) -> Envelope:
        self.run = ids.run_id(PROJECT, trigger_key, lane)
        self.turns = 0
        return self.follows(
            self.trigger,
            RunStarted(
                run_id=self.run,
                trigger_key=trigger_key,
                root="demo",
                lane=lane,
                trigger="manual",
                coverage_target="best_effort",
                engine="heuristic",
                limits=Limits(
                    batch_size=16,
                    planned_ahead=1,
                    horizon=32,
                    max_chunks_per_run=400,
                    token_budget=0,
                    max_concurrency=2,
                ),
                versions={"hygiene": "h1"},
                basis_seq=self.seq,
                source_count=1,
            ),
        )

    def planned(self, chunks: Iterable[ChunkCreated], batch_no: int = 0, **more: Any) -> Envelope:
        return self.follows(
            self.trigger,
            BatchPlanned(
                run_id=self.run,
                batch_no=batch_no,
                basis_seq=self.seq,
                horizon_end=1,
                hint=NextBatchHint(
                    decision_rule="mandatory_set",
                    selected_chunk_ids=[chunk.chunk_id for chunk in chunks],
                    candidate_chunks=[
                        CandidateChunk(
                            chunk_id=chunk.chunk_id,
                            source_id=chunk.source_id,
                            reason_code="mandatory_set_uncovered",
                            expected_value_score=0.9,
                            priority_rank=1,
                        )
                        for chunk in chunks
                    ],
                ),
                **more,
            ),
        )

    def reflected(self, chunk: ChunkCreated, rejected: Sequence[Judged] = ()) -> Envelope:
        """The chunk was asked for, read and judged."""
        self.turns += 1
        request = self.follows(
            self.trigger,
            ExtractRequested(
                run_id=self.run,
                batch_no=0,
                position=self.turns,
                lane="preview",
                chunk_id=chunk.chunk_id,
                source_id=chunk.source_id,
            ),
        )
        reading = Reading(
            run_id=self.run,
            batch_no=0,
            position=self.turns,
            lane="preview",
            chunk_id=chunk.chunk_id,
            source_id=chunk.source_id,
            sanitized_hash=chunk.sanitized_hash,
            outcome="extracted",
            extractor_version="h1",
        )
        found = self.follows(request, CandidatesExtracted(reading=reading))
        reflected = AtomReflected(reading=reading, rejected=list(rejected), reflection_version="f1")
        return self.follows(found, reflected)

    def changed(self, cause: Envelope, **content: Any) -> Envelope:
        """The next change set of the ledger."""
        self.seq += 1
        event = LedgerChanged(
            ledger_seq=self.seq,
            prev_hash=self.prev_hash,
            caused_by_event_id=str(cause.event_id),
            **content,
        )
        fact = cause.caused(event)
        record = self.log.write(fact)
        assert record.value is not None
        self.prev_hash = ids.sha256_hex(record.value)
        return fact

    def fork(self, ahead: int) -> None:
        """The owner writes one change set, a second writer as many as ``ahead`` in its place.

        Then the owner goes on, with the causes the second writer had taken.
        """
        first, *later = [
            self.outside(ProjectCreated(name=f"cause {n}"), natural_key=f"cause {n}")
            for n in range(ahead + 1)
        ]
        before = (self.seq, self.prev_hash)
        self.changed(first, reason="the owner's")
        owners = (self.seq, self.prev_hash)
        self.seq, self.prev_hash = before
        for cause in later:
            self.changed(cause, reason="a second writer's")
        self.seq, self.prev_hash = owners
        for cause in later:
            self.changed(cause, reason="the owner's")

    def turn(self, chunk: ChunkCreated, outcome: str = "extracted") -> Turn:
        return Turn(
            run_id=self.run,
            batch_no=0,
            position=self.turns,
            kind="chunk",
            lane="preview",
            chunk_id=chunk.chunk_id,
            outcome=outcome,
        )

    def read(
        self,
        chunk: ChunkCreated,
        *atoms: AtomRecord,
        outcome: str = "extracted",
        error: str = "",
        rejected: Sequence[Judged] = (),
        **more: Any,
    ) -> Envelope:
        """The chunk's turn was applied and gave ``atoms``, each with the chunk as its evidence."""
        cause = self.reflected(chunk, rejected)
        stamped = [replace_part(atom, first_seq=self.seq + 1) for atom in atoms]
        changes = [Change(op="atom_created", target_id=atom.atom_id) for atom in atoms]
        return self.changed(
            cause,
            turn=replace_part(self.turn(chunk, outcome), error=error),
            changes=changes,
            atoms=stamped,
            evidence=[evidence_of(atom, chunk, self.run) for atom in atoms],
            **more,
        )

    def committed(self, batch_no: int = 0) -> Envelope:
        return self.follows(
            self.trigger,
            BatchCommitted(
                run_id=self.run,
                batch_no=batch_no,
                ledger_seq=self.seq,
                last_successful_chunk_id=None,
                counters=Counters(chunks_processed=self.turns, atoms_created=1, tokens=100),
                new_atoms_per_10k_tokens=100.0,
            ),
        )

    def stopped(self, **more: Any) -> Envelope:
        """The run has stopped, and its last turn is in the ledger."""
        fields: dict[str, Any] = {
            "stop_reason": "exhausted",
            "totals": Counters(chunks_processed=self.turns, atoms_created=1),
            "batch_count": 1,
            "sources_processed": 1,
            "sources_skipped": 0,
            "chunks_skipped": 0,
        }
        cause = self.follows(self.trigger, RunStopped(run_id=self.run, **fields | more))
        end = Turn(run_id=self.run, batch_no=-1, position=0, kind="run_end", lane="preview")
        return self.changed(cause, turn=end)

    def published(
        self, cause: Envelope, *atoms: AtomRecord, outcome: Any = "published"
    ) -> Envelope:
        """The artifact writer has settled at the present position with a PRD of these atoms."""
        self.artifact_seq += 1
        snapshot = prd_of(atoms, version=self.artifact_seq, run_id=self.run, seq=self.seq)
        changed = self.follows(
            cause,
            ArtifactChanged(
                artifact_seq=self.artifact_seq,
                caused_by_event_id=str(cause.event_id),
                input_ledger_seq=self.seq,
                settled_run_id=self.run,
                outcome=outcome,
                snapshot=snapshot,
            ),
        )
        published = self.follows(changed, VersionPublished(snapshot=snapshot))
        self.follows(changed, LatestSet(snapshot=snapshot))
        return published


def a_whole_story() -> Story:
    """Two sources, three chunks, two atoms and an entity, a conflict, a rejection, a PRD."""
    story = Story()
    story.project()
    story.requested(["README.md", "docs/auth.md"])
    readme = story.source("README.md", README)
    (auth,) = story.source("docs/auth.md", "The gateway keeps sessions in cookies.")
    story.run_started()
    story.planned([*readme, auth])
    tokens = an_atom(readme[1], story.run, "Auth uses JWT tokens", tags=["auth"])
    gateway = an_atom(readme[0], story.run, "Gateway", kind="entity", body="The public gateway.")
    cookies = an_atom(auth, story.run, "Auth uses session cookies", kind="decision")
    mention = EntityMention(
        atom_id=tokens.atom_id, entity_atom_id=gateway.atom_id, mention="gateway"
    )
    story.read(readme[0], gateway)
    story.read(readme[1], tokens, mentions=[mention], rejected=[a_rejection(readme[1])])
    story.read(auth, cookies, contradictions=[a_contradiction(tokens, cookies, story.seq + 1)])
    story.committed()
    end = story.stopped()
    story.published(end, tokens, cookies)
    story.outside(KeyCreated(key_id=KEY, generation=1, wrapped=b"wrapped"))
    return story


README = "The gateway is the public entrance.\n\nThe API authenticates callers with JWT tokens.\n"
