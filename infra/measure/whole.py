"""A folder through the whole topology in this process: what a user would then read of it.

The listing, the feeder and all stages are those of the service. There is no broker and no database,
so that a measure takes seconds and needs nothing.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from connectors.feeder import FeedOrder, InFlightWindow, feed
from connectors.recognise import open_source
from infra.measure.benches import say
from schemas.envelope import Actor, Envelope, Event
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.atom import CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.events.ledger import LIVE, AtomRecord, EvidenceRow, LedgerChanged
from schemas.events.source import SourceRevised
from streams.memory import Driver
from streams.pipeline import pipeline

ORDER = FeedOrder(
    project_id="prj_eval",
    trigger_key="eval",
    actor=Actor(type="system", id="eval"),
    at=datetime(2026, 1, 1, tzinfo=UTC),
)


@dataclass(slots=True)
class Outcome:
    """What an ingest ends with. ``evidence`` is by atom and holds no stale rows."""

    paths: dict[str, str] = field(default_factory=dict)  # of a source id
    atoms: dict[str, AtomRecord] = field(default_factory=dict)
    rows: dict[str, EvidenceRow] = field(default_factory=dict)
    artifacts: dict[str, ArtifactSnapshot] = field(default_factory=dict)

    @property
    def live_atoms(self) -> list[AtomRecord]:
        return [atom for atom in self.atoms.values() if atom.status in LIVE]

    @property
    def evidence(self) -> dict[str, list[EvidenceRow]]:
        found: dict[str, list[EvidenceRow]] = {}
        for row in self.rows.values():
            if not row.stale:
                found.setdefault(row.atom_id, []).append(row)
        return found

    @property
    def prd(self) -> ArtifactSnapshot | None:
        prds = (one for one in self.artifacts.values() if one.artifact_type == "prd")
        return next(prds, None)

    @property
    def planned(self) -> list[ArtifactSnapshot]:
        """The features and epics that say something."""
        return [
            one
            for one in self.artifacts.values()
            if one.artifact_type in ("feature", "epic")
            and any(section.statements for section in one.sections)
        ]

    def fold(self, event: Event) -> None:
        match event:
            case SourceRevised():
                self.paths[event.source.source_id] = event.source.path
            case LedgerChanged():
                self.atoms |= {atom.atom_id: atom for atom in event.atoms}
                self.rows |= {row.evidence_id: row for row in event.evidence}
            case ArtifactChanged():
                changed = [event.snapshot, *(item.snapshot for item in event.items)]
                self.artifacts |= {one.artifact_id: one for one in changed}
            case _:
                pass


def ingest(folder: Path) -> Outcome:
    """What the offline engine makes of ``folder``. Raises UnknownSource, SourceRefused."""
    return fold_outcome(run_stages(folder))


def fold_outcome(driver: Driver) -> Outcome:
    """What the log of a driver ends with."""
    outcome = Outcome()
    for topic in driver.log.records:
        for record in driver.log.of(topic):
            outcome.fold(record.envelope.event)
    return outcome


def run_stages(folder: Path) -> Driver:
    """All stages over ``folder`` until nothing is left to do; the log is the driver's."""
    reader = OfflineReader()

    def read(request: ExtractRequested, chunk: ChunkCreated) -> CandidatesExtracted:
        return reader.read(ReadRequest(request, chunk))

    driver = Driver(pipeline(read), partitions=1)
    driver.publish(_facts_of(folder))
    driver.run()
    return driver


def _facts_of(folder: Path) -> Iterator[Envelope]:
    """What the feeder publishes of ``folder``."""
    published: list[Envelope] = []

    async def publish(facts: Sequence[Envelope]) -> None:
        published.extend(facts)

    with (
        tempfile.TemporaryDirectory() as clones,
        open_source(str(folder), None, Path(clones), say, any_folder=True).list() as listing,
    ):
        asyncio.run(
            feed(
                listing,
                ORDER,
                publish=publish,
                encrypt=lambda content, owner: ("clear", content),
                last_accepted={},
                window=InFlightWindow(max_records=sys.maxsize, max_bytes=sys.maxsize),
            )
        )
    return iter(published)
