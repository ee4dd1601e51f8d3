"""What a rebalance may do to a consumer: nothing is passed over, and no failure stays unsaid."""

import asyncio

import pytest

from infra.settings import Settings
from streams.shell.delivery import Delivery
from streams.shell.engine import stage_app
from tests.shell.harness import eventually, publish
from tests.shell.stages import a_fact

pytestmark = pytest.mark.broker


async def nothing(partitions: set[int]) -> None: ...


def test_what_was_fetched_and_dropped_before_the_first_commit_comes_again(fresh: Settings) -> None:
    """Faust drops what it fetched during a rebalance and seeks to what is committed."""

    async def scenario() -> None:
        taken: list[str] = []

        async def take(delivery: Delivery) -> None:
            taken.append(delivery.place)

        async def seen() -> list[str]:
            return taken

        await publish(fresh, *(a_fact(f"n{i}", f"prj_{i}") for i in range(20)))
        app = stage_app(
            fresh, "seeking", ["project.v1"], take,
            assigned=nothing, revoked=nothing, failed=lambda error: None,
        )  # fmt: skip
        await app.start()
        first = list(await eventually(seen, lambda places: len(places) == 20))
        await app.consumer.perform_seek()
        await eventually(seen, lambda places: len(places) == 40, patience_s=20)
        assert sorted(taken[20:]) == sorted(first)
        await app.stop()

    asyncio.run(scenario())
