"""Reads fields of a service's JSON with their types, or refuses the payload.

An error names the field and never its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from connectors.connector import SourceUnavailable

Payload = Mapping[str, Any]
NOTHING: Payload = {}


class UnreadablePayload(ValueError):
    """A payload differs from the service's documentation; the message names only a field."""


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turns an unreadable payload into SourceUnavailable for ``what``, without its content."""
    try:
        yield
    except UnreadablePayload as error:
        raise SourceUnavailable(f"{what} cannot be read: {error}.") from None


def part(payload: Payload, name: str) -> Payload:
    """The object under ``name``; an empty one when it is absent or null."""
    value = payload.get(name)
    if value is None:
        return NOTHING
    if not isinstance(value, Mapping):
        raise UnreadablePayload(f"{name} is no object")
    return value


def parts(payload: Payload, name: str) -> list[Payload]:
    """The objects of the list under ``name``; empty when it is absent or null."""
    value = payload.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(it, Mapping) for it in value):
        raise UnreadablePayload(f"{name} is no list of objects")
    return value


def rows(answer: Any, name: str, service: str) -> list[Any]:
    """The list under ``name`` of an answer, whatever it holds: each record is read by itself.

    Raises SourceUnavailable.
    """
    items = (answer.get(name) or []) if isinstance(answer, Mapping) else None
    if not isinstance(items, list):
        raise SourceUnavailable(f"{service} did not answer with a list.")
    return items


def text(payload: Payload, name: str) -> str:
    """The string under ``name``; empty when it is absent or null."""
    value = payload.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadablePayload(f"{name} is no text")
    return value


def required_text(payload: Payload, name: str) -> str:
    """The string or number under ``name``, as text. Raises UnreadablePayload when it is empty."""
    value = payload.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise UnreadablePayload(f"{name} is missing")
    return str(value)


def time(payload: Payload, name: str) -> datetime:
    """The time under ``name`` in UTC. Raises UnreadablePayload without one or without its zone."""
    try:
        at = datetime.fromisoformat(required_text(payload, name))
        in_utc = at.astimezone(UTC)
    except (ValueError, OverflowError) as error:  # in UTC the year may be out of range
        raise UnreadablePayload(f"{name} is no time") from error
    if at.tzinfo is None:
        raise UnreadablePayload(f"{name} has no zone")
    return in_utc


def known_time(payload: Payload, name: str, flaws: list[str]) -> datetime | None:
    """The time under ``name``; None with a flaw where none can be read."""
    try:
        return time(payload, name)
    except UnreadablePayload as error:
        flaws.append(str(error))
        return None
