"""The sync engine: page, publish, acknowledgement of the broker, cursor; always in this order.

A crash between two of them repeats a page, and a repeated page changes nothing. A stream knows its
service's order, overlap and late changes and yields pages. The engine adds what is common: records,
cursors, counts, reconciliation and reasons of failures.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from connectors.connector import SourceUnavailable
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta
from connectors.publishing import ItemPublisher, add_counts, publish_items
from connectors.rate_limits import Budget
from connectors.reconciliation import ListedItem, Reconciliation
from connectors.records import NOTICES_KEPT, RecordNotice, redact_notices
from connectors.service_items import DeletedItem, ServiceItem
from connectors.transport import AccessLost, BudgetSpent
from infra.platform.clock import Clock
from infra.platform.errors import Refusal, Unavailable
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
    """Some items, and the cursor after them.

    ``notices`` name the records that cannot be read or lack something; they do not stop the sync.
    ``delta`` says that files of a repository have changed.
    """

    items: tuple[ServiceItem | DeletedItem, ...]
    cursor: str
    notices: tuple[RecordNotice, ...] = ()
    delta: Delta | None = None


class Stream(Protocol):
    """One list of a service. ``roots`` contain its items."""

    @property
    def name(self) -> str: ...

    @property
    def roots(self) -> tuple[str, ...]: ...

    @property
    def is_reconcilable(self) -> bool:
        """False for lists whose items cannot be deleted outside."""
        ...

    def pages(self, cursor: str) -> AsyncIterator[Page]:
        """Everything that changed since ``cursor`` ("" for all).

        The last page's cursor is where the next poll begins. Raises AccessLost, BudgetSpent,
        SourceUnavailable, SourceRefused; never ends early instead.
        """
        ...

    def list_all(self) -> AsyncIterator[ListedItem]:
        """Every item that exists outside now; raises like ``pages``."""
        ...

    async def look(self, root: str, path: str) -> ServiceItem | None:
        """One item in its present state; None when it does not exist.

        Raises like ``pages``, and UnreadableItem.
        """
        ...


@dataclass(frozen=True, slots=True)
class SyncTarget:
    """Which connector is synced. ``every_s`` is the pause between two polls."""

    project_id: str
    connector_id: str
    service: str
    every_s: int = 300


@dataclass(slots=True)
class Outcome:
    """The result of one sync of one stream. ``reason`` is None when it reached the end."""

    stream: str
    counts: Counts = field(default_factory=Counts)
    notices: list[RecordNotice] = field(default_factory=list)
    read_again: set[str] = field(default_factory=set)  # paths of records noticed before
    reason: str | None = None
    error: str = ""
    next_poll_at: datetime | None = None


Bring = Callable[[Delta, FeedOrder], Awaitable[bool]]


@dataclass(slots=True)
class Engine:
    """Syncs the streams of one connector. ``cursors`` are the last ones on the topic.

    ``bring`` publishes the files of a delta and tells whether any of them was new.
    """

    target: SyncTarget
    publisher: ItemPublisher
    cursors: dict[str, CursorMoved]
    clock: Clock
    budget: Budget
    bring: Bring | None = None

    async def sync(self, stream: Stream) -> Outcome:
        """Reads the stream to its end, or records the reason of its failure."""
        cursor = self._cursor(stream)
        outcome = Outcome(stream.name)
        await self._publish_event(self._start_event(cursor, "sync"))
        try:
            async for page in stream.pages(cursor.cursor):
                counts = await self._publish_page(stream, cursor, page)
                outcome.counts = add_counts(outcome.counts, counts)
                self._note(outcome, page.notices)
                outcome.read_again |= _noticed(cursor, page)
                if page.cursor != cursor.cursor or page.items:
                    cursor = await self._advance(cursor, page, counts)
        except SourceUnavailable as error:
            return await self._record_failure(cursor, "sync", outcome, error)
        except Unavailable:
            raise
        except Refusal as error:
            return await self._record_failure(cursor, "sync", outcome, error)
        finished = SyncFinished(
            connector_id=cursor.connector_id,
            stream=stream.name,
            position=cursor.position,
            counts=outcome.counts,
        )
        await self._publish_event(finished)
        now = self.clock.now()
        outcome.next_poll_at = now + timedelta(seconds=self.target.every_s)
        await self._save_status(cursor, outcome, caught_up_at=now)
        return outcome

    async def reconcile(self, stream: Stream, *, accept_removals: bool = False) -> Outcome:
        """Compares the whole list with what is stored, reads what is missing and removes what is
        gone, below the removal threshold.
        """
        cursor, outcome = self._cursor(stream), Outcome(stream.name)
        await self._publish_event(self._start_event(cursor, "census"))
        try:
            outcome.counts, notices = await self._reconcile(stream, cursor, accept_removals)
            self._note(outcome, notices)
        except SourceUnavailable as error:
            return await self._record_failed_reconciliation(cursor, outcome, error)
        except Unavailable:
            raise
        except Refusal as error:
            return await self._record_failed_reconciliation(cursor, outcome, error)
        finished = SyncFinished(
            connector_id=cursor.connector_id,
            stream=stream.name,
            kind="census",
            position=cursor.position,
            counts=outcome.counts,
        )
        await self._publish_event(finished)
        cursor = cursor.model_copy(update={"census_at": self.clock.now()})
        outcome.next_poll_at = cursor.next_poll_at
        await self._save_status(cursor, outcome, cursor.caught_up_at)
        return outcome

    async def _reconcile(
        self, stream: Stream, cursor: CursorMoved, accept_removals: bool
    ) -> tuple[Counts, list[RecordNotice]]:
        notices: list[RecordNotice] = []

        async def whole() -> AsyncIterator[tuple[ServiceItem | DeletedItem, ...]]:
            async for page in stream.pages(""):
                notices.extend(page.notices)
                yield page.items

        key = f"{cursor.connector_id}|{stream.name}|census|{cursor.position}"
        reconciliation = Reconciliation(
            self.target.project_id,
            self.target.service,
            self.publisher,
            self.order,
            key,
            accept_removals,
        )
        counts = await reconciliation.run(stream, whole, notices)
        return counts, notices

    async def _publish_page(self, stream: Stream, cursor: CursorMoved, page: Page) -> Counts:
        key = f"{cursor.connector_id}|{stream.name}|{cursor.position}"
        counts = await publish_items(page.items, self.order(key), self.publisher)
        if page.delta and self.bring:
            order = self.order(page.delta.trigger_key)
            if not page.delta.before:  # the first look at a repository: somebody waits for it
                order = replace(order, lanes=("preview", "deep"))
            news = await self.bring(page.delta, order)
            counts = add_counts(
                counts, Counts(seen=1, published=int(news), unchanged=int(not news))
            )
        lost = sum(notice.is_lost for notice in page.notices)
        return add_counts(counts, Counts(seen=lost, refused=lost))

    def _note(self, outcome: Outcome, notices: Iterable[RecordNotice]) -> None:
        """Keeps each notice once: the end of a list is read twice."""
        redact_name = partial(self.publisher.redactor.name, self.target.project_id)
        for notice in redact_notices(notices, redact_name):
            if notice not in outcome.notices:
                outcome.notices.append(notice)

    def order(self, key: str) -> FeedOrder:
        """A trigger of this connector. Polls have no preview lane: nobody waits for them."""
        actor = Actor(type="connector", id=self.target.service)
        at = self.clock.now()
        return FeedOrder(
            self.target.project_id, key, actor, at, lanes=("deep",), trigger="schedule"
        )

    async def _advance(self, cursor: CursorMoved, page: Page, counts: Counts) -> CursorMoved:
        newest = max((item.changed_at for item in page.items), default=None)
        timestamps = [at for at in (cursor.newest_at, newest) if at]
        moved = cursor.model_copy(
            update={
                "position": cursor.position + 1,
                "cursor": page.cursor,
                "counts": add_counts(cursor.counts, counts),
                "newest_at": max(timestamps, default=None),
                "requests_left": self.budget.remaining_requests,
                "problem": None,
            }
        )
        await self._publish_event(moved)
        self.cursors[cursor.stream] = moved
        return moved

    async def _save_status(
        self, cursor: CursorMoved, outcome: Outcome, caught_up_at: datetime | None = None
    ) -> None:
        """Stores with the cursor what the next poll and a person need to know."""
        updated = cursor.model_copy(
            update={
                "position": cursor.position + 1,
                "next_poll_at": outcome.next_poll_at,
                "requests_left": self.budget.remaining_requests,
                "problem": f"{outcome.reason}: {outcome.error}" if outcome.reason else None,
                "notices": _kept(cursor.notices, outcome),
                "caught_up_at": caught_up_at or cursor.caught_up_at,
                "census_at": cursor.census_at or caught_up_at,
            }
        )
        await self._publish_event(updated)
        self.cursors[cursor.stream] = updated

    async def _record_failed_reconciliation(
        self, cursor: CursorMoved, outcome: Outcome, error: Exception
    ) -> Outcome:
        tried = cursor.model_copy(update={"census_at": self.clock.now()})
        return await self._record_failure(tried, "census", outcome, error)

    async def _record_failure(
        self, cursor: CursorMoved, kind: SyncKind, outcome: Outcome, error: Exception
    ) -> Outcome:
        now = self.clock.now()
        outcome.reason, outcome.error = reason_of(error), str(error)
        wait = timedelta(seconds=max(RETRY_S, self.target.every_s))
        outcome.next_poll_at = error.until if isinstance(error, BudgetSpent) else now + wait
        failed = SyncFailed(
            connector_id=cursor.connector_id,
            stream=cursor.stream,
            kind=kind,
            position=cursor.position,
            reason=outcome.reason,
            error=outcome.error,
        )
        await self._publish_event(failed)
        await self._save_status(cursor, outcome)
        return outcome

    async def refuse(self, name: str, error: Exception) -> Outcome:
        """Records the failure of a stream that could not be opened."""
        return await self._record_failure(self._cursor_of(name), "sync", Outcome(name), error)

    def _cursor(self, stream: Stream) -> CursorMoved:
        return self._cursor_of(stream.name)

    def _cursor_of(self, name: str) -> CursorMoved:
        start = CursorMoved(
            connector_id=self.target.connector_id, stream=name, position=0, cursor=""
        )
        return self.cursors.get(name, start)

    def _start_event(self, cursor: CursorMoved, kind: SyncKind) -> SyncStarted:
        return SyncStarted(
            connector_id=cursor.connector_id,
            stream=cursor.stream,
            kind=kind,
            position=cursor.position,
        )

    async def _publish_event(self, event: Event) -> None:
        fact = outside_fact(
            event,
            project_id=self.target.project_id,
            occurred_at=self.clock.now(),
            actor=Actor(type="connector", id=self.target.service),
            correlation_id=event.aggregate_id,
        )
        await self.publisher.publish([fact])


def _kept(before: Sequence[str], outcome: Outcome) -> list[str]:
    """The newest notices of a stream: a later sync does not read the same records again."""
    notice_texts = [str(notice) for notice in outcome.notices]
    stale = (*notice_texts, *(f"{path}: " for path in outcome.read_again))
    return [*(each for each in before if not each.startswith(stale)), *notice_texts][-NOTICES_KEPT:]


def _noticed(cursor: CursorMoved, page: Page) -> set[str]:
    """The paths of the page's items that a kept notice names."""
    paths = {item.path for item in page.items} if cursor.notices else ()
    return {path for path in paths if any(it.startswith(f"{path}: ") for it in cursor.notices)}


def reason_of(error: Exception) -> str:
    """The kind of a failure; each needs another reaction of the user."""
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
