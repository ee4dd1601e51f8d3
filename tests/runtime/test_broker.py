"""Topics are made as the settings say, and the broker's outages have one name."""

import asyncio
import os

import pytest

from infra.cli.hints import with_hint
from infra.platform import kafka, log_positions
from infra.platform.errors import BrokerUnavailable, TopicsUnfit
from infra.platform.settings import MAX_RECORD_BYTES, Settings
from tests.runtime.topics import ONE_TOPIC, Spec, read_all, write

pytestmark = pytest.mark.broker


def test_topics_are_made_once_and_then_found_fit(bare: Settings):
    made = asyncio.run(kafka.create_topics(bare, ONE_TOPIC))
    assert made == [bare.topic("test.v1")]
    assert asyncio.run(kafka.create_topics(bare, ONE_TOPIC)) == []
    asyncio.run(kafka.check_topics(bare, ONE_TOPIC))


def test_two_starts_at_once_both_find_the_topics_made(bare: Settings):
    async def both() -> None:
        await asyncio.gather(*(kafka.create_topics(bare, ONE_TOPIC) for _ in range(2)))

    asyncio.run(both())
    asyncio.run(kafka.check_topics(bare, ONE_TOPIC))


def test_a_missing_topic_is_refused(bare: Settings):
    with pytest.raises(TopicsUnfit, match="does not exist"):
        asyncio.run(kafka.check_topics(bare, ONE_TOPIC))


def test_another_partition_count_than_the_settings_is_refused(bare: Settings):
    asyncio.run(kafka.create_topics(bare, ONE_TOPIC))
    more = bare.model_copy(update={"partitions": 4})
    with pytest.raises(TopicsUnfit, match="has 3 partitions, the settings say 4"):
        asyncio.run(kafka.check_topics(more, ONE_TOPIC))


def test_the_largest_whole_record_passes_even_when_it_cannot_be_compressed(bare: Settings):
    large = (Spec("large.v1", max_message_bytes=MAX_RECORD_BYTES),)
    asyncio.run(kafka.create_topics(bare, large))
    value = os.urandom(MAX_RECORD_BYTES - 1024)
    asyncio.run(write(bare, [value], "large.v1"))
    assert asyncio.run(read_all(bare, "large.v1")) == [value]


def test_lag_is_what_a_group_has_not_read(bare: Settings):
    async def scenario() -> list[int]:
        await kafka.create_topics(bare, ONE_TOPIC)
        await write(bare, [b"1", b"2"])
        await read_all(bare)
        await write(bare, [b"3", b"4", b"5"])
        return [each.lag for each in await log_positions.lags(bare)]

    assert asyncio.run(scenario()) == [3]


def test_a_broker_that_is_not_there_is_unavailable(bare: Settings):
    away = bare.model_copy(update={"kafka_bootstrap": "127.0.0.1:1"})
    assert not asyncio.run(kafka.answers(away))
    with pytest.raises(BrokerUnavailable) as caught:
        asyncio.run(kafka.create_topics(away, ONE_TOPIC))
    assert "cairn status" in with_hint(caught.value)
