"""Old payloads to new ones: how a fact written under an earlier schema version is read today.

An up-caster takes the payload of version n as a plain dict and returns that of version n + 1.
Codecs apply them in a row until the current version. Released bytes and schemas are never edited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Payload = dict[str, Any]
Upcaster = Callable[[Payload], Payload]


def project_created_v2(payload: Payload) -> Payload:
    """Version 1 called the name ``title`` and knew neither vision nor time zone."""
    name = payload["title"]
    return {"name": name, "description": payload["description"], "vision": "", "timezone": "UTC"}


def unchanged(payload: Payload) -> Payload:
    """The next version only adds fields that have defaults."""
    return payload


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("project.created", 1): project_created_v2,
    ("atom.candidates_extracted", 1): unchanged,
    ("atom.reflected", 1): unchanged,
    ("ledger.changed", 1): unchanged,
    ("ledger.changed", 2): unchanged,
    ("chunk.created", 1): unchanged,
    ("chunk.created", 2): unchanged,
    ("source.processed", 1): unchanged,
    ("source.processed", 2): unchanged,
    ("ingestion.source_ready", 1): unchanged,
    ("ingestion.source_ready", 2): unchanged,
    ("ingestion.batch_planned", 1): unchanged,
    ("ingestion.run_started", 1): unchanged,
    ("ingestion.batch_committed", 1): unchanged,
    ("ingestion.run_stopped", 1): unchanged,
    ("artifact.changed", 1): unchanged,
    ("artifact.changed", 2): unchanged,
    ("artifact.version_published", 1): unchanged,
    ("artifact.state_changed", 1): unchanged,
    ("artifact.rejected", 1): unchanged,
    ("artifact.latest_set", 1): unchanged,
}


def upcast(
    event_type: str,
    version: int,
    target: int,
    payload: Payload,
    upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> Payload:
    """The payload as version ``target``. Raises KeyError when a step is missing."""
    while version < target:
        payload = upcasters[event_type, version](payload)
        version += 1
    return payload
