"""Which providers there are, and which of their models serve which tier."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel, ConfigDict, SecretStr

from agents.models.call import Tier
from agents.models.catalogue import RESEARCH

TIERS: tuple[Tier, ...] = get_args(Tier)


class ModelProvider(BaseModel):
    """How one provider is reached. ``base_url`` None: the provider's own address.

    Without ``api_key`` it is unconfigured and never asked, unless it needs none (Ollama, or a
    server of one's own behind ``base_url``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    base_url: str | None = None
    api_key: SecretStr | None = None
    needs_key: bool = True
    models: tuple[str, ...] = ()

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


class ModelConfiguration(BaseModel):
    """All providers in the order they are tried, and for each tier its ``provider/model`` names.

    A tier without an entry takes all models of the configured providers in their order; the tier
    ``research`` those of the service that searches the web, which no other tier asks.
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

    def list_configured(self, *, is_research: bool = False) -> tuple[ModelProvider, ...]:
        """Who can be asked, in order: for the tier ``research``, or for all others."""
        return tuple(
            provider
            for provider in self.providers
            if provider.is_configured and provider.is_research == is_research
        )

    def find_provider(self, name: str) -> ModelProvider | None:
        return next((provider for provider in self.providers if provider.name == name), None)
