"""Finding the chunk a fact speaks of: by its place, by searching, or not at all."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from infra.platform.settings import Settings
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from streams.shell.chunks import ChunkReader
from tests.shell.harness import at_work, facts_until, names_of, publish
from tests.shell.stages import AT

pytestmark = pytest.mark.broker


def a_chunk(number: int) -> ChunkCreated:
    return ChunkCreated(
        chunk_id=f"chk_{number}",
        source_id=f"src_{number // 10}",
        path="a.md",
        title=f"title {number}",
        source_type="doc",
        priority_tier=1,
        sanitized_hash="",
        anchor_type="heading",
        anchor_start=0,
        anchor_end=1,
        chunk_version="c1",
        line_start=1,
        line_end=1,
        text_payload="x" * 1_000,
        text_hash="",
        token_estimate=1,
    )


def a_request(number: int, partition: int = -1, offset: int = -1) -> ExtractRequested:
    return ExtractRequested(
        run_id="run",
        batch_no=0,
        position=1,
        lane="deep",
        chunk_id=f"chk_{number}",
        source_id=f"src_{number // 10}",
        chunk_partition=partition,
        chunk_offset=offset,
    )


def outside(event: ExtractRequested | ChunkCreated) -> Envelope:
    return outside_fact(event, project_id="prj_one", occurred_at=AT, actor=SYSTEM, lane="deep")


def test_a_chunk_is_found_by_its_place_its_neighbours_come_along(fresh: Settings) -> None:
    async def scenario(opened: AsyncExitStack) -> None:
        def reader(*size: int) -> ChunkReader:
            made = ChunkReader(fresh, *size)
            opened.push_async_callback(made.close)  # a loop cannot end before its connections
            return made

        places = await publish(fresh, *(outside(a_chunk(i)) for i in range(40)))
        chunks = reader()
        for i in range(40):
            found = await chunks.chunk_of(a_request(i, places[i].partition, places[i].offset))
            assert found and found.chunk == a_chunk(i)
        wrong = [
            await chunks.chunk_of(a_request(7, 0, 10_000)),
            await reader(0).chunk_of(a_request(7, (places[7].partition + 1) % 3, 0)),
            await reader(0).chunk_of(a_request(7)),
        ]
        assert [found and found.chunk for found in wrong] == [a_chunk(7)] * 3
        assert await chunks.chunk_of(a_request(77)) is None
        assert chunks.searches == 1

    async def opening() -> None:
        async with AsyncExitStack() as opened:
            await scenario(opened)

    asyncio.run(opening())


def test_a_step_is_handed_the_chunk_of_its_record(fresh: Settings) -> None:
    async def scenario() -> None:
        [place] = await publish(fresh, outside(a_chunk(1)))
        here, gone = a_request(1, place.partition, place.offset), a_request(99)
        await publish(fresh, outside(here), outside(gone))
        async with at_work(fresh, "with_chunk"):
            results = await facts_until(fresh, "atom.candidate.v1", 2)
        assert names_of(results) == ["no chunk", "title 1"]

    asyncio.run(scenario())
