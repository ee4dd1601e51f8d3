"""A stage whose log has lost records stops; it never gives the same numbers a second time."""

import asyncio

import pytest
from aiokafka.admin import RecordsToDelete
from aiokafka.structs import TopicPartition
from typer.testing import CliRunner

from infra.cli import build
from infra.platform import kafka
from infra.platform.findings import LogDamaged
from infra.platform.kafka import partition_of
from infra.platform.settings import Settings
from schemas.topics import TOPICS
from tests.conftest import variables_of
from tests.shell.harness import at_work, publish
from tests.shell.test_writers import OUTPUT, facts, until_answered

pytestmark = pytest.mark.broker


def test_a_writer_whose_output_is_gone_stops_until_that_is_accepted(fresh: Settings) -> None:
    async def scenario() -> None:
        asked = facts(5)
        await publish(fresh, *asked)
        async with at_work(fresh, "counting"):
            await until_answered(fresh, asked)
        await kafka.delete_topics(fresh, [fresh.topic(OUTPUT)])
        await kafka.create_topics(fresh, TOPICS)
        with pytest.raises(LogDamaged, match=r"ledger\.v1/\d@0.* gone.*--accept-smaller"):
            async with at_work(fresh, "counting"):
                pass
        await asyncio.to_thread(accept, fresh)
        async with at_work(fresh, "counting"):
            await until_answered(fresh, asked)

    asyncio.run(scenario())


def accept(settings: Settings) -> None:
    environment = variables_of(settings)
    done = CliRunner().invoke(build(), ["rebuild", "--accept-smaller"], env=environment)
    assert done.exit_code == 1, "the tables were empty before"


def test_a_log_that_begins_late_is_folded_by_nobody(fresh: Settings) -> None:
    async def scenario() -> None:
        asked = facts(5)
        await publish(fresh, *asked)
        partition = partition_of(b"prj_0", fresh.partitions)
        place = TopicPartition(fresh.topic("project.v1"), partition)
        async with kafka.running_admin(fresh) as admin:
            await admin.delete_records({place: RecordsToDelete(before_offset=1)})
        told = rf"project\.v1/{partition}@0: record 0 is gone; .*restore"
        with pytest.raises(LogDamaged, match=told):
            async with at_work(fresh, "counting"):
                pass

    asyncio.run(scenario())
