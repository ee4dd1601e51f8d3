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
        return any(one.is_configured and one.name != RESEARCH.name for one in self.providers)

    @property
    def has_research(self) -> bool:
        return any(one.is_configured and one.name == RESEARCH.name for one in self.providers)

    def find_provider(self, name: str) -> ModelProvider | None:
        return next((one for one in self.providers if one.name == name), None)
