"""Where logs begin and end, and how far consumer groups have read them."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.structs import TopicPartition

from infra.platform.kafka import (
    broker_errors,
    learn_places,
    partition_counts,
    running_admin,
    running_consumer,
)
from infra.platform.settings import Settings


@dataclass(frozen=True)
class GroupLag:
    """How far one consumer group is behind on one topic, in records."""

    group: str
    topic: str
    lag: int


@dataclass(frozen=True)
class CutLog:
    """A partition (full topic name) that ends before what a group has committed."""

    group: str
    topic: str
    partition: int
    committed: int
    end: int


@dataclass(frozen=True)
class Reach:
    """How far a group is on a partition: the offset it goes on with, and the partition's end."""

    next: int
    end: int


async def lags(
    settings: Settings, reads: Mapping[str, Collection[str]] | None = None
) -> list[GroupLag]:
    """Every group of this installation with its lag per topic, sorted. Raises BrokerUnavailable.

    ``reads``: full topic names by group; counted are all their partitions, also those where nothing
    is committed yet. Of other groups only what they have committed is known.
    """
    async with running_admin(settings) as client:
        with broker_errors("reading consumer groups"):
            listed = await client.list_consumer_groups()
            known = {group: set(topics) for group, topics in (reads or {}).items()}
            for group, *_ in listed:
                if group.startswith(f"{settings.topic_prefix}-") and group not in known:
                    offsets = await client.list_consumer_group_offsets(group)
                    known[group] = {place.topic for place in offsets}
    behind: dict[tuple[str, str], int] = {}
    for group, places in (await reaches(settings, known)).items():
        for (topic, _), reach in places.items():
            behind[group, topic] = behind.get((group, topic), 0) + max(0, reach.end - reach.next)
    return [GroupLag(group, topic, lag) for (group, topic), lag in sorted(behind.items())]


async def reaches(
    settings: Settings, reads: Mapping[str, Collection[str]]
) -> dict[str, dict[tuple[str, int], Reach]]:
    """How far each group is on every partition of the topics it reads. Raises BrokerUnavailable.

    ``reads``: full topic names by group; answered by (full topic name, partition).
    """
    async with open_lookout(settings, reads) as lookout:
        return await lookout.look()


@dataclass
class Lookout:
    """Looks again and again how far groups are, over connections that stay open.

    Of a group that has read all only the ends are asked for, until one has moved.
    """

    admin: AIOKafkaAdminClient
    reader: AIOKafkaConsumer
    wanted: Mapping[str, Sequence[TopicPartition]]  # by group
    _found: dict[str, dict[TopicPartition, Reach]] = field(default_factory=dict)

    async def look(self) -> dict[str, dict[tuple[str, int], Reach]]:
        """How far each group is, by (full topic name, partition). Raises BrokerUnavailable."""
        every = sorted({place for places in self.wanted.values() for place in places})
        with broker_errors("reading ends of topics"):
            ends = await self.reader.end_offsets(every) if every else {}
        for group, places in self.wanted.items():
            found = self._found.get(group)
            if found is None or any(
                found[place].next < ends[place] or found[place].end != ends[place]
                for place in places
            ):
                self._found[group] = await self._ask(group, places, ends)
        return {
            group: {(place.topic, place.partition): reach for place, reach in found.items()}
            for group, found in self._found.items()
        }

    async def _ask(
        self, group: str, places: Sequence[TopicPartition], ends: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, Reach]:
        with broker_errors("reading consumer groups"):
            committed = await self.admin.list_consumer_group_offsets(group)
        done = {place: committed[place].offset if place in committed else 0 for place in places}
        behind = [place for place in places if done[place] < ends[place]]
        with broker_errors("reading starts of topics"):  # what expired is not behind
            starts = await self.reader.beginning_offsets(behind) if behind else {}
        return {
            place: Reach(max(done[place], starts.get(place, 0)), ends[place]) for place in places
        }


@asynccontextmanager
async def open_lookout(
    settings: Settings, reads: Mapping[str, Collection[str]]
) -> AsyncIterator[Lookout]:
    """``reads``: full topic names by group. Raises BrokerUnavailable."""
    names = {name for names in reads.values() for name in names}
    async with running_admin(settings) as admin, running_consumer(settings) as reader:
        with broker_errors("describing topics"):
            await learn_places(reader, names)
        wanted = {
            group: [
                TopicPartition(name, part)
                for name in names
                for part in sorted(reader.partitions_for_topic(name) or ())
            ]
            for group, names in reads.items()
        }
        yield Lookout(admin, reader, wanted)


async def cut_logs(settings: Settings) -> list[CutLog]:
    """Partitions that have lost records which a group of this installation has acknowledged.

    A topic that is deleted takes what was committed with it; so only its records can have gone. A
    broker that has just started may tell an end that is too small: two looks must agree.
    Raises BrokerUnavailable.
    """
    found = await _find_cuts(settings)
    if not found:
        return []
    again = {(each.group, each.topic, each.partition) for each in await _find_cuts(settings)}
    return [each for each in found if (each.group, each.topic, each.partition) in again]


async def _find_cuts(settings: Settings) -> list[CutLog]:
    """One look: what was committed first, then where the log ends, which grows meanwhile."""
    async with running_admin(settings) as client:
        with broker_errors("reading consumer groups"):
            listed = await client.list_consumer_groups()
            groups = sorted(
                {name for name, *_ in listed if name.startswith(f"{settings.topic_prefix}-")}
            )
            committed = {group: await client.list_consumer_group_offsets(group) for group in groups}
    places = sorted({place for offsets in committed.values() for place in offsets})
    if not places:
        return []
    async with running_consumer(settings) as reader:
        with broker_errors("reading ends of topics"):
            await learn_places(reader, {place.topic for place in places})
            ends = await reader.end_offsets(places)
    return [
        CutLog(group, place.topic, place.partition, known.offset, ends[place])
        for group, offsets in committed.items()
        for place, known in sorted(offsets.items())
        if known.offset > ends[place]
    ]


async def accept_cuts(settings: Settings) -> None:
    """No group has committed more than there is. Raises BrokerUnavailable."""
    for cut in await cut_logs(settings):
        place = TopicPartition(cut.topic, cut.partition)
        async with running_consumer(settings, group=cut.group) as client:
            client.assign([place])
            with broker_errors("setting offsets back"):
                await client.commit({place: cut.end})


async def end_offsets(settings: Settings, names: Collection[str]) -> dict[tuple[str, int], int]:
    """The offset after the last record, by (full topic name, partition)."""
    return {place: end for place, (_, end) in (await offset_bounds(settings, names)).items()}


async def offset_bounds(
    settings: Settings, names: Collection[str]
) -> dict[tuple[str, int], tuple[int, int]]:
    """The first offset and the one after the last, by (full topic name, partition)."""
    counts = await partition_counts(settings, names)
    places = [TopicPartition(name, part) for name, n in counts.items() for part in range(n)]
    if not places:  # aiokafka raises when a consumer is closed before it was used
        return {}
    async with running_consumer(settings) as reader:
        with broker_errors("reading ends of topics"):
            await learn_places(reader, {place.topic for place in places})
            starts = await reader.beginning_offsets(places)
            ends = await reader.end_offsets(places)
    return {(each.topic, each.partition): (starts[each], ends[each]) for each in places}
