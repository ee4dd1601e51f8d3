"""The partitions of a stage: who waits for them waits for those that are there."""

import asyncio

from streams.shell.partitions import AssignedPartitions


class Slow(AssignedPartitions[int, int]):
    """Partition 0 is up to date at once, the others never are."""

    def _open(self, number: int) -> int:
        return number

    async def _work(
        self, partition: int, waiting: asyncio.Queue[int], caught_up: asyncio.Event
    ) -> None:
        if partition == 0:
            caught_up.set()
        await asyncio.Event().wait()


def test_a_stage_is_ready_though_a_partition_went_before_it_was_up_to_date() -> None:
    async def scenario() -> None:
        failures: list[BaseException] = []
        stage = Slow("slow", 0, failures.append)
        await stage.assign({0, 1, 2})
        ready = asyncio.create_task(stage.ready())
        await stage.revoke({1})
        assert not ready.done()
        await stage.revoke({2})
        async with asyncio.timeout(5):
            await ready
        await stage.close()
        assert failures == []

    asyncio.run(scenario())
