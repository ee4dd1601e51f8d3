"""The whole topology in one process, without a broker: for tests and for the pure functions' rate.

The log is real in what matters: records are encoded, keyed and partitioned, delivered at least once
and in order within a partition only. A seeded ``Faults`` decides which stage moves next, repeats
records, throws a writer's state away, stops a writer between the records of one decision and lets
one that has lost its partition write on.
"""

from __future__ import annotations

import random
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.codec import decode, encode
from schemas.envelope import Envelope
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.source import SourceContentPart, SourceRevised
from schemas.strings import redact_fact
from schemas.topics import TOPICS, key_of, topic_of
from streams.hygiene.stage import clean, decide
from streams.hygiene.strings import STAGE_REDACTOR
from streams.pipeline import HYGIENE_INPUT, Pipeline
from streams.stage import Record, Step, Writer
from streams.tables import MemoryTables

START = datetime(2026, 1, 1, tzinfo=UTC)
Decrypt = Callable[[str, bytes], bytes]


@dataclass(slots=True)
class Faults:
    """What goes wrong, by chance of ``seed``; 0 everywhere is a quiet run in arrival order."""

    seed: int = 0
    repeat: float = 0.0
    forget: float = 0.0
    halve: float = 0.0
    outlive: float = 0.0
    shuffle: bool = False


class MemoryLog:
    """Topics with partitions; ``append`` stamps, encodes and keys like the real publisher."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self.records: dict[str, list[list[Record]]] = {
            topic.name: [[] for _ in range(partitions)] for topic in TOPICS
        }
        self.chunks: dict[str, ChunkCreated] = {}
        self._ticks = 0

    def append(self, envelope: Envelope) -> Record:
        self._ticks += 1
        value = encode(
            redact_fact(envelope, STAGE_REDACTOR).recorded(
                START + timedelta(milliseconds=self._ticks)
            )
        )
        topic = topic_of(envelope).name
        partition = zlib.crc32(key_of(envelope).encode()) % self.partitions
        place = self.records[topic][partition]
        record = Record(topic, partition, len(place), value, decode(value))
        place.append(record)
        if isinstance(record.envelope.event, ChunkCreated):
            self.chunks[record.envelope.event.chunk_id] = record.envelope.event
        return record

    def of(self, topic: str) -> Iterable[Record]:
        """All records of a topic, partition by partition."""
        return (record for partition in self.records[topic] for record in partition)


@dataclass
class _Reader:
    """One stage's place on one partition of its topics."""

    partition: int
    offsets: dict[str, int]
    read: Callable[[Record], None]


@dataclass
class _WriterSeat:
    """One writer at one partition: its state, and how much of its own output it has folded.

    ``before``: how far it had read each topic when the last records came.
    """

    writer: Writer[Any]
    partition: int
    state: Any
    own: int = 0
    before: deque[dict[str, int]] = field(default_factory=lambda: deque(maxlen=8))


class Driver:
    """Runs a pipeline over a log until nothing is left to do."""

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        partitions: int = 3,
        faults: Faults | None = None,
        decrypt: Decrypt = lambda key_id, content: content,
    ) -> None:
        self.log = MemoryLog(partitions)
        self._faults = faults or Faults()
        self._chance = random.Random(self._faults.seed)
        self._decrypt = decrypt
        self._parts: dict[tuple[str, str], list[bytes]] = {}
        self._answered: dict[str, SourceProcessed] = {}
        self._seen: set[tuple[str, str]] = set()  # a repeat of an older revision is no revision
        self._readers: list[_Reader] = []
        self._seats: list[_WriterSeat] = []
        for partition in range(partitions):
            self._add(partition, (HYGIENE_INPUT,), self._clean)
            for step in pipeline.steps:
                self._add(partition, step.inputs, self._make_reader(step))
            for writer in pipeline.writers:
                self._add_writer(partition, writer)

    def publish(self, envelopes: Iterable[Envelope]) -> None:
        for envelope in envelopes:
            self.log.append(envelope)

    def run(self) -> None:
        """Move until every stage has read all there is."""
        while True:
            waiting = [reader for reader in self._readers if self._next(reader)]
            if not waiting:
                if any([self._decide(seat, 0.0) for seat in self._seats]):
                    continue
                return
            if self._faults.shuffle:
                self._move(self._chance.choice(waiting))
            else:
                for reader in waiting:
                    while self._move(reader):
                        pass

    def _add(self, partition: int, topics: tuple[str, ...], read: Callable[[Record], None]) -> None:
        self._readers.append(_Reader(partition, dict.fromkeys(topics, 0), read))

    def _next(self, reader: _Reader) -> str | None:
        """A topic the reader has records left of."""
        left = [
            topic
            for topic, offset in reader.offsets.items()
            if offset < len(self.log.records[topic][reader.partition])
        ]
        if not left:
            return None
        return self._chance.choice(left) if self._faults.shuffle else left[0]

    def _move(self, reader: _Reader) -> bool:
        topic = self._next(reader)
        if topic is None:
            return False
        offset = reader.offsets[topic]
        reader.read(self.log.records[topic][reader.partition][offset])
        again = self._chance.random() < self._faults.repeat
        reader.offsets[topic] = max(0, offset - self._chance.randrange(3)) if again else offset + 1
        return True

    def _make_reader(self, step: Step) -> Callable[[Record], None]:
        def read(record: Record) -> None:
            chunk = self._chunk_of(record) if step.with_chunk else None
            for event in step.handle(record.envelope, chunk):
                self.log.append(record.envelope.caused(event))

        return read

    def _chunk_of(self, record: Record) -> ChunkCreated | None:
        event = record.envelope.event
        named = getattr(event, "reading", event)
        return self.log.chunks.get(getattr(named, "chunk_id", ""))

    def _clean(self, record: Record) -> None:
        match record.envelope.event:
            case SourceContentPart() as part:
                key = (part.source_id, part.trigger_key)
                parts = self._parts.setdefault(key, [b""] * (part.part_count - 1))
                parts[part.part_index - 1] = self._decrypt(part.key_id, part.content)
            case SourceRevised() as revised:
                source = revised.source.source_id
                if (source, revised.trigger_key) in self._seen:
                    return
                self._seen.add((source, revised.trigger_key))
                previous = self._answered.get(source)
                rest = self._parts.pop((source, revised.trigger_key), [])
                content = self._decrypt(revised.key_id, revised.content) + b"".join(rest)
                cleaned = clean(revised.source, content, revised.force_include)
                *before, processed = decide(previous, revised, cleaned)
                for event in before:
                    self.log.append(record.envelope.caused(event))
                answer = self.log.append(record.envelope.caused(processed)).envelope.event
                assert isinstance(answer, SourceProcessed)
                self._answered[source] = answer

    def _add_writer(self, partition: int, writer: Writer[Any]) -> None:
        seat = _WriterSeat(writer, partition, writer.open(MemoryTables()))
        reader = _Reader(partition, dict.fromkeys(writer.inputs, 0), lambda record: None)

        def read(record: Record) -> None:
            if self._faults.outlive:
                reached = reader.offsets | {record.topic: record.offset + 1}
                seat.before.append(reached | {writer.output: seat.own})
            writer.evolve(seat.state, record)
            if self._chance.random() < self._faults.forget:
                seat.state, seat.own = writer.open(MemoryTables()), 0
                self._fold_own(seat)
                for topic, offset in reader.offsets.items():
                    end = offset + (topic == record.topic)
                    for known in self.log.records[topic][partition][:end]:
                        writer.evolve(seat.state, known)
            if self._chance.random() < self._faults.outlive:
                self._outlive(seat)
            self._decide(seat, self._faults.halve)

        reader.read = read
        self._readers.append(reader)
        self._seats.append(seat)

    def _outlive(self, seat: _WriterSeat) -> None:
        """A writer that lost the partition a while ago still writes what it decides from then.

        It is not told what the other has written, and takes what it writes itself as accepted.
        """
        writer, state = seat.writer, seat.writer.open(MemoryTables())
        known = self._chance.choice(seat.before)
        for topic, offset in known.items():
            for record in self.log.records[topic][seat.partition][:offset]:
                writer.evolve(state, record)
        for _ in range(self._chance.randrange(1, 5)):
            if decision := writer.decide(state):
                written = [self.log.append(envelope) for envelope in decision.envelopes]
                writer.evolve(state, written[-1])

    def _fold_own(self, seat: _WriterSeat) -> None:
        own = self.log.records[seat.writer.output][seat.partition]
        for record in own[seat.own :]:
            seat.writer.evolve(seat.state, record)
        seat.own = len(own)

    def _decide(self, seat: _WriterSeat, halve: float) -> bool:
        """Write what is due, with chance ``halve`` without its commit record. Whether it moved."""
        self._fold_own(seat)
        moved = False
        while decision := seat.writer.decide(seat.state):
            for envelope in decision.envelopes[:-1]:
                self.log.append(envelope)
            if self._chance.random() < halve:
                return moved
            self.log.append(decision.commit_record)
            self._fold_own(seat)
            moved = True
        return moved
