"""The feeder at a real broker: what is on the log, how far ahead it is, and where it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from aiokafka.structs import TopicPartition

from connectors.connector import Item, Listing, sort_items
from connectors.feeder import WINDOW_RECORDS, FeedOrder, FeedReport, feed
from connectors.runner import follow_answers, open_publish
from infra.platform.clock import SystemClock
from infra.platform.kafka import partition_counts, running_consumer
from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import Actor
from schemas.events.hygiene import VERSIONS, SourceProcessed
from schemas.events.source import SourceRevised
from tests.connectors.redactors import REDACTOR

pytestmark = pytest.mark.broker
ORDER = FeedOrder(
    "prj_demo", "key-1", Actor(type="human", id="ada"), datetime(2026, 1, 1, tzinfo=UTC)
)
SOURCES = 300


def a_listing() -> Listing:
    items = [Item(f"d/m{n:03}.py", 9, partial(bytes, 9)) for n in range(SOURCES)]
    return Listing("shop", True, *sort_items(items, []))


async def a_feed(settings: Settings, *, from_start: bool) -> FeedReport:
    async with (
        open_publish(settings, SystemClock(), REDACTOR) as publish,
        follow_answers(
            settings, "prj_demo", "key-1", from_start=from_start, stalled=lambda: None
        ) as window,
    ):
        return await feed(
            a_listing(),
            ORDER,
            publish=publish,
            encrypt=lambda part, owner: ("key_demo", part),
            last_accepted={},
            window=window,
        )


class StageZero:
    """Answers each revision, and remembers the most that ever waited for an answer."""

    def __init__(self, settings: Settings, answer_at_most: int = SOURCES) -> None:
        self.settings = settings
        self.left = answer_at_most
        self.seen: list[str] = []
        self.most_waiting = 0

    async def beside(self, work: Callable[[], Awaitable[FeedReport]]) -> FeedReport:
        topic = self.settings.topic("source.v1")
        count = (await partition_counts(self.settings, [topic]))[topic]
        async with (
            running_consumer(self.settings) as consumer,
            open_publish(self.settings, SystemClock(), REDACTOR) as publish,
        ):
            consumer.assign([TopicPartition(topic, part) for part in range(count)])
            await consumer.seek_to_beginning()
            task = asyncio.ensure_future(work())
            while not task.done() and self.left:
                batch = await consumer.getmany(timeout_ms=20)
                causes = [decode(record.value) for records in batch.values() for record in records]
                self.most_waiting = max(self.most_waiting, len(causes))
                answers = []
                for cause in causes[: self.left]:
                    assert isinstance(cause.event, SourceRevised)
                    self.seen.append(cause.event.source.path)
                    answers.append(cause.caused(an_answer(cause.event)))
                self.left -= len(answers)
                await publish(answers)
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                return FeedReport()
            return task.result()


def an_answer(revised: SourceRevised) -> SourceProcessed:
    return SourceProcessed(
        source=revised.source,
        trigger_key=revised.trigger_key,
        outcome="sanitized",
        revision_seq=1,
        raw_sha256=revised.raw_sha256,
        versions=VERSIONS,
    )


def test_all_sources_arrive_and_never_more_than_the_lead_waits(fresh: Settings) -> None:
    stage_0 = StageZero(fresh)
    report = asyncio.run(stage_0.beside(lambda: a_feed(fresh, from_start=False)))
    assert (report.fed, report.answered_before) == (SOURCES, 0)
    assert stage_0.most_waiting <= WINDOW_RECORDS


def test_a_command_that_was_cut_off_goes_on_where_stage_0_stands(fresh: Settings) -> None:
    first = StageZero(fresh, answer_at_most=100)
    asyncio.run(first.beside(lambda: a_feed(fresh, from_start=False)))
    answered = set(first.seen)

    async def answer_the_rest() -> FeedReport:
        return await a_feed(fresh, from_start=True)

    report = asyncio.run(StageZero(fresh, 10 * SOURCES).beside(answer_the_rest))
    assert report.answered_before >= len(answered) == 100
    assert report.fed + report.answered_before == SOURCES
