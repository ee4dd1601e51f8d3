"""How each provider is reached, and which models may answer a request, in order.

All but Anthropic speak the OpenAI protocol and are called by it, as is a server of one's own under
any other name. Decided against the library's own way to each of them: Google's takes a stream that
just ends for a whole answer, Groq's fails on a body without a field that others leave out, and
Cerebras's drops the wish for usage in streams.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from agents.models.call import ROLES, Tier
from agents.models.catalogue import BY_NAME, OLLAMA, RESEARCH
from agents.models.configuration import ModelConfiguration, ModelProvider


@dataclass(frozen=True, slots=True)
class Route:
    """How the library reaches a provider: what it puts before a model, and the address that it
    does not know. ``takes_schema``: all models keep to a JSON Schema; else the library knows which.
    """

    prefix: str = "openai"
    address: str | None = None
    takes_schema: bool = False


ROUTES = {
    "anthropic": Route("anthropic"),
    "openai": Route(takes_schema=True),
    "google": Route(
        address="https://generativelanguage.googleapis.com/v1beta/openai", takes_schema=True
    ),
    "xai": Route(address="https://api.x.ai/v1", takes_schema=True),
    "groq": Route(address="https://api.groq.com/openai/v1"),
    "cerebras": Route(address="https://api.cerebras.ai/v1", takes_schema=True),
    RESEARCH.name: Route(address=RESEARCH.base_url, takes_schema=True),
}
# Ollama and servers of one's own: llama.cpp, vLLM and LM Studio keep to schemas.
OWN = Route(takes_schema=True)

ROLE_TIMEOUT_S = 300.0  # a draft is long

Discover = Callable[[str], Awaitable[tuple[str, ...]]]  # provider -> the models it has now


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model of a provider that may be asked. ``is_local``: it costs nothing. ``timeout_s`` is the
    limit of its calls where they have one of their own. ``is_program``: see `ModelProvider`.
    """

    provider: str
    model: str
    is_local: bool = False
    timeout_s: float | None = None
    is_program: bool = False

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


def find_route(name: str) -> Route:
    """How provider ``name`` is reached; one that Cairn does not know is a server of one's own."""
    return ROUTES.get(name, OWN)


def find_address(provider: ModelProvider) -> str | None:
    """Where the calls go, as the library wants it; None: it knows the address."""
    if provider.name == OLLAMA:
        return f"{find_ollama(provider)}/v1"
    if provider.name == "anthropic" and provider.base_url:  # the library adds /v1
        return provider.base_url.rstrip("/").removesuffix("/v1")
    return provider.base_url or find_route(provider.name).address


def find_ollama(provider: ModelProvider) -> str:
    """The address of an Ollama server, without the part of the OpenAI protocol."""
    address = provider.base_url or BY_NAME[OLLAMA].base_url or ""
    return address.rstrip("/").removesuffix("/v1")


async def list_candidates(
    tier: Tier,
    configuration: ModelConfiguration,
    discover: Discover,
    models: tuple[str, ...] = (),
) -> tuple[Candidate, ...]:
    """Who may answer a request of ``tier``, first choice first; none twice. ``models`` are
    ``provider/model`` names that take the place of those of the tier.

    A tier without an entry takes all models of the configured providers in their order. Of Ollama
    only models that it has now are taken.
    """
    configured = {
        provider.name: provider for provider in configuration.providers if provider.is_configured
    }
    wanted = list(_list_wanted(tier, configuration, configured, models))
    has_ollama = any(name == OLLAMA for name, _ in wanted)
    local_models = await discover(OLLAMA) if has_ollama else ()
    candidates: dict[Candidate, None] = {}
    for name, model in wanted:
        for each in _choose_models(name, model, configured[name], local_models):
            candidates[_build_candidate(tier, configured[name], each)] = None
    return tuple(candidates)


def _list_wanted(
    tier: Tier,
    configuration: ModelConfiguration,
    configured: dict[str, ModelProvider],
    models: tuple[str, ...],
) -> Iterator[tuple[str, str | None]]:
    """Names of providers, each with one of its models, or None for all of them."""
    if models or tier in ROLES:
        names = models or configuration.list_role(tier)
    elif tier in configuration.tiers:
        names = configuration.tiers[tier]
    else:
        default = configuration.list_configured(is_research=tier == "research")
        yield from ((provider.name, None) for provider in default)
        return
    for name in names:
        provider, _, model = name.partition("/")
        if provider in configured:
            yield provider, model or None


def _build_candidate(tier: Tier, provider: ModelProvider, model: str) -> Candidate:
    timeout_s = ROLE_TIMEOUT_S if tier in ROLES else None
    return Candidate(
        provider.name,
        model,
        is_local=provider.is_local,
        timeout_s=provider.ceiling_s if provider.is_program else timeout_s,
        is_program=provider.is_program,
    )


def _list_known_models(name: str) -> tuple[str, ...]:
    return BY_NAME[name].models if name in BY_NAME else ()


def _choose_models(
    name: str, model: str | None, provider: ModelProvider, models: tuple[str, ...]
) -> tuple[str, ...]:
    if name != OLLAMA:
        return (model,) if model else provider.models or _list_known_models(name)
    wanted = (model,) if model else provider.models
    if not wanted:
        return models
    return tuple(
        each for each in models if each in wanted or each.removesuffix(":latest") in wanted
    )
