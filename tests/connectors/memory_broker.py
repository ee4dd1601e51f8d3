"""A log in memory, and what stage 0 and run control would hold after it.

Records are encoded as for the broker. Stage 0's own functions answer for each revision; of run
control only the removals of a listing are folded, with its removal threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from connectors.definitions import cursors
from connectors.feeder import InFlightWindow
from connectors.publishing import ItemPublisher, StoredSource
from connectors.rate_limits import Budget
from connectors.sync import Engine, SyncTarget
from infra.platform.clock import Clock, SystemClock
from schemas.codec import decode, encode
from schemas.envelope import Envelope, Event
from schemas.events.connector import CursorMoved
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion_request import IngestionRequested, SourcesListed
from schemas.events.source import SourceContentPart, SourceInfo, SourceRevised
from streams.hygiene.stage import clean, decide
from streams.run_control.changes import REMOVAL_THRESHOLD_PERCENT
from tests.connectors.redactors import REDACTOR

E = TypeVar("E", bound=Event)
PROJECT = "prj_outside"
AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class MemoryBroker:
    """``before_record`` may raise: then this record and those after it are not on the log.

    ``lags`` tells after each publication whether the tables have not followed yet. ``in_vain``
    counts revisions that said what was held already.
    """

    before_record: Callable[[], None] = lambda: None
    lags: Callable[[], bool] = lambda: False
    in_vain: int = 0
    keep: bool = True
    log: list[Envelope] = field(default_factory=list)
    records: int = 0
    contents: dict[str, bytes] = field(default_factory=dict)
    answered: dict[str, SourceProcessed] = field(default_factory=dict)
    shown: dict[str, SourceProcessed] = field(default_factory=dict)
    held_back: list[str] = field(default_factory=list)
    _requests: dict[str, IngestionRequested] = field(default_factory=dict)
    _listed: dict[str, list[SourcesListed]] = field(default_factory=dict)
    _parts: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)
    _seen: set[object] = field(default_factory=set)
    _positions: dict[str, CursorMoved] = field(default_factory=dict)

    def publisher(self) -> ItemPublisher:
        window = InFlightWindow(max_records=2**31, max_bytes=2**60)
        return ItemPublisher(
            self.publish, self.encrypt, self.find_stored, self.list_stored, window, REDACTOR
        )

    async def publisher_of(self, project_id: str) -> ItemPublisher:
        return self.publisher()

    def engine(
        self, connector_id: str, service: str, budget: Budget, clock: Clock | None = None
    ) -> Engine:
        """A new one that goes on where the log stands."""
        target = SyncTarget(PROJECT, connector_id, service)
        places = self.places.get(connector_id if self.keep else "", {})
        return Engine(target, self.publisher(), dict(places), clock or SystemClock(), budget)

    async def publish(self, envelopes: Sequence[Envelope]) -> None:
        for envelope in envelopes:
            self.before_record()
            self.records += 1
            fact = decode(encode(envelope.recorded(AT + timedelta(milliseconds=self.records))))
            if self.keep:
                self.log.append(fact)
            self._take(fact)
        self.show(follow=not self.lags())

    def show(self, *, follow: bool = True) -> None:
        """The tables hold what the log holds."""
        if follow:
            self.shown = {source: self.answered[source] for source in self.contents}

    def encrypt(self, content: bytes, owner: str) -> tuple[str, bytes]:
        return f"key_{owner}", content[::-1]

    async def find_stored(
        self, project_id: str, source_ids: Collection[str]
    ) -> Mapping[str, StoredSource]:
        return {
            source: StoredSource(marker.raw_sha256, marker.revision_ref or "", marker.source.title)
            for source in source_ids
            if (marker := self.shown.get(source))
        }

    async def list_stored(self, project_id: str, root: str, under: str = "") -> list[SourceInfo]:
        sources = [marker.source for marker in self.shown.values()]
        return [it for it in sources if it.root == root and it.path.startswith(under)]

    async def titles(self, root: str, paths: Collection[str]) -> Mapping[str, str]:
        return {
            marker.source.path: marker.source.title
            for marker in self.shown.values()
            if marker.source.root == root and marker.source.path in paths
        }

    def events(self, kind: type[E]) -> list[E]:
        """What is on the log of one kind, in its order."""
        return [fact.event for fact in self.log if isinstance(fact.event, kind)]

    @property
    def by_path(self) -> dict[str, bytes]:
        """Path to content of what is held."""
        return {self.answered[it].source.path: text for it, text in self.contents.items()}

    @property
    def places(self) -> dict[str, dict[str, CursorMoved]]:
        return cursors(self.log) if self.keep else {"": self._positions}

    def _take(self, fact: Envelope) -> None:
        match fact.event:
            case CursorMoved() as event:
                self._positions[event.stream] = event
            case IngestionRequested() as event:
                self._requests.setdefault(event.trigger_key, event)
            case SourcesListed() as event:
                self._take_listing(fact, event)
            case SourceContentPart() as event:
                parts = self._parts.setdefault((event.source_id, event.trigger_key), [])
                parts.append(event.content[::-1])
            case SourceRevised() as event:
                self._take_revision(event)
            case _:
                pass

    def _take_revision(self, event: SourceRevised) -> None:
        source = event.source.source_id
        rest = self._parts.pop((source, event.trigger_key), [])
        if (source, event.trigger_key) in self._seen:
            return
        self._seen.add((source, event.trigger_key))
        content = event.content[::-1] + b"".join(rest)
        before = self.answered.get(source)
        marker = decide(before, event, clean(event.source, content))[-1]
        assert isinstance(marker, SourceProcessed)
        self.answered[source] = marker
        self.in_vain += self.contents.get(source) == content
        if marker.raw_sha256 == event.raw_sha256:
            self.contents[source] = content

    def _take_listing(self, fact: Envelope, event: SourcesListed) -> None:
        if fact.event_id in self._seen:
            return
        self._seen.add(fact.event_id)
        parts = self._listed.setdefault(event.trigger_key, [])
        parts.append(event)
        if len(parts) < event.part_count:
            return
        listed = {source.source_id for part in parts for source in part.sources}
        known = [
            source for source in self.contents if self.answered[source].source.root == event.root
        ]
        going = {source for part in parts for source in part.removed} & set(known)
        if event.complete:
            going |= set(known) - listed
        exceeds = len(going) * 100 > REMOVAL_THRESHOLD_PERCENT * len(known)
        if exceeds and not self._requests[event.trigger_key].accept_removals:
            self.held_back += sorted(going)
            return
        for source in going:
            del self.contents[source]
