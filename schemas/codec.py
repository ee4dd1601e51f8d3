"""Bytes to envelopes and back, in Avro single-object encoding.

A record is the two marker bytes, the 8-byte CRC-64-AVRO fingerprint of the writer schema, and the
body. The fingerprint leads to the schema file and so to the version the record was written under;
no registry is needed. The only module that imports fastavro.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from typing import Any

import fastavro
from pydantic import ValidationError

from schemas.avro import load_schemas, schema_file
from schemas.envelope import Actor, ActorType, Envelope, Event
from schemas.events import EVENT_TYPES
from schemas.upcasters import UPCASTERS, Upcaster, upcast

MARKER = b"\xc3\x01"
HEADER_BYTES = 10


class InvalidRecord(ValueError):
    """The bytes are no valid event; the message says why and names no content."""


@dataclass(frozen=True)
class Catalog:
    """The events that a reader knows: today's models, and every schema that records may have."""

    events: Mapping[str, type[Event]]
    schemas: Mapping[tuple[str, int], dict[str, Any]]
    upcasters: Mapping[tuple[str, int], Upcaster]

    @cached_property
    def writers(self) -> dict[bytes, tuple[str, int, Any]]:
        """Event type, version and parsed schema by the schema's fingerprint."""
        return {
            fingerprint(schema): (event_type, version, _parse(schema))
            for (event_type, version), schema in self.schemas.items()
        }


@cache
def load_catalog() -> Catalog:
    """Cairn's own events with their schema files."""
    return Catalog(EVENT_TYPES, load_schemas(), UPCASTERS)


def encode(envelope: Envelope) -> bytes:
    """The record value. ``recorded_at`` must be set; a fact without it was never written."""
    if envelope.recorded_at is None:
        raise ValueError(f"{envelope.event.type_name}: recorded_at is missing")
    event = envelope.event
    prefix, schema = _writer(type(event))
    buffer = io.BytesIO()
    buffer.write(prefix)
    fastavro.schemaless_writer(
        buffer,
        schema,
        {
            "event_id": envelope.event_id,
            "event_type": event.type_name,
            "schema_version": event.schema_version,
            "project_id": envelope.project_id,
            "aggregate_id": event.aggregate_id,
            "natural_key": envelope.natural_key,
            "occurred_at": envelope.occurred_at,
            "recorded_at": envelope.recorded_at,
            "causation_id": envelope.causation_id,
            "correlation_id": envelope.correlation_id,
            "actor": {"type": envelope.actor.type, "id": envelope.actor.id},
            "lane": envelope.lane,
            "run_id": envelope.run_id,
            "producer": envelope.producer,
            "payload": event.model_dump(),
        },
    )
    return buffer.getvalue()


def decode(value: bytes, catalog: Catalog | None = None) -> Envelope:
    """The envelope in ``value``, its payload lifted to today's version. Raises InvalidRecord.

    ``catalog`` is that of the released events unless given.
    """
    schema_catalog = catalog or load_catalog()
    if value[:2] != MARKER or len(value) < HEADER_BYTES:
        raise InvalidRecord("not Avro single-object encoding: marker C3 01 is missing")
    writer = schema_catalog.writers.get(value[2:HEADER_BYTES])
    if writer is None:
        raise InvalidRecord(f"unknown writer schema {value[2:HEADER_BYTES].hex()}")
    event_type, version, schema = writer
    model = schema_catalog.events[event_type]
    try:
        fields: Any = fastavro.schemaless_reader(io.BytesIO(value[HEADER_BYTES:]), schema, None)
        payload = upcast(
            event_type, version, model.schema_version, fields["payload"], schema_catalog.upcasters
        )
        event = model.model_validate(payload)
        return Envelope(
            event_id=fields["event_id"],
            project_id=fields["project_id"],
            natural_key=fields["natural_key"],
            occurred_at=fields["occurred_at"],
            event=event,
            recorded_at=fields["recorded_at"],
            causation_id=fields["causation_id"],
            correlation_id=fields["correlation_id"],
            actor=_actor(**fields["actor"]),
            lane=fields["lane"],
            run_id=fields["run_id"],
            producer=fields["producer"],
        )
    except ValidationError as error:
        places = sorted({".".join(map(str, item["loc"])) for item in error.errors()})
        raise InvalidRecord(f"{event_type}: invalid fields {', '.join(places)}") from None
    except Exception as error:
        raise InvalidRecord(f"{event_type}: unreadable body ({type(error).__name__})") from None


def headers(envelope: Envelope) -> list[tuple[str, bytes]]:
    """The record headers: enough to route or skip a record without reading its body."""
    return [
        ("event-type", envelope.event.type_name.encode()),
        ("schema-version", str(envelope.event.schema_version).encode()),
        ("project-id", envelope.project_id.encode()),
        ("correlation-id", envelope.correlation_id.encode()),
    ]


def fingerprint(schema: dict[str, Any]) -> bytes:
    """CRC-64-AVRO of the schema's canonical form, little-endian as the encoding wants it."""
    canonical = fastavro.schema.to_parsing_canonical_form(schema)
    return bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))


@lru_cache(64)
def _actor(type: ActorType, id: str) -> Actor:
    return Actor(type=type, id=id)


@cache
def _writer(event: type[Event]) -> tuple[bytes, Any]:
    schema = load_catalog().schemas.get((event.type_name, event.schema_version))
    if schema is None:
        file = schema_file(event.type_name, event.schema_version)
        raise LookupError(f"schemas/{file} is missing; make it with `python -m schemas.release`")
    return MARKER + fingerprint(schema), _parse(schema)


def _parse(schema: dict[str, Any]) -> Any:
    """The schema as fastavro wants it; it changes what it is given, so it gets a copy."""
    return fastavro.parse_schema(json.loads(json.dumps(schema)))


def utc_millis(at: datetime) -> datetime:
    """``at`` cut to milliseconds, the precision of the log."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
