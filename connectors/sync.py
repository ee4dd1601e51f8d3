"""The sync engine: page, publish, broker's acknowledgement, cursor; always in this order.

A crash between any two of them repeats a page, and a page that is repeated changes nothing. A
stream knows its service's order, overlap and late changes and hands out pages; what the engine adds
is the same for all: the log, the cursor, counts, a census, and a failure called by its name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from connectors.census import Census, Listed
from connectors.connector import SourceUnavailable
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta
from connectors.outside import Gone, OutsideItem
from connectors.publishing import Outlet, added, publish_items
from connectors.transport import AccessLost, Budget, BudgetSpent
from infra.clock import Clock
from infra.errors import Refusal, Unavailable
from schemas.envelope import Actor, Event, outside_fact
from schemas.events.connector import (
    Counts,
    CursorMoved,
    SyncFailed,
    SyncFinished,
    SyncKind,
    SyncStarted,
)

RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class Page:
    """Some items, and the cursor from which all after them is found.

    ``refused`` counts what the service gave and nobody can read: it is told, and not in the way of
    what follows. ``delta`` says that a repository's files have changed.
    """

    items: tuple[OutsideItem | Gone, ...]
    cursor: str
    refused: int = 0
    delta: Delta | None = None


class Stream(Protocol):
    """One list of a service. ``roots`` are those its items are in."""

    @property
    def name(self) -> str: ...

    @property
    def roots(self) -> tuple[str, ...]: ...

    @property
    def counted(self) -> bool:
        """Whether a census makes sense: what cannot be deleted outside needs none."""
        ...

    def pages(self, cursor: str) -> AsyncIterator[Page]:
        """Everything that changed since ``cursor`` ("" for all), until nothing is left.

        The last page's cursor is where the next poll begins. Raises AccessLost, BudgetSpent,
        SourceUnavailable, SourceRefused; never ends early instead.
        """
        ...

    def census(self) -> AsyncIterator[Listed]:
        """Every item that stands outside now; raises like ``pages``."""
        ...

    async def look(self, root: str, path: str) -> OutsideItem | None:
        """One item as it is now; None when it does not stand any more.

        Raises like ``pages``, and Unreadable.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """Who syncs what, for the ids and the tables. ``every_s`` is the pause between two polls."""

    project_id: str
    connector_id: str
    service: str
    every_s: int = 300


@dataclass(slots=True)
class Outcome:
    """How one sync of one stream went. ``reason`` is None when it reached the end."""

    stream: str
    counts: Counts = field(default_factory=Counts)
    reason: str | None = None
    error: str = ""
    next_poll_at: datetime | None = None


Bring = Callable[[Delta, FeedOrder], Awaitable[bool]]


@dataclass(slots=True)
class Engine:
    """Syncs streams of one connector. ``places`` are the cursors as the topic holds them.

    ``bring`` publishes the files of a delta and tells whether there was anything new about them.
    """

    reading: Reading
    outlet: Outlet
    places: dict[str, CursorMoved]
    clock: Clock
    budget: Budget
    bring: Bring | None = None

    async def sync(self, stream: Stream) -> Outcome:
        """The stream is read to its end, or its failure is on the log by its name."""
        place = self._place(stream)
        outcome = Outcome(stream.name)
        await self._tell(self._started(place, "sync"))
        try:
            async for page in stream.pages(place.cursor):
                counts = await self._publish(stream, place, page)
                outcome.counts = added(outcome.counts, counts)
                if page.cursor != place.cursor or page.items:
                    place = await self._move(place, page, counts)
        except SourceUnavailable as error:
            return await self._failed(place, "sync", outcome, error)
        except Unavailable:
            raise
        except Refusal as error:
            return await self._failed(place, "sync", outcome, error)
        finished = SyncFinished(
            connector_id=place.connector_id,
            stream=stream.name,
            position=place.position,
            counts=outcome.counts,
        )
        await self._tell(finished)
        now = self.clock.now()
        outcome.next_poll_at = now + timedelta(seconds=self.reading.every_s)
        await self._settle(place, outcome, caught_up_at=now)
        return outcome

    async def census(self, stream: Stream, *, accept_removals: bool = False) -> Outcome:
        """What stands outside and what is held are the same, but for what the brake holds back."""
        place, outcome = self._place(stream), Outcome(stream.name)
        await self._tell(self._started(place, "census"))
        try:
            outcome.counts = await self._count(stream, place, accept_removals)
        except SourceUnavailable as error:
            return await self._census_failed(place, outcome, error)
        except Unavailable:
            raise
        except Refusal as error:
            return await self._census_failed(place, outcome, error)
        finished = SyncFinished(
            connector_id=place.connector_id,
            stream=stream.name,
            kind="census",
            position=place.position,
            counts=outcome.counts,
        )
        await self._tell(finished)
        place = place.model_copy(update={"census_at": self.clock.now()})
        outcome.next_poll_at = place.next_poll_at
        await self._settle(place, outcome, place.caught_up_at)
        return outcome

    async def _count(self, stream: Stream, place: CursorMoved, accept_removals: bool) -> Counts:
        async def whole() -> AsyncIterator[tuple[OutsideItem | Gone, ...]]:
            async for page in stream.pages(""):
                yield page.items

        key = f"{place.connector_id}|{stream.name}|census|{place.position}"
        census = Census(
            self.reading.project_id,
            self.reading.service,
            self.outlet,
            self.order,
            key,
            accept_removals,
        )
        return await census.of(stream, whole)

    async def _publish(self, stream: Stream, place: CursorMoved, page: Page) -> Counts:
        key = f"{place.connector_id}|{stream.name}|{place.position}"
        counts = await publish_items(page.items, self.order(key), self.outlet)
        if page.delta and self.bring:
            order = self.order(page.delta.trigger_key)
            if not page.delta.before:  # a first look at a repository: somebody waits for it
                order = replace(order, lanes=("preview", "deep"))
            news = await self.bring(page.delta, order)
            counts = added(counts, Counts(seen=1, published=int(news), unchanged=int(not news)))
        return added(counts, Counts(seen=page.refused, refused=page.refused))

    def order(self, key: str) -> FeedOrder:
        """A trigger of this connector; polls have no preview, nobody waits in front of them."""
        actor = Actor(type="connector", id=self.reading.service)
        at = self.clock.now()
        return FeedOrder(
            self.reading.project_id, key, actor, at, lanes=("deep",), trigger="schedule"
        )

    async def _move(self, place: CursorMoved, page: Page, counts: Counts) -> CursorMoved:
        newest = max((item.changed_at for item in page.items), default=None)
        known = [at for at in (place.newest_at, newest) if at]
        moved = place.model_copy(
            update={
                "position": place.position + 1,
                "cursor": page.cursor,
                "counts": added(place.counts, counts),
                "newest_at": max(known, default=None),
                "requests_left": self.budget.left,
                "problem": None,
            }
        )
        await self._tell(moved)
        self.places[place.stream] = moved
        return moved

    async def _settle(
        self, place: CursorMoved, outcome: Outcome, caught_up_at: datetime | None = None
    ) -> None:
        """What the next poll and a person want to know stands with the cursor."""
        told = place.model_copy(
            update={
                "position": place.position + 1,
                "next_poll_at": outcome.next_poll_at,
                "requests_left": self.budget.left,
                "problem": f"{outcome.reason}: {outcome.error}" if outcome.reason else None,
                "caught_up_at": caught_up_at or place.caught_up_at,
                "census_at": place.census_at or caught_up_at,
            }
        )
        await self._tell(told)
        self.places[place.stream] = told

    async def _census_failed(
        self, place: CursorMoved, outcome: Outcome, error: Exception
    ) -> Outcome:
        tried = place.model_copy(update={"census_at": self.clock.now()})
        return await self._failed(tried, "census", outcome, error)

    async def _failed(
        self, place: CursorMoved, kind: SyncKind, outcome: Outcome, error: Exception
    ) -> Outcome:
        now = self.clock.now()
        outcome.reason, outcome.error = reason_of(error), str(error)
        wait = timedelta(seconds=max(RETRY_S, self.reading.every_s))
        outcome.next_poll_at = error.until if isinstance(error, BudgetSpent) else now + wait
        failed = SyncFailed(
            connector_id=place.connector_id,
            stream=place.stream,
            kind=kind,
            position=place.position,
            reason=outcome.reason,
            error=outcome.error,
        )
        await self._tell(failed)
        await self._settle(place, outcome)
        return outcome

    async def refuse(self, name: str, error: Exception) -> Outcome:
        """A stream that could not even be opened has failed, and says so."""
        return await self._failed(self._place_of(name), "sync", Outcome(name), error)

    def _place(self, stream: Stream) -> CursorMoved:
        return self._place_of(stream.name)

    def _place_of(self, name: str) -> CursorMoved:
        start = CursorMoved(
            connector_id=self.reading.connector_id, stream=name, position=0, cursor=""
        )
        return self.places.get(name, start)

    def _started(self, place: CursorMoved, kind: SyncKind) -> SyncStarted:
        return SyncStarted(
            connector_id=place.connector_id,
            stream=place.stream,
            kind=kind,
            position=place.position,
        )

    async def _tell(self, event: Event) -> None:
        fact = outside_fact(
            event,
            project_id=self.reading.project_id,
            occurred_at=self.clock.now(),
            actor=Actor(type="connector", id=self.reading.service),
            correlation_id=event.aggregate_id,
        )
        await self.outlet.publish([fact])


def reason_of(error: Exception) -> str:
    """The name of a failure: what a person has to do differs with it."""
    match error:
        case AccessLost(reason="not_found"):
            return "not_found"
        case AccessLost():
            return "access_lost"
        case BudgetSpent():
            return "budget"
        case SourceUnavailable():
            return "unavailable"
        case _:
            return "refused"
