"""A model for processes that outlive a configuration: opened by the first call that finds one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

from agents.models.call import ChatModel, ModelAnswer, ModelRequest, StreamPart
from agents.models.errors import AllProvidersFailed
from infra.platform.errors import Forbidden, Invalid
from infra.platform.settings import Settings


class LateModel:
    """See ``ChatModel``. While no provider is configured all calls raise AllProvidersFailed."""

    def __init__(self, settings: Settings, stack: AsyncExitStack) -> None:
        self._settings, self._stack = settings, stack
        self._opened: ChatModel | None = None
        self._lock = asyncio.Lock()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await (await self._open()).complete(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        model = await self._open()
        async with aclosing(model.stream(request)) as parts:
            async for part in parts:
                yield part

    async def _open(self) -> ChatModel:
        async with self._lock:
            if self._opened is None:
                self._opened = await self._open_configured()
            if self._opened is None:
                raise AllProvidersFailed("No model provider is configured.")
            return self._opened

    async def _open_configured(self) -> ChatModel | None:
        # Here, since each process of the stream starts with this module, and few ever ask.
        from infra.service.models.models import has_model, open_model

        try:
            if not has_model(self._settings):
                return None
            return await self._stack.enter_async_context(open_model(self._settings))
        except (Forbidden, Invalid) as error:
            raise AllProvidersFailed(str(error)) from error


@asynccontextmanager
async def open_late_model(settings: Settings) -> AsyncIterator[LateModel]:
    """The model for the block, whenever one is configured."""
    async with AsyncExitStack() as stack:
        yield LateModel(settings, stack)
