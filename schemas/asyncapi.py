"""The AsyncAPI document of the topics, made from the topic table; a test holds file and table
equal.
"""

from __future__ import annotations

from typing import Any

from schemas.avro import doc_line, schema_file
from schemas.events import EVENT_TYPES
from schemas.topics import TOPICS, Topic


def asyncapi_document() -> dict[str, Any]:
    """AsyncAPI 3.0: one channel a topic, one message an event type, schemas by file."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Cairn events",
            "version": "1.0.0",
            "license": {"name": "Apache-2.0"},
            "description": (
                "Record values are Avro in single-object encoding; the writer schema is found by "
                "its CRC-64-AVRO fingerprint among the files named here. Topic names carry the "
                "installation's prefix (default `cairn`)."
            ),
        },
        "defaultContentType": "application/avro",
        "channels": {topic.name: _channel(topic) for topic in TOPICS},
        "operations": {
            f"receive {topic.name}": {
                "action": "receive",
                "channel": {"$ref": f"#/channels/{_pointer(topic.name)}"},
            }
            for topic in TOPICS
            if not topic.internal
        },
        "components": {"messages": {name: _message(name) for name in EVENT_TYPES}},
    }


def _channel(topic: Topic) -> dict[str, Any]:
    return {
        "address": f"{{prefix}}.{topic.name}",
        "parameters": {"prefix": {"default": "cairn"}},
        "messages": {
            name: {"$ref": f"#/components/messages/{_pointer(name)}"} for name in topic.events
        },
        "bindings": {
            "kafka": {
                "topicConfiguration": {
                    "cleanup.policy": [topic.cleanup],
                    "retention.ms": topic.retention_ms,
                    "max.message.bytes": topic.max_message_bytes,
                },
                "bindingVersion": "0.5.0",
            }
        },
        "x-key": topic.key,
        "x-internal": topic.internal,
        "x-producers": list(topic.producers),
        "x-consumers": list(topic.consumers),
    }


def _message(event_type: str) -> dict[str, Any]:
    event = EVENT_TYPES[event_type]
    return {
        "name": event_type,
        "summary": doc_line(event),
        "contentType": "application/avro",
        "payload": {
            "schemaFormat": "application/vnd.apache.avro;version=1.12.0",
            "schema": {"$ref": schema_file(event_type, event.schema_version)},
        },
    }


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
