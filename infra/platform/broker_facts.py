"""What a broker tells of itself and of what an account may do; nothing is written.

aiokafka lacks these versions of the requests, which alone tell of rights and of the broker's clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    GroupAuthorizationFailedError,
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    KafkaError,
)
from aiokafka.protocol.admin import ApiVersionRequest
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    Array,
    Boolean,
    Bytes,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Int64,
    Schema,
    String,
    TaggedFields,
)

OPERATIONS = {3: "Read", 4: "Write", 5: "Create", 8: "Describe", 10: "DescribeConfigs"}
TEXT = String("utf-8")
SETTINGS_OF_TOPICS = ("cleanup.policy", "retention.ms", "max.message.bytes", "min.insync.replicas")
METADATA, GROUPS, QUORUM = 3, 15, 55
COORDINATOR_TRIES, COORDINATOR_PAUSE_S = 40, 0.5
NOT_READY = (14, 15, 16)  # a broker that never had groups makes itself ready for them first


class MetadataResponse(Response):
    API_KEY = METADATA
    API_VERSION = 8
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("brokers", Array(("node_id", Int32), ("host", TEXT), ("port", Int32), ("rack", TEXT))),
        ("cluster_id", TEXT),
        ("controller_id", Int32),
        (
            "topics",
            Array(
                ("error_code", Int16),
                ("topic", TEXT),
                ("is_internal", Boolean),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", Array(Int32)),
                        ("isr", Array(Int32)),
                        ("offline_replicas", Array(Int32)),
                    ),
                ),
                ("authorized_operations", Int32),
            ),
        ),
        ("cluster_authorized_operations", Int32),
    )


class MetadataStruct(RequestStruct):
    API_KEY = METADATA
    API_VERSION = 8
    RESPONSE_TYPE = MetadataResponse
    SCHEMA = Schema(
        ("topics", Array(TEXT)),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_authorized_operations", Boolean),
        ("include_topic_authorized_operations", Boolean),
    )


class GroupsResponse(Response):
    API_KEY = GROUPS
    API_VERSION = 3
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "groups",
            Array(
                ("error_code", Int16),
                ("group", TEXT),
                ("state", TEXT),
                ("protocol_type", TEXT),
                ("protocol", TEXT),
                (
                    "members",
                    Array(
                        ("member_id", TEXT),
                        ("client_id", TEXT),
                        ("client_host", TEXT),
                        ("metadata", Bytes),
                        ("assignment", Bytes),
                    ),
                ),
                ("authorized_operations", Int32),
            ),
        ),
    )


class GroupsStruct(RequestStruct):
    API_KEY = GROUPS
    API_VERSION = 3
    RESPONSE_TYPE = GroupsResponse
    SCHEMA = Schema(("groups", Array(TEXT)), ("include_authorized_operations", Boolean))


class QuorumResponse(Response):
    API_KEY = QUORUM
    API_VERSION = 1
    REPLICAS: ClassVar[CompactArray] = CompactArray(
        ("replica_id", Int32),
        ("log_end_offset", Int64),
        ("last_fetch_timestamp", Int64),
        ("last_caught_up_timestamp", Int64),
        ("tags", TaggedFields),
    )
    SCHEMA = Schema(
        ("error_code", Int16),
        (
            "topics",
            CompactArray(
                ("topic", CompactString("utf-8")),
                (
                    "partitions",
                    CompactArray(
                        ("partition", Int32),
                        ("error_code", Int16),
                        ("leader_id", Int32),
                        ("leader_epoch", Int32),
                        ("high_watermark", Int64),
                        ("current_voters", REPLICAS),
                        ("observers", REPLICAS),
                        ("tags", TaggedFields),
                    ),
                ),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class QuorumStruct(RequestStruct):
    FLEXIBLE_VERSION = True
    API_KEY = QUORUM
    API_VERSION = 1
    RESPONSE_TYPE = QuorumResponse
    SCHEMA = Schema(
        (
            "topics",
            CompactArray(
                ("topic", CompactString("utf-8")),
                ("partitions", CompactArray(("partition", Int32), ("tags", TaggedFields))),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class MetadataQuestion(Request[MetadataStruct]):
    API_KEY = METADATA

    def __init__(self, topics: Collection[str]) -> None:
        self._topics = list(topics)

    def build(self, request_struct_class: type[MetadataStruct]) -> MetadataStruct:
        return request_struct_class(self._topics, False, True, True)


class GroupsQuestion(Request[GroupsStruct]):
    API_KEY = GROUPS

    def __init__(self, group: str) -> None:
        self._group = group

    def build(self, request_struct_class: type[GroupsStruct]) -> GroupsStruct:
        return request_struct_class([self._group], True)


class QuorumQuestion(Request[QuorumStruct]):
    API_KEY = QUORUM

    def build(self, request_struct_class: type[QuorumStruct]) -> QuorumStruct:
        return request_struct_class([("__cluster_metadata", [(0, {})], {})], {})


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """What the broker tells of a topic; ``error`` is Kafka's code, 3: there is none."""

    error: int
    partitions: int
    copies: int
    operations: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """Brokers of a cluster, its topics, and what the account may do with the cluster itself."""

    brokers: int
    topics: Mapping[str, TopicFacts]
    operations: frozenset[str]


async def ask_cluster(client: AIOKafkaAdminClient, topics: Collection[str]) -> ClusterFacts:
    """Raises KafkaError, and NotImplementedError where the broker is older than 2.3."""
    found: Any = await client._send_request(MetadataQuestion(topics))
    by_name = {
        row["topic"]: TopicFacts(
            row["error_code"],
            len(row["partitions"]),
            min((len(part["replicas"]) for part in row["partitions"]), default=0),
            _operations(row["authorized_operations"]),
        )
        for row in found.to_object()["topics"]
    }
    return ClusterFacts(
        len(found.brokers), by_name, _operations(found.cluster_authorized_operations)
    )


async def ask_settings(
    client: AIOKafkaAdminClient, topics: Collection[str]
) -> dict[str, dict[str, str]]:
    """The settings of each topic that the account may see."""
    asked = [
        ConfigResource(ConfigResourceType.TOPIC, name, configs=dict.fromkeys(SETTINGS_OF_TOPICS))
        for name in topics
    ]
    found: dict[str, dict[str, str]] = {}
    for answer in await client.describe_configs(asked) if asked else ():
        for row in answer.to_object()["resources"]:
            if not row["error_code"]:
                entries = {e["config_names"]: e["config_value"] for e in row["config_entries"]}
                found[row["resource_name"]] = entries
    return found


async def ask_group(client: AIOKafkaAdminClient, group: str) -> frozenset[str]:
    """What the account may do with a consumer group, which need not exist. Raises KafkaError."""
    for _ in range(COORDINATOR_TRIES):
        try:
            node = await client.find_coordinator(group)
        except GroupAuthorizationFailedError:
            return frozenset()
        except (GroupCoordinatorNotAvailableError, GroupLoadInProgressError):
            await asyncio.sleep(COORDINATOR_PAUSE_S)
            continue
        found: Any = await client._send_request_to_node(node, GroupsQuestion(group))
        (told,) = found.to_object()["groups"]
        if told["error_code"] not in NOT_READY:
            return _operations(told["authorized_operations"])
        await asyncio.sleep(COORDINATOR_PAUSE_S)
    raise GroupCoordinatorNotAvailableError(f"No broker looks after {group} yet.")


async def ask_clock(client: AIOKafkaAdminClient) -> int | None:
    """Milliseconds of the controller's clock; None where the broker or the account cannot tell."""
    try:
        found: Any = await client._send_request(QuorumQuestion())
        part = found.to_object()["topics"][0]["partitions"][0]
        (leader,) = [
            row for row in part["current_voters"] if row["replica_id"] == part["leader_id"]
        ]
        told = int(leader["last_caught_up_timestamp"])
    except (KafkaError, NotImplementedError, LookupError, ValueError):
        return None
    return told if told > 0 else None


async def ask_versions(client: AIOKafkaAdminClient) -> dict[int, int]:
    """The highest version of each request that a broker takes, by the key of the request."""
    found: Any = await client._send_request(ApiVersionRequest())
    return {row[0]: row[2] for row in found.api_versions}


def _operations(bits: int) -> frozenset[str]:
    if bits < 0:  # the broker was not asked, or does not tell
        return frozenset()
    return frozenset(name for code, name in OPERATIONS.items() if bits >> code & 1)
