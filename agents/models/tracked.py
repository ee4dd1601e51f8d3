"""The only way to a model: the loop over providers, with a watch that sees every call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager

from agents.models.attempt import Providers
from agents.models.call import ModelAnswer, ModelRequest, StreamPart
from agents.models.chain import TIMEOUT_S, ask_model, stream_model
from agents.models.configuration import ModelConfiguration
from agents.models.watch import CallWatch


class TrackedChatModel:
    """Answers requests, see ``ChatModel``. ``read`` is asked for each: the providers may change.

    ``timeout_s`` is that of each call of a provider.
    """

    def __init__(
        self,
        read: Callable[[], ModelConfiguration],
        providers: Providers,
        watch: CallWatch,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._read, self._providers, self._watch = read, providers, watch
        self._timeout_s = timeout_s
        self._running, self._is_idle = 0, asyncio.Event()
        self._is_idle.set()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        with self._counted():
            return await ask_model(
                request,
                self._read(),
                self._providers,
                self._watch,
                timeout_s=self._timeout_s,
            )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        with self._counted():
            stream = stream_model(
                request,
                self._read(),
                self._providers,
                self._watch,
                timeout_s=self._timeout_s,
            )
            async with aclosing(stream) as parts:
                async for part in parts:
                    yield part

    async def drain(self) -> None:
        """Return when no request is under way."""
        await self._is_idle.wait()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._running += 1
        self._is_idle.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._is_idle.set()
