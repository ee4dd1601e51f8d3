"""Say what broker and database of others lack for Cairn, before anything is written there."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError, for_code

from infra.platform import broker_facts, kafka
from infra.platform.broker_facts import ClusterFacts, TopicFacts
from infra.platform.errors import BrokerUnavailable
from infra.platform.kafka import FRAMING_BYTES
from infra.platform.settings import Settings
from infra.service.upkeep.rights import MAKES_TOPICS, Right, rights_of
from infra.store.database_check import check_database
from schemas.topics import BY_NAME, TOPICS, Topic

UNKNOWN_TOPIC, FORBIDDEN_TOPIC = 3, 29
MOST_SECONDS_APART = 5.0
PRODUCE, LEAST_PRODUCE = 0, 7  # without the records' format of Kafka 2.1 nothing can be sent

Standing = Literal["ok", "warning", "missing"]


@dataclass(frozen=True, slots=True)
class Remark:
    """One line: what was looked at, how it stands, and what to do."""

    about: str
    standing: Standing
    sentence: str


def check_cluster(settings: Settings, processes: Collection[str]) -> list[Remark]:
    """What broker and database lack for an account that runs ``processes`` (of `rights.PARTS`)."""
    remarks = asyncio.run(_check_broker(settings, processes))
    told = [Remark(*each) for each in check_database(settings.conninfo, MOST_SECONDS_APART)]
    return [*remarks, *told]


async def _check_broker(settings: Settings, processes: Collection[str]) -> list[Remark]:
    remarks = list(_check_way(settings))
    names = [settings.topic(topic.name) for topic in TOPICS]
    try:
        async with kafka.running_admin(settings) as client:
            with kafka.broker_errors("asking what it holds"):
                facts = await broker_facts.ask_cluster(client, names)
                remarks += _check_brokers(settings, facts)
                remarks += await _check_version(client)
                remarks.append(await _check_clock(client))
                remarks += await _check_topics(settings, client, facts, MAKES_TOPICS in processes)
                for right in rights_of(settings, processes):
                    remarks += await _check_right(client, right, facts)
    except BrokerUnavailable as error:
        remarks.append(Remark("broker", "missing", _why_away(settings, str(error))))
    except (KafkaError, NotImplementedError) as error:
        sentence = f"The broker refused ({type(error).__name__}: {error}): see its log."
        remarks.append(Remark("broker", "missing", sentence))
    except ssl.SSLError as error:
        sentence = f"TLS failed ({error}): see CAIRN_KAFKA_SSL_CAFILE and the two files with it."
        remarks.append(Remark("broker TLS", "missing", sentence))
    return remarks


def _why_away(settings: Settings, reason: str) -> str:
    security = settings.kafka_security_protocol
    look = ["CAIRN_KAFKA_BOOTSTRAP"]
    if security.endswith("SSL"):
        look.append("CAIRN_KAFKA_SSL_CAFILE, which must name who signed the broker's certificate")
    if security.startswith("SASL"):
        look.append("CAIRN_KAFKA_SASL_MECHANISM, user and password")
    else:
        look.append("CAIRN_KAFKA_SECURITY_PROTOCOL, now " + security)
    return f"{reason} Look at {'; '.join(look)}; the broker's log says more."


def _check_way(settings: Settings) -> Iterator[Remark]:
    security = settings.kafka_security_protocol
    if security.endswith("SSL"):
        yield Remark("broker TLS", "ok", f"The way to the broker is encrypted ({security}).")
    else:
        sentence = f"The way to the broker is in clear ({security}): use SASL_SSL between machines."
        yield Remark("broker TLS", "warning", sentence)


def _check_brokers(settings: Settings, facts: ClusterFacts) -> Iterator[Remark]:
    if facts.brokers < settings.replication:
        yield Remark(
            "brokers",
            "missing",
            f"{facts.brokers} run, and CAIRN_REPLICATION is {settings.replication}: start more,"
            " or lower it.",
        )
    elif settings.replication < 3 or settings.min_insync_replicas < 2:
        yield Remark(
            "brokers",
            "warning",
            f"With CAIRN_REPLICATION={settings.replication} and CAIRN_MIN_INSYNC_REPLICAS="
            f"{settings.min_insync_replicas} a lost broker may lose records: use 3 and 2.",
        )
    else:
        yield Remark("brokers", "ok", f"{facts.brokers} run.")


async def _check_version(client: AIOKafkaAdminClient) -> list[Remark]:
    takes = await broker_facts.ask_versions(client)
    if takes.get(PRODUCE, 0) < LEAST_PRODUCE or takes.get(broker_facts.METADATA, 0) < 8:
        return [
            Remark("broker version", "missing", "It is older than Kafka 2.3: use 4.0 or newer.")
        ]
    if broker_facts.QUORUM not in takes:
        sentence = "It is older than Kafka 3.3 or has no KRaft; Cairn was tried with 4.1."
        return [Remark("broker version", "warning", sentence)]
    return [Remark("broker version", "ok", "It takes all requests that Cairn sends.")]


async def _check_clock(client: AIOKafkaAdminClient) -> Remark:
    before = time.time()
    told = await broker_facts.ask_clock(client)
    if told is None:
        sentence = "The broker does not tell it: grant Describe on the cluster, or compare by hand."
        return Remark("broker clock", "warning", sentence)
    apart = told / 1000 - (before + time.time()) / 2
    if abs(apart) > MOST_SECONDS_APART:
        sentence = f"It is {apart:+.1f} s from the clock here: synchronise both (NTP)."
        return Remark("broker clock", "missing", sentence)
    return Remark("broker clock", "ok", f"It is {apart:+.1f} s from the clock here.")


async def _check_topics(
    settings: Settings, client: AIOKafkaAdminClient, facts: ClusterFacts, may_make: bool
) -> list[Remark]:
    there = {
        topic.name: facts.topics[settings.topic(topic.name)]
        for topic in TOPICS
        if not facts.topics[settings.topic(topic.name)].error
    }
    names = [settings.topic(name) for name in there]
    config = await broker_facts.ask_settings(client, names)
    remarks = []
    for name, found in there.items():
        full = settings.topic(name)
        wrong = [
            *_count_faults(settings, found),
            *_setting_faults(settings, name, config.get(full)),
        ]
        if wrong:
            remarks.append(Remark(f"topic {full}", "missing", " ".join(wrong)))
    absent = [
        BY_NAME[topic.name]
        for topic in TOPICS
        if facts.topics[settings.topic(topic.name)].error == UNKNOWN_TOPIC
    ]
    remarks += await _check_absent(settings, client, absent, may_make)
    hidden = [name for name, each in facts.topics.items() if each.error == FORBIDDEN_TOPIC]
    if hidden:
        sentence = f"{len(hidden)} cannot be seen: grant Describe on {settings.topic('')}*."
        remarks.append(Remark("topics", "missing", sentence))
    return remarks or [Remark("topics", "ok", f"All {len(there)} are as the settings say.")]


def _count_faults(settings: Settings, found: TopicFacts) -> Iterator[str]:
    if found.partitions != settings.partitions:
        yield (
            f"It has {found.partitions} partitions, the settings say {settings.partitions}: set"
            f" CAIRN_PARTITIONS={found.partitions}, or take another CAIRN_TOPIC_PREFIX."
        )
    if found.copies < settings.replication:
        yield (
            f"It has {found.copies} copies, the settings say {settings.replication}: give it more"
            " with kafka-reassign-partitions.sh, or lower CAIRN_REPLICATION."
        )


def _setting_faults(settings: Settings, name: str, config: dict[str, str] | None) -> Iterator[str]:
    if config is None:
        yield "Its settings cannot be seen: grant DescribeConfigs on it."
        return
    topic = BY_NAME[name]
    wanted = {
        "cleanup.policy": topic.cleanup,
        "retention.ms": str(topic.retention_ms),
        "min.insync.replicas": str(settings.min_insync_replicas),
    }
    for key, value in wanted.items():
        if config.get(key, value) != value:
            yield f"{key} is {config[key]}: set {value} with kafka-configs.sh."
    least = topic.max_message_bytes + FRAMING_BYTES
    if int(config.get("max.message.bytes", least)) < least:
        yield f"max.message.bytes is {config['max.message.bytes']}: set {least}."


async def _check_absent(
    settings: Settings, client: AIOKafkaAdminClient, absent: list[Topic], may_make: bool
) -> list[Remark]:
    """Topics that are to be made: whether they could be, which the broker is asked only."""
    if not absent:
        return []
    count = f"{len(absent)} of {len(TOPICS)} do not exist"
    if not may_make:
        sentence = f"{count}: start the service first, with an account that may create them."
        return [Remark("topics", "missing", sentence)]
    asked = [kafka.new_topic(settings, topic) for topic in absent]
    answer = await client.create_topics(asked, validate_only=True)
    refused: dict[str, str] = {}
    for name, code, *reason in answer.topic_errors:
        if code:
            refused.setdefault(f"{for_code(code).__name__} {' '.join(map(str, reason))}", name)
    if not refused:
        return [Remark("topics", "ok", f"{count}; the first start can make them.")]
    return [
        Remark(
            f"topic {name}",
            "missing",
            f"It cannot be made ({why}): grant Create on {settings.topic('')}*, and see"
            " CAIRN_REPLICATION and CAIRN_MIN_INSYNC_REPLICAS.",
        )
        for why, name in refused.items()
    ]


async def _check_right(
    client: AIOKafkaAdminClient, right: Right, facts: ClusterFacts
) -> list[Remark]:
    """What the account may not do. Topics that do not exist tell nothing of it."""
    missing: dict[str, list[str]] = {}
    if right.kind == "cluster":
        missing["the cluster"] = [it for it in right.operations if it not in facts.operations]
    elif right.kind == "group" and not right.prefixed:
        allowed = await broker_facts.ask_group(client, right.name)
        missing[f"group {right.name}"] = [it for it in right.operations if it not in allowed]
    elif right.kind == "topic" and "Create" not in right.operations:
        for name, found in facts.topics.items():
            is_meant = name == right.name or (right.prefixed and name.startswith(right.name))
            if is_meant and not found.error:
                lacking = [it for it in right.operations if it not in found.operations]
                missing[f"topic {name}"] = lacking
    return [
        Remark(
            about, "missing", f"The account lacks {', '.join(each)}: grant it with kafka-acls.sh."
        )
        for about, each in missing.items()
        if each
    ]
