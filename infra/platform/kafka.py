"""The only place that builds Kafka clients, and the only one that knows the broker's error classes.

What the broker cannot do *now* becomes one exception, `BrokerUnavailable`; what it refuses for good
(an unknown topic, a record too large) stays what aiokafka raises.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from typing import Any, Protocol

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import (
    BrokerNotAvailableError,
    CorruptRecordException,
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    NoBrokersAvailable,
    NodeNotReadyError,
    NotControllerError,
    NotEnoughReplicasAfterAppendError,
    NotEnoughReplicasError,
    NotLeaderForPartitionError,
    RecordTooLargeError,
    RequestTimedOutError,
    TopicAlreadyExistsError,
    for_code,
)
from aiokafka.partitioner import murmur2
from aiokafka.structs import TopicPartition

from infra.platform.errors import BrokerUnavailable, TopicsUnfit
from infra.platform.settings import MAX_REQUEST_BYTES, Settings, SettingsError

# The broker measures batches: headers, and what lz4 adds to bytes that cannot be compressed.
FRAMING_BYTES = 64 * 1024
SIGN_BIT = 0x7FFFFFFF
LOOKS_MS = 5_000  # so often a consumer looks whether to fetch although nothing has changed
PLACED_KEYS = 16_384  # of projects and sources, whose partition is remembered

UNAVAILABLE = (
    BrokerNotAvailableError,
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    KafkaConnectionError,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    NoBrokersAvailable,
    NodeNotReadyError,
    NotControllerError,
    NotEnoughReplicasAfterAppendError,
    NotEnoughReplicasError,
    NotLeaderForPartitionError,
    RequestTimedOutError,
    ConnectionError,
    TimeoutError,
)


# A batch whose bytes are not those that were written, or that ends in the middle: its segment was
# spoilt or cut. The client has given nothing of what it read in front of it.
UNREADABLE = (CorruptRecordException, RecordTooLargeError)


class TopicSpec(Protocol):
    """What is needed to make a topic; `schemas.topics.TOPICS` is a tuple of such."""

    @property
    def name(self) -> str: ...  # without the prefix
    @property
    def cleanup(self) -> str: ...  # delete | compact
    @property
    def retention_ms(self) -> int: ...  # -1 = for ever
    @property
    def max_message_bytes(self) -> int: ...


@contextmanager
def broker_errors(what: str) -> Iterator[None]:
    """Raises BrokerUnavailable when the broker does not serve ``what``; see `UNAVAILABLE`."""
    try:
        yield
    except UNAVAILABLE as error:
        reason = str(error) or type(error).__name__
        raise BrokerUnavailable(f"The broker does not answer ({what}: {reason}).") from error


@lru_cache(PLACED_KEYS)
def partition_of(key: bytes, partitions: int) -> int:
    """Where Kafka's default partitioner puts a key. The client computes it for each record."""
    return int(murmur2(key) & SIGN_BIT) % partitions


def producer(settings: Settings, *, linger_ms: int = 0) -> AIOKafkaProducer:
    """A producer that is not started yet: acks=all, idempotent, lz4, records up to 8 MiB."""
    return AIOKafkaProducer(
        **_connection(settings),
        acks="all",
        enable_idempotence=True,
        compression_type="lz4",
        linger_ms=linger_ms,
        max_batch_size=256 * 1024,
        max_request_size=MAX_REQUEST_BYTES,
    )


def consumer(
    settings: Settings, *topics: str, group: str | None = None, **options: Any
) -> AIOKafkaConsumer:
    """A consumer that is not started yet: from the earliest record, offsets committed by hand.

    ``topics`` are full names (`settings.topic`), ``group`` too (`settings.group`). Without a
    group nothing is committed and partitions are assigned by hand (``consumer.assign``).
    """
    defaults: dict[str, Any] = {
        "group_id": group,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "session_timeout_ms": int(settings.session_timeout_s * 1000),
        "heartbeat_interval_ms": int(settings.session_timeout_s * 1000 / 4),
        "fetch_max_wait_ms": settings.fetch_max_wait_ms,
        "consumer_timeout_ms": LOOKS_MS,
        "max_partition_fetch_bytes": MAX_REQUEST_BYTES,
        "fetch_max_bytes": 6 * MAX_REQUEST_BYTES,
    }
    return AIOKafkaConsumer(*topics, **_connection(settings), **(defaults | options))


async def learn_places(client: AIOKafkaConsumer, names: Collection[str]) -> None:
    """A started ``client``, assigned to nothing, learns at once who leads these topics' partitions.

    Asked for offsets of topics it does not know it learns one topic a try, each a tenth of a second
    after the one before.
    """
    await client._client.set_topics(names)  # aiokafka has no public way but an assignment


def admin(settings: Settings) -> AIOKafkaAdminClient:
    """An admin client that is not started yet."""
    return AIOKafkaAdminClient(**_connection(settings))


@asynccontextmanager
async def running_producer(settings: Settings, **options: Any) -> AsyncIterator[AIOKafkaProducer]:
    """A started producer; at the end everything sent is acknowledged. Raises BrokerUnavailable."""
    client = producer(settings, **options)
    async with _running(client, client.start, client.stop) as started:
        yield started


@asynccontextmanager
async def running_consumer(
    settings: Settings, *topics: str, group: str | None = None, **options: Any
) -> AsyncIterator[AIOKafkaConsumer]:
    """A started consumer, see `consumer`. Raises BrokerUnavailable."""
    client = consumer(settings, *topics, group=group, **options)
    async with _running(client, client.start, client.stop) as started:
        yield started


@asynccontextmanager
async def running_admin(settings: Settings) -> AsyncIterator[AIOKafkaAdminClient]:
    """A started admin client. Raises BrokerUnavailable."""
    client = admin(settings)
    async with _running(client, client.start, client.close) as started:
        yield started


async def answers(settings: Settings, timeout_s: float = 2.0) -> bool:
    """Whether the broker serves requests now."""
    pulse = Pulse(settings)
    try:
        return await pulse.answers(timeout_s)
    finally:
        await pulse.close()


class Pulse:
    """Asks the broker again and again whether it serves requests, over connections that stay."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: AIOKafkaAdminClient | None = None

    async def answers(self, timeout_s: float) -> bool:
        try:
            async with asyncio.timeout(timeout_s):
                if self._client is None:
                    self._client = admin(self._settings)
                    await self._client.start()
                cluster = await self._client.describe_cluster()
        except (*UNAVAILABLE, KafkaError):
            await self.close()
            return False
        return bool(cluster["brokers"])

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(*UNAVAILABLE, KafkaError):
                await client.close()


async def takes_connections(settings: Settings, timeout_s: float = 5.0) -> bool:
    """Whether somebody listens where the broker should be.

    One that does and does not answer is slow, on a busy machine. One that is away refuses.
    """
    for address in settings.bootstrap.split(","):
        host, _, port = address.strip().rpartition(":")
        try:
            async with asyncio.timeout(timeout_s):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
            writer.close()
        except (OSError, TimeoutError, ValueError):
            continue
        return True
    return False


async def create_topics(settings: Settings, specs: Iterable[TopicSpec]) -> list[str]:
    """All topics exist; returns the full names of those that were missing.

    What exists is left as it is: a wrong partition count is found by `check_topics`, a key must
    never move. Raises BrokerUnavailable, TopicsUnfit when the broker refuses one.
    """
    async with running_admin(settings) as client:
        with broker_errors("creating topics"):
            existing = set(await client.list_topics())
            missing = [spec for spec in specs if settings.topic(spec.name) not in existing]
            if not missing:
                return []
            response = await client.create_topics([new_topic(settings, spec) for spec in missing])
            for name, code, *reason in response.topic_errors:
                error = for_code(code)
                if code and error is not TopicAlreadyExistsError:  # another start was faster
                    raise TopicsUnfit(
                        f"The broker refused topic {name} ({error.__name__}"
                        f" {' '.join(str(part) for part in reason)}): see CAIRN_PARTITIONS and"
                        " CAIRN_REPLICATION."
                    )
    names = [settings.topic(spec.name) for spec in missing]
    await _wait_for_leaders(settings, names)
    return names


async def check_topics(settings: Settings, specs: Iterable[TopicSpec]) -> None:
    """Every topic exists with the partition count of the settings.

    A worker calls it before it starts: what is missing then would be ignored for good. Raises
    TopicsUnfit, BrokerUnavailable.
    """
    counts = await partition_counts(settings, [settings.topic(spec.name) for spec in specs])
    for name, count in counts.items():
        if count == 0:
            raise TopicsUnfit(
                f"Topic {name} does not exist on {settings.bootstrap}.", code="topic_missing"
            )
        if count != settings.partitions:
            raise TopicsUnfit(
                f"Topic {name} has {count} partitions, the settings say {settings.partitions}:"
                f" set CAIRN_PARTITIONS={count}, or start a new installation with another"
                " CAIRN_TOPIC_PREFIX (counts are never changed, a key must not move)."
            )


async def partition_counts(settings: Settings, names: Collection[str]) -> dict[str, int]:
    """Partitions of each full topic name; 0 where there is no such topic."""
    async with running_admin(settings) as client:
        with broker_errors("describing topics"):
            described = await client.describe_topics(list(names))
    found = {each["topic"]: each for each in described}
    return {
        name: len(found[name]["partitions"]) if not found[name]["error_code"] else 0
        for name in names
    }


async def delete_topics(settings: Settings, names: Collection[str]) -> None:
    """The topics (full names) are gone. For tests and throw-away copies only."""
    async with running_admin(settings) as client:
        with broker_errors("deleting topics"):
            await client.delete_topics(list(names))


async def read_record(
    settings: Settings, topic: str, partition: int, offset: int
) -> tuple[bytes, bytes] | None:
    """Key and value of the record at this place of a full topic name; None when it is gone.

    Raises BrokerUnavailable.
    """
    place = TopicPartition(topic, partition)
    async with running_consumer(settings) as consumer:
        with broker_errors(f"reading {topic}"):
            await consumer._client.force_metadata_update()
            if partition not in (consumer.partitions_for_topic(topic) or ()):
                return None
            consumer.assign([place])
            first = (await consumer.beginning_offsets([place]))[place]
            if not first <= offset < (await consumer.end_offsets([place]))[place]:
                return None
            consumer.seek(place, offset)
            record = await consumer.getone()
    return (record.key or b"", record.value or b"") if record.offset == offset else None


def _connection(settings: Settings) -> dict[str, Any]:
    security = settings.kafka_security_protocol
    options: dict[str, Any] = {
        "bootstrap_servers": settings.bootstrap,
        "client_id": "cairn",
        "security_protocol": security,
        "request_timeout_ms": int(settings.request_timeout_s * 1000),
    }
    if security.endswith("SSL"):
        options["ssl_context"] = _tls(settings)
    if security.startswith("SASL"):
        options |= {
            "sasl_mechanism": settings.kafka_sasl_mechanism,
            "sasl_plain_username": settings.kafka_sasl_username,
            "sasl_plain_password": settings.sasl_password,
        }
    return options


def _tls(settings: Settings) -> ssl.SSLContext:
    """Whom we trust and who we are. Raises SettingsError where a file cannot be used."""
    try:
        context = ssl.create_default_context(cafile=settings.kafka_ssl_cafile)
        if settings.kafka_ssl_certfile:
            context.load_cert_chain(settings.kafka_ssl_certfile, settings.kafka_ssl_keyfile)
    except OSError as error:  # ssl.SSLError is one
        raise SettingsError(
            f"A certificate for the broker cannot be used ({error}): CAIRN_KAFKA_SSL_CAFILE,"
            " CAIRN_KAFKA_SSL_CERTFILE and CAIRN_KAFKA_SSL_KEYFILE name files in PEM."
        ) from error
    return context


@asynccontextmanager
async def _running(client: Any, start: Any, stop: Any) -> AsyncIterator[Any]:
    try:
        with broker_errors("connecting"):
            await start()
        yield client
    finally:
        with broker_errors("closing"):
            await stop()


def new_topic(settings: Settings, spec: TopicSpec) -> NewTopic:
    """``spec`` as the settings want it made."""
    return NewTopic(
        settings.topic(spec.name),
        num_partitions=settings.partitions,
        replication_factor=settings.replication,
        topic_configs={
            "cleanup.policy": spec.cleanup,
            "retention.ms": str(spec.retention_ms),
            "retention.bytes": "-1",
            "max.message.bytes": str(spec.max_message_bytes + FRAMING_BYTES),
            "min.insync.replicas": str(settings.min_insync_replicas),
        },
    )


async def _wait_for_leaders(settings: Settings, names: Collection[str]) -> None:
    """New topics can be written: a topic that was just made has no leader for a moment."""
    deadline = asyncio.get_running_loop().time() + settings.request_timeout_s
    while 0 in (await partition_counts(settings, names)).values():
        if asyncio.get_running_loop().time() > deadline:
            raise BrokerUnavailable(
                "The broker made the topics but does not serve them: try again."
            )
        await asyncio.sleep(0.05)
