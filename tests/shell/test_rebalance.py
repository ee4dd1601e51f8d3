"""What a rebalance may do to a consumer: nothing is passed over, and no failure stays unsaid."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from aiokafka.errors import KafkaError

from infra.platform.settings import Settings
from streams.shell.delivery import Delivery
from streams.shell.engine import StageApp, Take, stage_app
from tests.shell.harness import PATIENCE_S, at_work, eventually, publish
from tests.shell.stages import a_fact

pytestmark = pytest.mark.broker


async def nothing(partitions: set[int]) -> None: ...


@asynccontextmanager
async def running(settings: Settings, take: Take) -> AsyncIterator[StageApp]:
    app = stage_app(
        settings, "seeking", ["project.v1"], take,
        assigned=nothing, revoked=nothing, worked=int, failed=lambda error: None,
    )  # fmt: skip
    await app.start()
    try:
        yield app
    finally:
        await app.stop()


def test_what_was_fetched_and_dropped_before_the_first_commit_comes_again(fresh: Settings) -> None:
    """Faust drops what it fetched during a rebalance and seeks to what is committed."""

    async def scenario() -> None:
        taken: list[str] = []

        async def take(delivery: Delivery) -> None:
            taken.append(delivery.place)

        async def seen() -> list[str]:
            return taken

        await publish(fresh, *(a_fact(f"n{i}", f"prj_{i}") for i in range(20)))
        async with running(fresh, take) as app:
            first = list(await eventually(seen, lambda places: len(places) == 20))
            await app.consumer.perform_seek()
            await eventually(seen, lambda places: len(places) == 40, patience_s=20)
            assert sorted(taken[20:]) == sorted(first)

    asyncio.run(scenario())


def refuse(client: Any) -> None:
    """As when the coordinator refuses to let the consumer join again."""
    client._coordinator._push_error_to_user(KafkaError("refused"))


def refuse_and_drop_the_answer(client: Any) -> None:
    """As when Faust seeks meanwhile: it logs what it was told, and goes on."""
    refuse(client)
    with suppress(KafkaError):
        client._coordinator.check_errors()


def end_heartbeats(client: Any) -> None:
    client._coordinator._coordination_task.cancel()


def end_fetches(client: Any) -> None:
    client._fetcher._fetch_task.cancel()


@pytest.mark.parametrize("fail", [refuse, refuse_and_drop_the_answer, end_heartbeats, end_fetches])
def test_a_consumer_that_fails_while_nobody_waits_for_it_ends_its_worker(
    fresh: Settings, fail: Callable[[Any], None]
) -> None:
    """During a rebalance the flow is stopped, and aiokafka tells only who waits."""

    async def scenario() -> None:
        async with at_work(fresh, "echo") as worker:
            [app] = worker.apps
            consumer: Any = app.consumer
            consumer.stop_flow()
            consumer._thread.thread_loop.call_soon_threadsafe(fail, consumer._thread._consumer)
            async with asyncio.timeout(PATIENCE_S):
                await worker.failed()

    asyncio.run(scenario())
