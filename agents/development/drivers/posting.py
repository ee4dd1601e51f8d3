"""HTTP as the `api` driver needs it; the application layer implements the port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """``headers`` by their names in small letters."""

    status: int
    headers: Mapping[str, str]
    body: str


class HttpFailed(Exception):
    """``connection``: it did not get there. ``timeout``: no byte came for too long. ``cut``: it got
    there, and the answer broke off.
    """

    def __init__(self, kind: Literal["connection", "timeout", "cut"], message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Http(Protocol):
    async def post(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> HttpAnswer:
        """The whole answer to ``body`` as JSON, whatever its status. Raises HttpFailed."""
        ...
