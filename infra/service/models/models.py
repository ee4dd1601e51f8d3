"""Whether a language model may be asked, and the model itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, nullcontext, suppress
from typing import Literal, get_args

from agents.models.call import ChatModel
from agents.models.catalogue import CATALOGUE, OLLAMA, PROGRAMS
from agents.models.client import WorkerClient
from agents.models.configuration import ModelProvider
from agents.models.families import find_family, is_known_family
from agents.models.protocol import (
    ProviderAnswer,
    ProviderCall,
    ProviderPart,
    WorkerUnavailable,
)
from agents.models.tracked import TrackedChatModel
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from infra.service.foundation.producer import producer_of
from infra.service.foundation.publishing import share_producer
from infra.service.models.calls import RecordedCalls
from infra.service.models.file import (
    ModelsFile,
    read_fit_models,
    read_models,
    read_price_table,
)
from infra.service.models.worker import find_model_worker
from projections.read.session import ReadModel

DRAINS_WITHIN_CALLS = 2.5  # time limits of a call: its repair, too, and some more
CONNECTIONS = 4  # calls wait for models, not for the database


def has_model(settings: Settings) -> bool:
    """Whether a provider is configured. Raises Invalid, Forbidden for a file that is unfit."""
    return read_models(settings, with_keys=False).has_model


def has_research(settings: Settings) -> bool:
    """Whether the service that searches the web is configured; a file that is unfit has none."""
    return read_fit_models(settings).has_research


def find_first_model(settings: Settings) -> str | None:
    """The ``provider/model`` that is asked first where a tier says nothing else; None: no model is
    configured, or the file is unfit.
    """
    ready = (each for each in read_fit_models(settings).list_configured() if each.models)
    return next((f"{each.name}/{each.models[0]}" for each in ready), None)


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ChatModel | None]:
    """The model for the block: within budgets, recorded, its costs counted; None where no provider
    is configured. Raises Invalid, Forbidden for a file that is unfit.
    """
    known = read_models(settings, with_keys=False)
    if not (known.has_model or known.has_research or known.has_program):
        yield None
        return
    async with open_watch(settings) as watch:
        file = ModelsFile(settings, with_keys=False)
        model = TrackedChatModel(file.read, _Worker(settings), watch, settings.model_timeout_s)
        try:
            yield model
        finally:  # what nobody waits for any more is paid for and recorded, too
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAINS_WITHIN_CALLS * settings.model_timeout_s):
                    await model.drain()


@asynccontextmanager
async def open_watch(settings: Settings) -> AsyncIterator[RecordedCalls]:
    """What reserves, pays and records calls of models, for the block."""
    tables = Tables(settings, CONNECTIONS)
    shared = nullcontext() if producer_of(settings) else share_producer(settings)
    try:
        async with shared:
            yield RecordedCalls(settings, tables, read_price_table(settings))
    finally:
        tables.close()


class _Worker:
    """Asks the model worker, wherever it is by then. All raise WorkerUnavailable."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def ask(self, call: ProviderCall) -> ProviderAnswer:
        return await self._find().ask(call)

    async def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        async with aclosing(self._find().stream(call)) as parts:
            async for part in parts:
                yield part

    async def list_models(self, provider: str) -> tuple[str, ...]:
        return await self._find().list_models(provider)

    def _find(self) -> WorkerClient:
        found = find_model_worker(self._settings)
        if found is None:
            raise WorkerUnavailable("No model worker runs here.")
        return found


class ProviderState(ReadModel):
    """A provider and whether it is asked; ``models`` in the order in which they are.

    ``state``: ready, no_key (it is named, but its key is missing), unconfigured (nobody has named
    it) or unreachable (its models are found at run time, and there are none).
    """

    name: str
    state: Literal["ready", "no_key", "unconfigured", "unreachable"]
    models: list[str]
    is_local: bool


Role = Literal["draft", "review"]


class RoleState(ReadModel):
    """Who drafts or reviews, first choice first, as ``provider/model`` with the family of each.

    ``unknown``: those of whom only the name tells whose models they are, so that nobody can be sure
    that drafter and reviewer differ.
    """

    role: Role
    models: list[str]
    families: list[str]
    unknown: list[str]


def list_roles(settings: Settings, environ: Mapping[str, str]) -> list[RoleState]:
    """Who drafts and who reviews. Raises Invalid (``family_conflict``, ``role_not_allowed``),
    Forbidden.
    """
    configuration = read_models(settings, environ, with_keys=False)
    return [_describe_role(role, configuration.list_role(role)) for role in get_args(Role)]


def _describe_role(role: Role, names: tuple[str, ...]) -> RoleState:
    families = [find_family(name) for name in names]
    return RoleState(
        role=role,
        models=list(names),
        families=families,
        unknown=[
            name
            for name, family in zip(names, families, strict=True)
            if not is_known_family(family)
        ],
    )


async def list_models(settings: Settings, environ: Mapping[str, str]) -> list[ProviderState]:
    """The providers of the file in its order, then those that Cairn knows besides.

    Raises Invalid, Forbidden for a file that is unfit.
    """
    configured = read_models(settings, environ, with_keys=False).providers
    named = {provider.name for provider in configured}
    return [
        *[await _describe_provider(settings, provider) for provider in configured],
        *[
            ProviderState(
                name=known.name,
                state="unconfigured",
                models=list(known.models),
                is_local=not known.needs_key,
            )
            for known in (*CATALOGUE, *PROGRAMS)
            if known.name not in named
        ],
    ]


async def _describe_provider(settings: Settings, provider: ModelProvider) -> ProviderState:
    models = list(provider.models)
    is_reachable = True
    if provider.name == OLLAMA and not models:
        models = await _discover(settings)
        is_reachable = bool(models)
    return ProviderState(
        name=provider.name,
        state=_name_state(provider.is_configured, is_reachable),
        models=models,
        is_local=provider.is_local,
    )


def _name_state(
    is_configured: bool, is_reachable: bool
) -> Literal["ready", "no_key", "unreachable"]:
    if not is_configured:
        return "no_key"
    return "ready" if is_reachable else "unreachable"


async def _discover(settings: Settings) -> list[str]:
    """The models that the model worker finds; none while it does not run."""
    client = find_model_worker(settings)
    if client is None:
        return []
    try:
        return list(await client.list_models(OLLAMA))
    except WorkerUnavailable:
        return []
