"""The projector and the read commands against a real broker and database, end to end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import psycopg
import pytest
from typer.testing import CliRunner, Result

from infra.cli import build
from infra.platform import kafka, log_positions
from infra.platform.errors import Refusal
from infra.platform.settings import Settings
from projections import projector
from projections.checksums import caught_up, checksums
from projections.core import CORE
from projections.damage import damage
from projections.projection import Projection
from projections.read import session
from projections.read.progress import read_trigger_progress
from schemas.topics import TOPICS
from tests.conftest import variables_of
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import TRIGGER, Story, a_whole_story
from tests.projections.test_folding import projected
from tests.web import serving

pytestmark = pytest.mark.broker


async def publish(settings: Settings, story: Story) -> None:
    async with kafka.running_producer(settings) as producer:
        for record in story.log.records:
            await producer.send_and_wait(
                settings.topic(record.topic),
                value=record.value,
                key=record.key,
                partition=record.partition,
                headers=list(record.headers),
            )


@asynccontextmanager
async def running(settings: Settings, projection: Projection = CORE) -> AsyncIterator[None]:
    """A projector for the block; what it raises, the block's end raises."""
    stop, ready = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(projector.run(projection, settings, ready.set, stop))
    await asyncio.wait(
        [task, waiting := asyncio.create_task(ready.wait())], return_when="FIRST_COMPLETED"
    )
    waiting.cancel()
    try:
        if not task.done():
            yield
    finally:
        stop.set()
        await task


async def until_folded(settings: Settings) -> None:
    """The tables hold all that is on the topics."""
    async with running(settings):
        with session.reading(settings.conninfo) as connection:
            await caught_up(CORE, settings, connection, timeout_s=60)


def projected_story(settings: Settings) -> Story:
    """The whole story is on the topics and in the tables."""
    story = a_whole_story()

    async def follow() -> None:
        await publish(settings, story)
        await until_folded(settings)

    asyncio.run(follow())
    return story


def test_what_is_published_is_in_the_tables(fresh: Settings, model: ReadModel):
    story = projected_story(fresh)
    with session.reading(fresh.conninfo) as connection:
        assert read_trigger_progress(connection, PROJECT, TRIGGER).settled
        sums = checksums(CORE, connection, PROJECT)
    assert sums == checksums(CORE, model.fold(projected(story)).connection, PROJECT)


def test_a_log_that_grows_while_it_is_looked_at_is_not_damaged(fresh: Settings):
    async def keep_publishing() -> None:
        while True:
            await publish(fresh, a_whole_story())  # repeats, which the tables pass over

    async def follow() -> None:
        await kafka.create_topics(fresh, TOPICS)
        async with running(fresh):
            growing = asyncio.create_task(keep_publishing())
            try:
                for _ in range(4):
                    assert await damage([CORE], fresh) == []
            finally:
                growing.cancel()

    asyncio.run(follow())


def test_a_second_projector_is_refused(fresh: Settings):
    with psycopg.connect(fresh.conninfo, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (CORE.lock(projector.PROJECTING),))

        async def follow() -> None:
            await projector.run(CORE, fresh, lambda: None, asyncio.Event(), lock_patience_s=0.0)

        with pytest.raises(Refusal, match="Another projector runs"):
            asyncio.run(follow())


def test_an_empty_prd_is_shown_as_none(fresh: Settings, cairn: Callable[..., Result]):
    story = Story()
    story.project()
    story.requested(["README.md"])
    story.source("README.md", "The gateway is public.")
    story.run_started()
    story.published(story.stopped())

    async def follow() -> None:
        await publish(fresh, story)
        await until_folded(fresh)

    asyncio.run(follow())
    shown = cairn("show", "prd", "-p", "Demo")
    assert shown.stdout.startswith("There is no PRD yet: nothing that was read so far belongs in")
    assert len(cairn("show", "prd", "-p", "Demo", "--json").stdout.splitlines()) == 1


@pytest.fixture
def cairn(fresh: Settings) -> Iterator[Callable[..., Result]]:
    """The command line on an installation whose web process runs in this process."""

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(build(), arguments, env=variables_of(fresh))

    with serving(fresh):
        yield call


def test_the_read_commands_answer(fresh: Settings, cairn: Callable[..., Result]):
    projected_story(fresh)
    lines = cairn("atoms", "--project", "Demo", "--json").stdout.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["decision", "claim", "entity"]
    assert "Auth uses JWT tokens" in cairn("search", "JWT", "-p", "Demo").stdout
    assert cairn("show", "prd", "-p", "Demo").stdout.startswith("# Demo (version 1")
    (run,) = map(json.loads, cairn("runs", "-p", "Demo", "--json").stdout.splitlines())
    assert run["prd_v0_ms"] > run["first_atom_ms"]
    assert cairn("dlq", "list").stdout == "No dead letters.\n"
    tree = json.loads(cairn("trace", json.loads(lines[1])["atom_id"], "--json").stdout)
    assert tree["what"] == "atom"
    sums = json.loads(cairn("checksums", "-p", "Demo", "--json").stdout)
    assert len(sums["ledger_atoms"]) == 64
    sound = cairn("verify-log")
    assert (sound.exit_code, "Nothing is wrong" in sound.stdout) == (0, True)
    assert cairn("rebuild").exit_code == 0


def test_damage_makes_the_checking_commands_fail(fresh: Settings, cairn: Callable[..., Result]):
    story = projected_story(fresh)
    with psycopg.connect(fresh.conninfo) as connection:
        connection.execute("UPDATE cairn.ledger_atoms SET title = 'Something else'")
    found = cairn("rebuild")
    assert (found.exit_code, "different" in found.stdout) == (1, True)
    bad = story.log.write_bytes("ledger.v1", PROJECT.encode(), b"no avro")
    story.log.records[:] = [bad]
    asyncio.run(publish(fresh, story))
    report = json.loads(cairn("verify-log", "--json").stdout)
    assert [finding["code"] for finding in report["findings"]] == ["undecodable"]
    assert cairn("verify-log").exit_code == 1


def test_a_misplaced_record_is_told_of_and_another_try_puts_it_where_it_belongs(
    fresh: Settings, cairn: Callable[..., Result]
):
    story = Story()
    story.project()
    [right] = story.log.records
    elsewhere = (right.partition + 1) % fresh.partitions
    story.log.records[:] = [replace(right, partition=elsewhere)]
    asyncio.run(publish(fresh, story))
    asyncio.run(until_folded(fresh))
    letter = json.loads(cairn("dlq", "list", "--json").stdout)
    assert (letter["error_class"], letter["origin_partition"]) == ("Misplaced", elsewhere)
    [found] = json.loads(cairn("verify-log", "--json").stdout)["findings"]
    assert (found["code"], found["partition"], found["offset"]) == ("partition", elsewhere, 0)
    assert "dlq retry" in found["remedy"]
    assert cairn("dlq", "retry", letter["dead_letter_id"]).exit_code == 0
    asyncio.run(until_folded(fresh))
    assert "Demo" in cairn("project", "list").stdout
    told = cairn("rebuild")
    assert (told.exit_code, f"project.v1/{elsewhere}@0" in told.stdout) == (0, True)


def test_a_dead_letter_can_be_published_once_more(fresh: Settings, cairn: Callable[..., Result]):
    story = Story()
    story.log.write_bytes("ledger.v1", PROJECT.encode(), b"no avro")

    async def follow() -> None:
        async with running(fresh):
            await publish(fresh, story)
            with session.reading(fresh.conninfo) as connection:
                await caught_up(CORE, fresh, connection, timeout_s=60)

    asyncio.run(follow())
    letter = json.loads(cairn("dlq", "list", "--json").stdout)
    assert cairn("dlq", "retry", letter["dead_letter_id"]).exit_code == 0
    ends = asyncio.run(log_positions.end_offsets(fresh, [fresh.topic("ledger.v1")]))
    assert sum(ends.values()) == 2
