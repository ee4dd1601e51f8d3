"""Which models an Ollama server has. One that cannot be reached has none, and troubles nobody."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from agents.models.configuration import ModelProvider
from agents.models.providers import find_ollama

ANSWERS_WITHIN_S = 2.0


class OllamaModels:
    """The models of a server, asked again after ``ttl_s``; none where that is not allowed."""

    def __init__(
        self,
        *,
        ttl_s: float,
        is_allowed: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ttl_s, self._is_allowed, self._clock = ttl_s, is_allowed, clock
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def list(self, provider: ModelProvider | None) -> tuple[str, ...]:
        """The names of the models, in the order the server gives them."""
        if provider is None or not self._is_allowed:
            return ()
        base = find_ollama(provider)
        until_s, models = self._known.get(base, (0.0, ()))
        if base not in self._known or self._clock() >= until_s:
            models = await _ask(base)
            self._known[base] = (self._clock() + self._ttl_s, models)
        return models


async def _ask(base: str) -> tuple[str, ...]:
    try:
        async with httpx.AsyncClient(timeout=ANSWERS_WITHIN_S) as http:
            answer = await http.get(f"{base}/api/tags")
        answer.raise_for_status()
        return tuple(str(model["name"]) for model in answer.json()["models"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return ()
