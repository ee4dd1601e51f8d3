"""Old payloads to new ones: how a fact written under an earlier schema version is read today.

An up-caster takes the payload of version n as a plain dict and returns that of version n + 1. The
codec applies them in a row until the current version. A version that only adds fields with defaults
has an up-caster that returns what it is given. Released bytes and schema files are never edited.
``tests/schemas/test_upcasting.py`` shows the whole way with an event of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Payload = dict[str, Any]
Upcaster = Callable[[Payload], Payload]


def keep(payload: Payload) -> Payload:
    """The next version only adds fields with defaults."""
    return payload


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {  # by event type and version
    ("agent.confirmation_requested", 1): keep,
    ("agent.request_received", 1): keep,
    ("ledger.changed", 1): keep,
}


def upcast(
    event_type: str,
    version: int,
    target: int,
    payload: Payload,
    upcasters: Mapping[tuple[str, int], Upcaster],
) -> Payload:
    """The payload as version ``target``. Raises KeyError when a step is missing."""
    while version < target:
        payload = upcasters[event_type, version](payload)
        version += 1
    return payload
