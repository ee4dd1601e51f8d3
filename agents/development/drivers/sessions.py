"""Conversations of the `api` driver, by the id of their session.

The servers that it asks hold none, so the driver does: a list of messages as they are sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Messages = Sequence[Mapping[str, Any]]


class Sessions(Protocol):
    async def load(self, session_id: str) -> Messages | None:
        """The messages of a session; None where there is no such session."""
        ...

    async def save(self, session_id: str, messages: Messages) -> None: ...


class MemorySessions:
    """Sessions that end with their process."""

    def __init__(self) -> None:
        self._messages: dict[str, Messages] = {}

    async def load(self, session_id: str) -> Messages | None:
        return self._messages.get(session_id)

    async def save(self, session_id: str, messages: Messages) -> None:
        self._messages[session_id] = tuple(messages)
