"""Asks scripted providers through the worker and the loop over providers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from agents.models.call import Message, ModelAnswer, ModelRequest, StreamPart
from agents.models.chain import ask_model, stream_model
from agents.models.configuration import ModelConfiguration
from agents.models.patience import Clock
from infra.service.models.file import read_models
from tests.models.book import Book
from tests.models.provider import Script, ScriptedProvider, scripted_provider
from tests.models.worker import ModelWorker

COLOR = {
    "type": "object",
    "properties": {"color": {"type": "string", "enum": ["blue", "red"]}},
    "required": ["color"],
    "additionalProperties": False,
}


def request(**given: Any) -> ModelRequest:
    plain = {
        "tier": "standard",
        "prompt_version": "1",
        "messages": (Message(role="user", content="Name a color."),),
        "max_output_tokens": 50,
        "project_id": "p-1",
        "agent": "test",
        "stage": "test",
    }
    return ModelRequest.model_validate({**plain, **given})


@dataclass
class Asking:
    """Providers that are configured in their order, and what was told of the calls."""

    worker: ModelWorker
    providers: dict[str, ScriptedProvider]
    configuration: ModelConfiguration
    book: Book = field(default_factory=Book)
    waits: list[float] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        """Waits are written down and take no time."""

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        return Clock(sleep=sleep)

    def ask(self, clock: Clock | None = None, timeout_s: float = 20.0, **given: Any) -> ModelAnswer:
        clock = clock or self.clock
        client = self.worker.client
        return asyncio.run(
            ask_model(request(**given), self.configuration, client, self.book, clock, timeout_s)
        )

    def stream(self, **given: Any) -> list[StreamPart]:
        return asyncio.run(self.collect(**given))

    async def collect(self, most: int | None = None, **given: Any) -> list[StreamPart]:
        """The parts of a stream, at most ``most`` of them."""
        found: list[StreamPart] = []
        client = self.worker.client
        parts = stream_model(
            request(**given), self.configuration, client, self.book, self.clock, 20.0
        )
        async with aclosing(parts):
            async for part in parts:
                found.append(part)
                if len(found) == most:
                    break
        return found

    def count(self, name: str) -> int:
        return len(self.providers[name].requests)


@contextmanager
def asking(worker: ModelWorker, **scripts: Script) -> Iterator[Asking]:
    """Providers with these scripts, in this order; each has the model `m-1`."""
    with ExitStack() as stack:
        providers = {
            name: stack.enter_context(scripted_provider(script)) for name, script in scripts.items()
        }
        fields = {
            name: {"base_url": each.base_url, "api_key": "sk-test", "models": ["m-1"]}
            for name, each in providers.items()
        }
        worker.configure(**fields)
        yield Asking(worker, providers, read_models(worker.settings, with_keys=False))
