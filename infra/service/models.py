"""Whether a language model may be asked, and the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from agents.models.catalogue import CATALOGUE
from agents.models.configuration import ModelProvider
from agents.models.protocol import WorkerUnavailable
from agents.models.providers import OLLAMA
from infra.service.model_file import read_models
from infra.service.model_worker import find_model_worker
from infra.settings import Settings
from projections.read.session import ReadModel


def has_model(settings: Settings) -> bool:
    """Whether a provider is configured. Raises Invalid, Forbidden for a file that is unfit."""
    return read_models(settings, with_keys=False).has_model


class ProviderState(ReadModel):
    """A provider and whether it is asked; ``models`` in the order in which they are.

    ``state``: ready, no_key (it is named, but its key is missing), unconfigured (nobody has named
    it) or unreachable (its models are found at run time, and there are none).
    """

    name: str
    state: Literal["ready", "no_key", "unconfigured", "unreachable"]
    models: list[str]
    is_local: bool


async def list_models(settings: Settings, environ: Mapping[str, str]) -> list[ProviderState]:
    """The providers of the file in its order, then those that Cairn knows besides.

    Raises Invalid, Forbidden for a file that is unfit.
    """
    configured = read_models(settings, environ, with_keys=False).providers
    named = {provider.name for provider in configured}
    return [
        *[await _state_of(settings, provider) for provider in configured],
        *[
            ProviderState(
                name=known.name,
                state="unconfigured",
                models=list(known.models),
                is_local=not known.needs_key,
            )
            for known in CATALOGUE
            if known.name not in named
        ],
    ]


async def _state_of(settings: Settings, provider: ModelProvider) -> ProviderState:
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
