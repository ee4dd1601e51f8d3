"""What a run of agents is opened with: its log, and its model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from agents.models.call import ChatModel, ModelAnswer, ModelRequest, StreamPart
from agents.models.errors import AllProvidersFailed
from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from infra.service.foundation.publishing import redactor_of
from infra.service.runs.run_log import Publish

Opened = Callable[[Settings], AbstractAsyncContextManager[Publish]]


def open_facts(settings: Settings) -> AbstractAsyncContextManager[Publish]:
    """The log of a run, open to its events."""
    from connectors.runner import open_publish

    return open_publish(settings, SystemClock(), redactor_of(settings))


class AbsentModel:
    """The model of a run that began with one, where none is configured any more."""

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        raise AllProvidersFailed("No model is configured any more.")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        yield await self.complete(request)


@asynccontextmanager
async def open_run_model(
    settings: Settings, *, has_model: bool, is_replay: bool
) -> AsyncIterator[ChatModel | None]:
    """The model of a run that began with one, also where none is configured any more: what it
    has answered is in the log. None for a run that began without.
    """
    from infra.service.models.models import open_model

    if not has_model or is_replay:
        yield AbsentModel() if has_model else None
        return
    async with open_model(settings) as model:
        yield model or AbsentModel()
