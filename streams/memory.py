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
from schemas.envelope import Envelope, Event
from schemas.events.dlq import DeadLetter
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.source import SourceContentPart, SourceInfo, SourceRevised
from schemas.strings import redact_fact
from schemas.topics import TOPICS, key_of, topic_of
from streams.deciding import Decider, Folder, FoldFailed, Taken, answer_without
from streams.hygiene.redaction.strings import STAGE_REDACTOR
from streams.hygiene.stage import Cleaned, clean, decide, give_up
from streams.pipeline import HYGIENE, HYGIENE_INPUT, Pipeline
from streams.stage import Record, Step, Writer
from streams.tables import MemoryTables
from streams.undecidable import (
    OF_THE_MACHINE,
    TRIES,
    Failure,
    Trouble,
    build,
    describe,
    make_record_letter,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
Clean = Callable[[SourceInfo, bytes, bool], Cleaned]
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
        """The fact is on its topic."""
        return self.put(self.make(envelope))

    def make(self, envelope: Envelope) -> Record:
        """The fact as the next record of its partition, which it is not yet."""
        self._ticks += 1
        value = encode(
            redact_fact(envelope, STAGE_REDACTOR).recorded(
                START + timedelta(milliseconds=self._ticks)
            )
        )
        topic = topic_of(envelope).name
        partition = zlib.crc32(key_of(envelope).encode()) % self.partitions
        offset = len(self.records[topic][partition])
        return Record(topic, partition, offset, value, decode(value))

    def put(self, record: Record) -> Record:
        """The record is on its topic; nothing was since it was made."""
        self.records[record.topic][record.partition].append(record)
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
    """One writer at one partition: its state, and how much of its output and inputs it has folded.

    ``before``: how far it had read each topic when the last records came.
    """

    writer: Writer[Any]
    partition: int
    state: Any
    decider: Decider
    folder: Folder
    inputs: dict[str, int]
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
        clean: Clean = clean,
        log: MemoryLog | None = None,
    ) -> None:
        """``log``: another driver's. Writers fold it, steps begin at its end."""
        self.log = log or MemoryLog(partitions)
        self._clean_with = clean
        self._told = {record.envelope.event_id for record in self.log.of(DeadLetter.topic)}
        self._faults = faults or Faults()
        self._chance = random.Random(self._faults.seed)
        self._decrypt = decrypt
        self._parts: dict[tuple[str, str], list[bytes]] = {}
        self._answered: dict[str, SourceProcessed] = {}
        self._seen: set[tuple[str, str]] = set()  # a repeat of an older revision is no revision
        self._readers: list[_Reader] = []
        self._seats: list[_WriterSeat] = []
        self._remember_answers()
        for partition in range(partitions):
            self._add(partition, (HYGIENE_INPUT,), self._clean)
            for step in pipeline.steps:
                self._add(partition, step.inputs, self._make_reader(step))
            for writer in pipeline.writers:
                self._add_writer(partition, writer)

    def _remember_answers(self) -> None:
        """What stage 0 has answered on a log that another driver has worked on."""
        for record in self.log.of(SourceProcessed.topic):
            if isinstance(event := record.envelope.event, SourceProcessed):
                self._answered[event.source.source_id] = event
                self._seen.add((event.source.source_id, event.trigger_key))

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
        ends = {topic: len(self.log.records[topic][partition]) for topic in topics}
        self._readers.append(_Reader(partition, ends, read))

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
            for event in self._answer(step, record, chunk):
                self.log.append(record.envelope.caused(event))

        return read

    def _answer(self, step: Step, record: Record, chunk: ChunkCreated | None) -> list[Event]:
        for _ in range(TRIES):
            try:
                return step.handle(record.envelope, chunk)
            except OF_THE_MACHINE:
                raise
            except Exception as error:
                failure = describe(error)
        self._tell_record(step.name, record, failure)
        return answer_without(step, record.envelope, chunk, failure.error_class)

    def _tell_record(self, stage: str, record: Record, failure: Failure) -> None:
        trouble = Trouble(stage, build(), record.topic, record.partition, record.offset, failure)
        key = key_of(record.envelope)
        self._tell(make_record_letter(trouble, record.envelope, key, record.value))

    def _tell(self, letter: Envelope) -> None:
        """Once, however often the records before it are folded again."""
        if letter.event_id not in self._told:
            self._told.add(letter.event_id)
            self.log.append(letter)

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
                *before, processed = self._process(record, previous, revised, content)
                for event in before:
                    self.log.append(record.envelope.caused(event))
                answer = self.log.append(record.envelope.caused(processed)).envelope.event
                assert isinstance(answer, SourceProcessed)
                self._answered[source] = answer

    def _process(
        self,
        record: Record,
        previous: SourceProcessed | None,
        revised: SourceRevised,
        content: bytes,
    ) -> list[Event]:
        for _ in range(TRIES):
            try:
                cleaned = self._clean_with(revised.source, content, revised.force_include)
                return decide(previous, revised, cleaned)
            except OF_THE_MACHINE:
                raise
            except Exception as error:
                failure = describe(error)
        self._tell_record(HYGIENE, record, failure)
        return give_up(previous, revised, failure.error)

    def _add_writer(self, partition: int, writer: Writer[Any]) -> None:
        inputs = dict.fromkeys(writer.inputs, 0)
        opened = writer.open(MemoryTables())
        seat = _WriterSeat(writer, partition, opened, Decider(writer), Folder(writer), inputs)
        reader = _Reader(partition, dict.fromkeys(writer.inputs, 0), lambda record: None)

        def read(record: Record) -> None:
            if self._faults.outlive:
                reached = reader.offsets | {record.topic: record.offset + 1}
                seat.before.append(reached | {writer.output: seat.own})
            seat.inputs[record.topic] = max(seat.inputs[record.topic], record.offset + 1)
            self._fold(seat, record)
            if self._chance.random() < self._faults.forget:
                self._fold_again(seat)
            if self._chance.random() < self._faults.outlive:
                self._outlive(seat)
            self._decide(seat, self._faults.halve)

        reader.read = read
        self._readers.append(reader)
        self._seats.append(seat)

    def _fold(self, seat: _WriterSeat, record: Record) -> None:
        """The record is in the state, if need be after all others once more."""
        try:
            letter = seat.folder.fold(seat.state, record)
        except FoldFailed:
            self._fold_again(seat)
        else:
            if letter:
                self._tell(letter)

    def _fold_again(self, seat: _WriterSeat) -> None:
        """The state is thrown away and folded from the log."""
        seat.state, seat.own = seat.writer.open(MemoryTables()), 0
        try:
            self._fold_own(seat)
            for topic, end in seat.inputs.items():
                for known in self.log.records[topic][seat.partition][:end]:
                    if letter := seat.folder.fold(seat.state, known):
                        self._tell(letter)
        except FoldFailed:
            self._fold_again(seat)

    def _outlive(self, seat: _WriterSeat) -> None:
        """A writer that lost the partition a while ago still writes what it decides from then.

        It is not told what the other has written, and takes what it writes itself as accepted.
        """
        writer, state = seat.writer, seat.writer.open(MemoryTables())
        offsets = self._chance.choice(seat.before)
        for topic, offset in offsets.items():
            for record in self.log.records[topic][seat.partition][:offset]:
                writer.evolve(state, record)
        for _ in range(self._chance.randrange(1, 5)):
            if decision := writer.decide(state):
                written = [self.log.append(envelope) for envelope in decision.envelopes]
                writer.evolve(state, written[-1])

    def _fold_own(self, seat: _WriterSeat) -> None:
        """Raises FoldFailed."""
        own = self.log.records[seat.writer.output][seat.partition]
        while seat.own < len(own):
            if letter := seat.folder.fold(seat.state, own[seat.own]):
                self._tell(letter)
            seat.own += 1

    def _decide(self, seat: _WriterSeat, halve: float) -> bool:
        """Write what is due, with chance ``halve`` without its commit record. Whether it moved."""
        try:
            self._fold_own(seat)
        except FoldFailed:
            self._fold_again(seat)
        moved = False
        while taken := seat.decider.next(seat.state, self._next_place(seat)):
            record = self._fold_ahead(seat, taken)
            if record is None:
                continue
            for envelope in taken.decision.envelopes[:-1]:
                self.log.append(envelope)
            if self._chance.random() < halve:
                self._fold_again(seat)
                return moved
            self.log.put(record)
            seat.own += 1
            moved = True
        return moved

    def _next_place(self, seat: _WriterSeat) -> tuple[str, int, int]:
        return seat.writer.output, seat.partition, seat.own

    def _fold_ahead(self, seat: _WriterSeat, taken: Taken) -> Record | None:
        """The commit record, which is in the state and not on the log; None if it is in neither."""
        record = self.log.make(taken.decision.commit_record)
        try:
            if seat.decider.is_refused(taken):
                seat.folder.pass_over(seat.state, record)
            else:
                seat.writer.evolve(seat.state, record)
        except OF_THE_MACHINE:
            raise
        except Exception as error:
            seat.decider.refuse(taken, describe(error))
            self._fold_again(seat)
            return None
        return record
