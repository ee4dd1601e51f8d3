"""A topic written and read whole, and workers in this process and in others."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from aiokafka.structs import TopicPartition

from infra.platform import kafka, log_positions
from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import Envelope
from streams.app import Stages, Worker
from streams.shell.log_reader import LogReader
from streams.shell.publisher import LogPosition, Publisher
from tests.shell.stages import STEPS, WRITERS

ROOT = Path(__file__).parents[2]
PATIENCE_S = 150.0  # a test with a job that hangs takes 45 s of it; the rest is for a busy machine
SETTINGS = "CAIRN_TEST_SETTINGS"  # in the environment, since they hold passwords
T = TypeVar("T")


def stages(*names: str) -> Stages:
    return Stages(
        steps=tuple(STEPS[name] for name in names if name in STEPS),
        writers=tuple(WRITERS[name] for name in names if name in WRITERS),
    )


@asynccontextmanager
async def at_work(settings: Settings, *names: str) -> AsyncIterator[Worker]:
    """A worker of this process, ready."""
    async with working(settings, stages(*names)) as worker:
        yield worker


@asynccontextmanager
async def working(settings: Settings, whole: Stages) -> AsyncIterator[Worker]:
    """The same with stages of the test's own."""
    async with Worker(settings, whole).running() as worker:
        ready = asyncio.create_task(worker.ready())
        failed = asyncio.create_task(worker.failed())
        await asyncio.wait({ready, failed}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            raise failed.result()
        assert ready.done(), "the worker does not become ready"
        yield worker
        failed.cancel()


async def publish(settings: Settings, *facts: Envelope) -> list[LogPosition]:
    async with kafka.running_producer(settings) as producer:
        return await Publisher(producer, settings, SystemClock()).publish(facts)


async def records_of(settings: Settings, topic: str) -> list[Any]:
    """Every record of ``topic``, by partition and offset."""
    reader = LogReader(settings)
    try:
        return [
            record
            for partition in range(settings.partitions)
            async for batch in reader.tail(topic, partition, 0)
            for record in batch
        ]
    finally:
        await reader.close()


async def facts_of(settings: Settings, topic: str) -> list[Envelope]:
    return [decode(record.value) for record in await records_of(settings, topic)]


async def eventually(
    question: Callable[[], Any], answer: Callable[[Any], bool], patience_s: float = PATIENCE_S
) -> Any:
    """The result of ``question`` once ``answer`` is content with it."""
    deadline = time.monotonic() + patience_s
    while True:
        result = await question()
        if answer(result):
            return result
        assert time.monotonic() < deadline, f"it did not come true; last seen: {result!r}"[:2_000]
        await asyncio.sleep(0.1)


async def facts_until(settings: Settings, topic: str, count: int) -> list[Envelope]:
    """The facts of ``topic`` once there are ``count`` different ones, each as it came first."""

    async def distinct() -> list[Envelope]:
        first: dict[object, Envelope] = {}
        for fact in await facts_of(settings, topic):
            first.setdefault(fact.event_id, fact)
        return list(first.values())

    found: list[Envelope] = await eventually(distinct, lambda facts: len(facts) >= count)
    return found


async def committed(settings: Settings, stage: str, topic: str) -> dict[int, int]:
    """The committed offset of each partition of which something is acknowledged."""
    async with kafka.running_admin(settings) as admin:
        offsets = await admin.list_consumer_group_offsets(settings.group(stage))
    name = settings.topic(topic)
    return {
        place.partition: known.offset
        for place, known in offsets.items()
        if place.topic == name and known.offset > 0
    }


async def ends(settings: Settings, topic: str) -> dict[int, int]:
    found = await log_positions.end_offsets(settings, [settings.topic(topic)])
    return {partition: offset for (_, partition), offset in found.items() if offset}


async def until_committed(settings: Settings, stage: str, topic: str) -> None:
    """Every record of ``topic`` is acknowledged by ``stage``."""
    end = await ends(settings, topic)
    await eventually(lambda: committed(settings, stage, topic), lambda known: known == end)


async def uncommit(settings: Settings, stage: str, topic: str) -> None:
    """As if ``stage``, which does not run, had been killed before it acknowledged anything."""
    places = [TopicPartition(settings.topic(topic), p) for p in range(settings.partitions)]
    async with kafka.running_consumer(settings, group=settings.group(stage)) as client:
        client.assign(places)
        await client.commit(dict.fromkeys(places, 0))


async def raw(settings: Settings, topic: str, partition: int, *values: bytes) -> None:
    async with kafka.running_producer(settings) as producer:
        for value in values:
            await producer.send_and_wait(settings.topic(topic), value, partition=partition)


async def put(
    settings: Settings, fact: Envelope, *, key: str, partition: int, at: datetime | None = None
) -> None:
    """A record of ``fact`` at a place, and written at a time, of the caller's choice."""
    async with kafka.running_producer(settings) as producer:
        made = Publisher(producer, settings, SystemClock()).stamp(fact)
        await producer.send_and_wait(
            *(settings.topic(made.topic), made.value, key.encode(), partition),
            timestamp_ms=at and int(at.timestamp() * 1000),
            headers=made.headers,
        )


class WorkerProcess:
    """A worker of its own process; ends with the block."""

    def __init__(self, settings: Settings, *names: str, name: str | None = None) -> None:
        arguments = [",".join(names), name or ""]
        assert settings.kafka_sasl_password
        password = settings.kafka_sasl_password.get_secret_value()
        told = settings.model_dump(mode="json") | {"kafka_sasl_password": password}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.shell.worker", *arguments],
            cwd=ROOT,
            env=os.environ | {SETTINGS: json.dumps(told)},
        )

    def kill(self) -> None:
        """SIGKILL: no goodbye to the broker."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=PATIENCE_S)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.kill()


def names_of(facts: Iterable[Envelope]) -> list[str]:
    """What the results on ``atom.candidate.v1`` answer, sorted."""
    return sorted(fact.event.reading.chunk_id for fact in facts)  # type: ignore[attr-defined]
