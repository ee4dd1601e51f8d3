"""The topic table: what is on each topic, by what key, for how long, who writes and who reads.

The table is ``topics.toml``. Names are without the installation's prefix; ``Settings.topic`` adds
it. Everything else that knows topics (creation, workers, checks, the AsyncAPI document, the list in
TOPICS.md) follows this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from schemas.data_files import read_table
from schemas.envelope import Envelope
from schemas.events.artifact import (
    ArtifactEdited,
    ChangeRefused,
    SectionGenerated,
    SpeculationEnded,
    StateChanged,
    VersionPublished,
    VersionRejected,
)

FOREVER_MS = -1
DAY_MS = 24 * 60 * 60 * 1000
RECORD_BYTES = 1024 * 1024
WHOLE_RECORD_BYTES = 8 * 1024 * 1024

KeyFamily = Literal[
    "project_id",
    "source_id",
    "artifact_id",
    "job_id",
    "key_id",
    "pipeline_id",
    "stream_id",
    "conversation_id",
    "workflow_id",
    "outside",
    "origin",
]


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. ``retention_ms`` -1: for ever; ``internal``: not for other systems."""

    name: str
    key: KeyFamily
    events: tuple[str, ...]
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    cleanup: Literal["delete", "compact"] = "delete"
    retention_ms: int = FOREVER_MS
    max_message_bytes: int = RECORD_BYTES
    internal: bool = False


OF_ITS_TYPE = (
    VersionPublished,
    StateChanged,
    VersionRejected,
    SectionGenerated,
    SpeculationEnded,
    ArtifactEdited,
    ChangeRefused,
)


def _topic(row: dict[str, Any]) -> Topic:
    lists = {name: tuple(row[name]) for name in ("events", "producers", "consumers")}
    days, is_whole = row.pop("retention_days", None), row.pop("whole_records", False)
    limits = {
        "retention_ms": FOREVER_MS if days is None else days * DAY_MS,
        "max_message_bytes": WHOLE_RECORD_BYTES if is_whole else RECORD_BYTES,
    }
    return Topic(**(row | lists | limits))


TOPICS: tuple[Topic, ...] = tuple(
    _topic(row) for row in read_table(__package__, "topics.toml")["topic"]
)
BY_NAME: dict[str, Topic] = {topic.name: topic for topic in TOPICS}


def is_kept_whole(name: str) -> bool:
    """Whether the topic keeps every record for ever, so that a missing one means a loss."""
    topic = BY_NAME[name]
    return topic.cleanup == "delete" and topic.retention_ms == FOREVER_MS


def topic_of(envelope: Envelope) -> Topic:
    """The topic of a fact: an extraction request goes to the topic of its lane, a fact about one
    artifact to the topic of the artifact's type.
    """
    event = envelope.event
    if event.type_name == "extract.requested":
        return BY_NAME[f"extract.{envelope.lane}.v1"]
    if isinstance(event, OF_ITS_TYPE):
        return BY_NAME[f"artifact.{event.artifact_type.replace('_', '-')}.v1"]
    return BY_NAME[event.topic]


def key_of(envelope: Envelope) -> str:
    """The record key. All facts with one key have one writer and keep their order."""
    match topic_of(envelope).key:
        case "project_id":
            return envelope.project_id
        case "source_id":
            event = envelope.event
            return str(getattr(event, "source_id", None) or event.aggregate_id)
        case _:
            return envelope.event.aggregate_id
