"""What the intake has taken is read from a real topic again: to its offset, and not further."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiokafka.structs import TopicPartition

from connectors.github.items import root_of
from connectors.intake.runner import STAGE, recall
from infra.platform.kafka import partition_counts, partition_of, running_consumer, running_producer
from infra.platform.settings import Settings
from schemas import ids
from schemas.events.connector_item import ItemReceived
from tests.connectors.intake.worlds import PROJECT, World
from tests.connectors.webhooks.senders import an_issue

pytestmark = pytest.mark.broker
TAKEN, ALL = 3, 5  # the first record on the topic is none


def test_the_deliveries_before_the_offset_are_known_again(fresh: Settings, tmp_path: Path) -> None:
    async def run() -> tuple[int, int]:
        world = World(tmp_path)
        topic, group = fresh.topic(ItemReceived.topic), fresh.group(STAGE)
        count = (await partition_counts(fresh, [topic]))[topic]
        sent = await world.received(*(an_issue(number) for number in range(10 * count)))
        together = [
            number
            for number, record in enumerate(sent)
            if partition_of(record.key, count) == count - 1
        ][:ALL]
        records = [sent[number] for number in together]
        async with running_producer(fresh) as producer:
            await producer.send_and_wait(topic, b"no event of ours", partition=count - 1)
            for record in records:
                await producer.send_and_wait(topic, record.value, key=record.key)
        async with running_consumer(fresh, group=group) as consumer:
            place = TopicPartition(topic, count - 1)
            consumer.assign([place])
            await consumer.commit({place: 1 + TAKEN})
        recalled = await recall(fresh, world.intake())
        names = [
            ids.source_id(PROJECT, "github", f"{root_of('acme/shop', 'issues')}@{number}")
            for number in together
        ]
        held = await world.statuses.overlay(world.broker.publisher()).find_stored(PROJECT, names)
        return recalled, len(held)

    assert asyncio.run(run()) == (TAKEN, TAKEN)
