"""Which providers there are, and which of their models serve which tier."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel, ConfigDict, SecretStr

from agents.models.call import Tier
from agents.models.catalogue import PROGRAMS, RESEARCH
from agents.models.families import find_family
from agents.models.programs import CEILING_S, IDLE_S

TIERS: tuple[Tier, ...] = get_args(Tier)
DRAFTER, REVIEWER = "anthropic", "google"  # whose models draft and review unless somebody says


class ModelProvider(BaseModel):
    """How one provider is reached. ``base_url`` None: the provider's own address.

    Without ``api_key`` it is unconfigured and never asked, unless it needs none (Ollama, or a
    server of one's own behind ``base_url``). ``program`` is what runs a provider that is a program
    of this machine; it may be silent for ``idle_s`` and take ``ceiling_s`` in all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    base_url: str | None = None
    api_key: SecretStr | None = None
    needs_key: bool = True
    models: tuple[str, ...] = ()
    program: str = ""
    idle_s: float = IDLE_S
    ceiling_s: float = CEILING_S

    @property
    def is_configured(self) -> bool:
        return self.api_key is not None or not self.needs_key

    @property
    def is_local(self) -> bool:
        """A server that asks for no key is one's own: its answers cost nothing."""
        return not self.needs_key

    @property
    def is_research(self) -> bool:
        """It searches the web: it serves the tier ``research`` and no other."""
        return self.name == RESEARCH.name

    @property
    def is_program(self) -> bool:
        """It is run on this machine and serves the tiers ``draft`` and ``review`` alone."""
        return any(self.name == program.name for program in PROGRAMS)

    @property
    def names(self) -> tuple[str, ...]:
        """``provider/model`` of each of its models."""
        return tuple(f"{self.name}/{model}" for model in self.models)


class ModelConfiguration(BaseModel):
    """All providers in the order they are tried, and for each tier its ``provider/model`` names.

    A tier without an entry takes all models of the configured providers in their order; the tier
    ``research`` those of the service that searches the web, which no other tier asks. ``draft``
    and ``review`` are the roles of `list_role`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: tuple[ModelProvider, ...] = ()
    tiers: dict[Tier, tuple[str, ...]] = {}

    @property
    def has_model(self) -> bool:
        return bool(self.list_configured())

    @property
    def has_research(self) -> bool:
        return bool(self.list_configured(is_research=True))

    @property
    def has_program(self) -> bool:
        """Whether a program of this machine can draft or review."""
        return any(provider.is_program for provider in self.providers)

    def list_configured(self, *, is_research: bool = False) -> tuple[ModelProvider, ...]:
        """Who can be asked, in order: for the tier ``research``, or for all others."""
        return tuple(
            provider
            for provider in self.providers
            if provider.is_configured
            and provider.is_research == is_research
            and not provider.is_program
        )

    def list_role(self, tier: Tier) -> tuple[str, ...]:
        """The ``provider/model`` names of a role, first choice first.

        Unless somebody says otherwise programs of this machine draft, then the API of their family;
        Google reviews, else whoever is of another family than the drafters.
        """
        if tier in self.tiers:
            return self.tiers[tier]
        if tier == "draft":
            programs = [each for each in self.providers if each.is_program and each.is_configured]
            api = [each for each in self.list_configured() if each.name == DRAFTER]
            return tuple(name for each in (*programs, *api) for name in each.names)
        drafting = {find_family(name) for name in self.list_role("draft")}
        others = [
            name
            for each in self.list_configured()
            for name in each.names
            if find_family(name) not in drafting
        ]
        return tuple(sorted(others, key=lambda name: find_family(name) != REVIEWER))

    def find_provider(self, name: str) -> ModelProvider | None:
        return next((provider for provider in self.providers if provider.name == name), None)
