"""What the contract tests need of every service: a server, people who change it, and its truth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from connectors.sync import Stream
from tests.connectors.memory_broker import MemoryBroker


class Stand(Protocol):
    """One project of a service at a stand-in server that runs.

    Items are named by handles of the stand's own. ``before_each`` is called before every answer.
    """

    service: str
    before_each: Callable[[], None]

    def streams(self, broker: MemoryBroker, page_size: int) -> list[Stream]:
        """Every stream, as for a new sync; titles are found in what ``broker`` holds."""
        ...

    def create(self, text: str) -> str: ...

    def reply(self, handle: str, text: str) -> str:
        """Something is said about an item, perhaps long after it."""
        ...

    def edit(self, handle: str, text: str) -> None: ...

    def delete(self, handle: str) -> None: ...

    def wait(self, seconds: int) -> None: ...

    def fail(self, status: int, headers: Mapping[str, str], times: int) -> None:
        """The next answers are this status; 0 closes the connection without one."""
        ...

    def deny(self) -> None:
        """From now on our credential may not read what it could."""
        ...

    def revoke(self) -> None:
        """From now on our credential is none."""
        ...

    def conditional(self) -> Collection[bool] | None:
        """Whether each request since the last call was conditional; None where there is no such."""
        ...

    def standing(self) -> dict[str, bytes]:
        """What should be held: each item's text by source."""
        ...


MakeStand = Callable[[], AbstractAsyncContextManager[Stand]]
