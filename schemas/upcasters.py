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


def with_defaults(payload: Payload) -> Payload:
    """For a version that only added fields with defaults: a new field says nothing of old facts."""
    return payload


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("project.created", 1): project_created_v2,
    ("artifact.changed", 1): with_defaults,
    ("artifact.version_published", 1): with_defaults,
    ("artifact.state_changed", 1): with_defaults,
    ("artifact.rejected", 1): with_defaults,
    ("artifact.latest_set", 1): with_defaults,
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
