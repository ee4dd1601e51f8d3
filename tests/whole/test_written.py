"""What a writer has written is known to the other stages before it is read (`note_decoded`)."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from schemas.codec import decode
from schemas.envelope import Envelope
from streams.memory import Driver
from streams.pipeline import pipeline
from streams.shell.outgoing import stamp
from streams.stage import Decision, Record, Tables
from tests.parcel import contents
from tests.worlds import ingestion

READER = OfflineReader()
NOW = datetime(2026, 1, 1, 12, 0, 0, 123_456, tzinfo=UTC)


@dataclass
class Overheard:
    """A writer whose decisions are kept as it made them."""

    writer: Any
    said: list[Envelope] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.writer, name)

    def open(self, tables: Tables) -> Any:
        return self.writer.open(tables)

    def evolve(self, state: Any, record: Record) -> None:
        self.writer.evolve(state, record)

    def decide(self, state: Any) -> Decision | None:
        decision: Decision | None = self.writer.decide(state)
        self.said += decision.envelopes if decision else ()
        return decision


def test_what_writers_write_is_read_as_it_was_written_to_the_last_type():
    whole = pipeline(lambda request, chunk: READER.read(ReadRequest(request, chunk)))
    overheard = tuple(Overheard(writer) for writer in whole.writers)
    driver = Driver(replace(whole, writers=overheard))
    driver.publish(ingestion(contents()))
    driver.run()
    for writer in overheard:
        assert writer.said, writer.name
        for envelope in writer.said:
            written = stamp(envelope, NOW)
            read = decode(written.value)
            assert read == written.envelope
            assert repr(read.event) == repr(written.envelope.event)  # 1 is not 1.0
