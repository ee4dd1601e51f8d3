"""A large repository is synced page by page: what a sync holds at once does not grow with it.

The stand-in runs in a process of its own, so that only our side is measured. CAIRN_TEST_COMMENTS
sets the size: 50,000 comments of 5,000 issues are read as 5,000 of 500 are.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tracemalloc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from connectors.credentials import bearer
from connectors.feeder import InFlightWindow
from connectors.github.api import GitHub
from connectors.github.streams import streams
from connectors.publishing import ItemPublisher, StoredSource
from connectors.rate_limits import Budget
from connectors.sync import Engine, SyncTarget
from connectors.transport import Secret, Transport
from infra.platform.clock import SystemClock
from schemas.codec import encode
from schemas.envelope import Envelope
from schemas.events.connector import CursorMoved
from schemas.events.source import SourceInfo, SourceRevised
from tests.connectors.memory_broker import AT, PROJECT
from tests.connectors.redactors import REDACTOR
from tests.connectors.stand_ins.github import TOKEN, GitHubServer

COMMENTS = int(os.environ.get("CAIRN_TEST_COMMENTS", "2000"))
ISSUES = COMMENTS // 10
MOST_BYTES = 12 * 1024 * 1024  # twice what is needed; all bodies of 2,000 comments are 10 MB


@dataclass
class Ledger:
    """What a log would hold, as hashes only; and the records' bytes, counted."""

    held: dict[str, StoredSource] = field(default_factory=dict)
    places: dict[str, CursorMoved] = field(default_factory=dict)
    written: int = 0

    async def publish(self, envelopes: Sequence[Envelope]) -> None:
        for each in envelopes:
            self.written += len(encode(each.recorded(AT)))
            if isinstance(each.event, SourceRevised):
                mark = each.event.revision_ref or ""
                self.held[each.event.source.source_id] = StoredSource(each.event.raw_sha256, mark)
            if isinstance(each.event, CursorMoved):
                self.places[each.event.stream] = each.event

    async def find(self, project_id: str, sources: Collection[str]) -> Mapping[str, StoredSource]:
        return {source: self.held[source] for source in sources if source in self.held}

    async def list_stored(self, project_id: str, root: str, under: str) -> Sequence[SourceInfo]:
        return []


def served(pipe: Connection) -> None:
    async def run() -> None:
        server = GitHubServer(remaining=10**9)
        at = server.add("acme/large")
        for number in range(ISSUES):
            at.wait(number % 3)
            at.open_issue(f"Issue {number}", f"The gateway must answer in {number} ms.")
        for number in range(COMMENTS):
            at.wait(number % 2)
            at.comment(number % ISSUES + 1, f"We will use Redis for store {number}. " * 128)
        async with server.running():
            pipe.send(server.url)
            await asyncio.to_thread(pipe.poll, None)
            pipe.send([(each.conditional, each.status) for each in server.asked[pipe.recv() :]])

    asyncio.run(run())


@contextmanager
def a_large_repository() -> Iterator[tuple[str, Connection]]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=served, args=(there,))
    process.start()
    try:
        assert here.poll(120), "the stand-in did not come up"
        yield here.recv(), here
    finally:
        process.kill()
        process.join()


def test_a_large_repository_needs_no_more_memory_than_a_page() -> None:
    ledger = Ledger()

    async def sync(url: str) -> int:
        budget = Budget(percent=100)
        async with Transport(url, bearer(Secret(TOKEN)), budget) as transport:
            window = InFlightWindow(max_records=2**31, max_bytes=2**60)
            publisher = ItemPublisher(
                ledger.publish,
                lambda b, owner: ("key", b),
                ledger.find,
                ledger.list_stored,
                window,
                REDACTOR,
            )
            target = SyncTarget(PROJECT, "con_1", "github")
            places = dict(ledger.places)
            engine = Engine(target, publisher, places, SystemClock(), budget)
            for stream in streams(GitHub("acme/large", transport), ("issues", "comments")):
                assert (await engine.sync(stream)).reason is None
        return budget.requests

    with a_large_repository() as (url, pipe):
        tracemalloc.start()
        first = asyncio.run(sync(url))
        held = len(ledger.held) * 600  # our own book of hashes in this test
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(ledger.held) == ISSUES + COMMENTS
        assert peak - held < MOST_BYTES
        assert first < (ISSUES + COMMENTS) / 100 * 1.3 + 20
        asyncio.run(sync(url))
        pipe.send(first)
        again = pipe.recv()
        assert again
        assert set(again) == {(True, 304)}
