"""What of Faust and aiokafka the shell has changed, looked at from outside."""

import asyncio
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.errors import KafkaError
from aiokafka.protocol.fetch import FetchRequest
from faust.transport.drivers import aiokafka as driver
from faust.types.tuples import ConsumerMessage

from infra.platform import kafka, pacing
from infra.platform.errors import BrokerUnavailable, TopicsUnfit
from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.topics import TOPICS
from streams.app import Worker
from streams.shell import engine
from streams.shell.engine import StageApp
from tests.shell.harness import (
    PATIENCE_S,
    WorkerProcess,
    at_work,
    eventually,
    facts_until,
    names_of,
    publish,
    records_of,
    stages,
)
from tests.shell.stages import a_fact

pytestmark = pytest.mark.broker
RESULTS = "atom.candidate.v1"


def test_a_worker_refuses_to_start_when_a_topic_is_missing(fresh: Settings) -> None:
    async def scenario() -> None:
        await kafka.delete_topics(fresh, [fresh.topic("dlq.v1")])
        await eventually(lambda: missing(fresh, "dlq.v1"), bool)
        with pytest.raises(TopicsUnfit, match="dlq.v1 does not exist"):
            async with Worker(fresh, stages("echo")).running():
                pass
        await kafka.create_topics(fresh, TOPICS)

    asyncio.run(scenario())


async def missing(settings: Settings, topic: str) -> bool:
    counts = await kafka.partition_counts(settings, [settings.topic(topic)])
    return not counts[settings.topic(topic)]


def test_a_worker_refuses_to_start_when_a_partition_count_differs(fresh: Settings) -> None:
    other = fresh.model_copy(update={"partitions": fresh.partitions + 1})

    async def scenario() -> None:
        with pytest.raises(TopicsUnfit, match="partitions, the settings say"):
            async with Worker(other, stages("echo")).running():
                pass

    asyncio.run(scenario())


@pytest.mark.filterwarnings(  # the thread of a client that has half started finds its loop closed
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)
def test_a_worker_that_fails_while_it_starts_does_not_wait_for_its_start(fresh: Settings) -> None:
    """A client that failed in a thread of its own kept a worker starting for nine minutes."""
    worker = Worker(fresh, stages("echo"))

    async def fail_before_it_has_started() -> None:
        while not worker.apps:
            await asyncio.sleep(0)
        worker.fail(KafkaError("the client is lost"))

    async def scenario() -> None:
        failing = asyncio.create_task(fail_before_it_has_started())
        with pytest.raises(KafkaError, match="the client is lost"):
            async with worker.running():
                pass
        await failing

    before = {*threading.enumerate()}
    asyncio.run(scenario())
    for each in {*threading.enumerate()} - before:  # its complaint belongs to this test
        each.join(timeout=30)


def test_a_worker_whose_broker_does_not_say_what_is_committed_fails(
    fresh: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faust's task of a new assignment ended without a word, and the worker started for ever."""
    soon = fresh.model_copy(update={"session_timeout_s": 1.0, "request_timeout_s": 1.0})

    async def wait_for_ever(thread: object) -> dict[object, int]:
        await asyncio.Event().wait()
        return {}

    monkeypatch.setattr(engine.ConsumerThread, "seek_to_committed", wait_for_ever)

    async def scenario() -> None:
        async with asyncio.timeout(PATIENCE_S), at_work(soon, "echo") as worker:
            raise await worker.failed()

    with pytest.raises(BrokerUnavailable, match="has not said within 6 s where .*echo goes on"):
        asyncio.run(scenario())


def test_an_empty_partition_does_not_hold_the_fetch_of_the_others(fresh: Settings) -> None:
    """Faust's driver has the wait written into it; ours is the setting's."""
    assert "fetch_max_wait_ms=1500" in Path(driver.__file__).read_text(encoding="utf-8")

    async def scenario() -> None:
        async with at_work(fresh, "echo") as worker:
            [app] = worker.apps
            consumer: Any = app.consumer
            client = consumer._thread._consumer  # no other way to see what is in use
            assert client._fetcher._fetch_max_wait_ms == fresh.fetch_max_wait_ms == 20

    asyncio.run(scenario())


PARTS = 2


class Planned(Fetcher):  # type: ignore[misc]  # aiokafka is untyped
    """aiokafka's planner with a request to one broker for what is read of its two partitions, and
    what fetches brought.
    """

    def __init__(self, *unread: int, brought: Sequence[bool] = ()) -> None:
        self._asked = [(part, 0, 1_000) for part in range(PARTS) if part not in unread]
        self._brought = iter(brought)
        self._client: Any = SimpleNamespace(
            cluster=SimpleNamespace(leader_for_partition=lambda place: 0)
        )

    def _get_actions_per_node(self, assignment: Any) -> Any:
        request = FetchRequest(20, 1, 1_000, 0, [("echo", self._asked)])
        return [(0, request)], {}, 0.2, False, []

    async def _proc_fetch_request(self, assignment: Any, node: int, request: Any) -> bool:
        return next(self._brought)

    async def fetched(self) -> tuple[int, int]:
        """The wait and the bytes the next fetch asks for, once it is done."""
        whole = SimpleNamespace(tps=[("echo", part) for part in range(PARTS)])
        (node, request), *_ = self._get_actions_per_node(whole)[0]
        await self._proc_fetch_request(None, node, request)
        return request._max_wait_ms, request._min_bytes

    def close(self) -> None: ...


FLOWING = (pacing.FLOW_WAIT_MS, pacing.FLOW_BYTES)
IDLE, LONGER = (pacing.IDLE_WAIT_MS, 1), (2 * pacing.IDLE_WAIT_MS, 1)


def paces(fetcher: Planned, fetches: int) -> list[tuple[int, int]]:
    async def scenario() -> list[tuple[int, int]]:
        pacing.pace_fetches(SimpleNamespace(_fetcher=fetcher))
        return [await fetcher.fetched() for _ in range(fetches)]

    return asyncio.run(scenario())


def test_fetches_wait_for_many_records_while_they_flow_and_then_long_for_the_first() -> None:
    brought = [False, True, True, False, True, False, False, False]
    assert paces(Planned(brought=brought), 8) == [
        IDLE, LONGER, FLOWING, FLOWING, FLOWING, FLOWING, FLOWING, IDLE
    ]  # fmt: skip


def test_fetches_that_bring_nothing_wait_longer_and_longer_up_to_a_limit() -> None:
    waits = [wait for wait, _ in paces(Planned(brought=[False] * 8), 8)]
    assert waits == sorted(waits) and waits[:2] == [IDLE[0], LONGER[0]]
    assert waits[-2:] == [pacing.REST_WAIT_MS] * 2


def test_partitions_with_unread_records_are_asked_for_again_soon() -> None:
    assert paces(Planned(1, brought=[False]), 1) == [(20, 1)]


def test_a_stream_gives_all_that_is_there_in_one_turn(tmp_path: Path) -> None:
    """Faust's own gives one record a round of the loop, however many are there."""
    records = 50

    async def rounds() -> int:
        app = StageApp(Settings(home=tmp_path, kafka_bootstrap="127.0.0.1:1"), "echo", None)
        app.flow_control.resume()
        topic = app.topic("echo", key_type=bytes, value_type=bytes)
        stream: Any = app.stream(topic)
        for offset in range(records):
            message = ConsumerMessage(
                "echo", 0, offset, 0.0, 0, [], b"k", b"v", None,
                generation_id=app.consumer_generation_id,
            )  # fmt: skip
            stream.channel.queue.put_nowait(app.create_event(b"k", b"v", {}, message))
        passed, given = 0, []

        async def others() -> None:
            nonlocal passed
            while True:
                passed += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(others())
        async for event in stream.noack().events():
            given.append(event.message.offset)
            if len(given) == records:
                break
        counting.cancel()
        assert given == list(range(records))
        return passed

    assert asyncio.run(rounds()) < records


def listeners() -> set[tuple[int, Any]]:
    """The sockets of this process that wait for callers."""
    own = psutil.Process(os.getpid()).net_connections(kind="tcp")
    return {(each.fd, each.laddr) for each in own if each.status == psutil.CONN_LISTEN}


def test_a_worker_listens_nowhere_and_makes_no_topics(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, a_fact("n"))
        before = listeners()  # of servers that other tests of this process have started
        async with at_work(fresh, "echo", "counting"):
            assert listeners() <= before
        async with kafka.running_admin(fresh) as admin:
            topics = await admin.list_topics()
        ours = {name for name in topics if name.startswith(fresh.topic_prefix)}
        assert ours == {fresh.topic(topic.name) for topic in TOPICS}

    asyncio.run(scenario())


def test_a_named_worker_has_its_partitions_back_before_its_session_would_end(
    fresh: Settings,
) -> None:
    """The session is so long that an unnamed worker would wait for it longer than the test does."""
    patient = fresh.model_copy(update={"session_timeout_s": 300.0, "request_timeout_s": 300.0})

    async def ready() -> bool:
        return (patient.home / "one.ready").exists()

    async def scenario() -> None:
        with WorkerProcess(patient, "echo", name="one") as worker:
            await eventually(ready, bool)
            worker.kill()
        (patient.home / "one.ready").unlink()
        with WorkerProcess(patient, "echo", name="one") as worker:
            await eventually(ready, bool)
            assert worker.stop() == 0

    asyncio.run(scenario())


@pytest.mark.parametrize(("room", "waited_for"), [(1_024, False), (1, True)])
def test_a_record_is_handed_over_at_once_when_its_stream_has_room(
    fresh: Settings, monkeypatch: pytest.MonkeyPatch, room: int, waited_for: bool
) -> None:
    """Faust's own way is taken without room only; both ways every record comes, in order."""
    monkeypatch.setattr(engine, "BUFFERED_RECORDS", room)
    fausts_way = driver.Consumer.wait_first
    waits: list[int] = []

    async def counted(consumer: Any, *coros: Any, **options: Any) -> Any:
        waits.append(len(coros))
        return await fausts_way(consumer, *coros, **options)

    monkeypatch.setattr(driver.Consumer, "wait_first", counted)

    async def scenario() -> None:
        names = [f"n{i:03}" for i in range(60)]
        await publish(fresh, *(a_fact(name) for name in names))
        async with at_work(fresh, "echo"):
            results = await facts_until(fresh, RESULTS, len(names))
        assert names_of(results) == names
        for partition in range(fresh.partitions):  # results are keyed by source, facts by project
            found = [
                each for each in await records_of(fresh, RESULTS) if each.partition == partition
            ]
            there = [decode(each.value).event.reading.chunk_id for each in found]  # type: ignore[attr-defined]
            assert there == sorted(there)

    asyncio.run(scenario())
    assert (2 in waits) == waited_for
