"""A broker that goes away: never the records' fault; the worker stops with a reason and goes on."""

import asyncio
import signal
import tempfile
from pathlib import Path

import pytest

from infra.platform import kafka
from infra.platform.clock import SystemClock
from infra.platform.errors import BrokerUnavailable
from infra.platform.settings import Settings
from infra.runtime.local.kafka import EmbeddedKafka
from infra.runtime.local.runtime import await_server, stop
from schemas.topics import TOPICS
from streams.app import cluster_id
from streams.shell.publisher import Publisher
from streams.shell.slow_broker import outlast_slowness
from tests.shell.harness import (
    WorkerProcess,
    at_work,
    facts_of,
    facts_until,
    publish,
    until_committed,
)
from tests.shell.stages import a_fact

pytestmark = pytest.mark.broker


def test_an_outage_stops_the_worker_and_dead_letters_nothing(cache: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cairn-test-") as folder:
        asked = [a_fact(f"n{i}", f"prj_{i}") for i in range(20)]
        settings = Settings(home=Path(folder), cache=cache, session_timeout_s=1.0)
        broker = EmbeddedKafka(settings, print)
        broker.prepare()
        child = broker.spawn()
        await_server(broker, child)
        located = broker.locate(settings)

        async def before() -> None:
            await kafka.create_topics(located, TOPICS)
            await publish(located, *asked[:10])
            impatient = located.model_copy(update={"request_timeout_s": 5.0})
            with WorkerProcess(impatient, "echo", "counting") as worker:
                await facts_until(located, "atom.candidate.v1", 10)
                child.send_signal(signal.SIGKILL)
                child.wait()
                assert await asyncio.to_thread(worker.process.wait, 60) == 1

        async def after() -> None:
            await publish(located, *asked[10:])
            async with at_work(located, "echo", "counting"):
                await facts_until(located, "atom.candidate.v1", 20)
                await facts_until(located, "ledger.v1", 20)
                await until_committed(located, "echo", "project.v1")
            assert await facts_of(located, "dlq.v1") == []

        try:
            asyncio.run(before())
            broker.prepare()
            child = broker.spawn()
            await_server(broker, child)
            asyncio.run(after())
        finally:
            stop(child, broker.stop_signal)


def test_a_broker_that_is_only_slow_is_waited_for(cache: Path) -> None:
    """Suspended, it takes connections and answers none, like one on a busy machine."""
    with tempfile.TemporaryDirectory(prefix="cairn-test-") as folder:
        settings = Settings(home=Path(folder), cache=cache, request_timeout_s=1.0)
        broker = EmbeddedKafka(settings, print)
        broker.prepare()
        child = broker.spawn()
        await_server(broker, child)
        located = broker.locate(settings)
        failures = 0

        async def ask() -> str:
            nonlocal failures
            try:
                return await cluster_id(located)
            except BrokerUnavailable:
                if (failures := failures + 1) == 3:  # each took as long as a request may
                    child.send_signal(signal.SIGCONT)
                raise

        async def scenario() -> None:
            await kafka.create_topics(located, TOPICS)
            async with kafka.running_producer(located) as producer:
                publisher = Publisher(producer, located, SystemClock())
                await publisher.publish([a_fact("before")])
                child.send_signal(signal.SIGSTOP)
                published = asyncio.create_task(publisher.publish([a_fact("after")]))
                assert await outlast_slowness(located, ask)
                assert len(await published) == 1
            child.kill()
            child.wait()
            with pytest.raises(BrokerUnavailable):
                await outlast_slowness(located, lambda: cluster_id(located))

        try:
            asyncio.run(scenario())
            assert failures >= 3
        finally:
            child.send_signal(signal.SIGCONT)
            stop(child, broker.stop_signal)
