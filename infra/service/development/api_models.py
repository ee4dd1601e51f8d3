"""Which model the driver `api` asks, and what opens the way to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agents.development.drivers.api import OPENROUTER
from agents.development.profiles import Profile
from agents.models.configuration import REVIEWER, ModelConfiguration
from agents.models.families import find_family
from infra.platform.settings import Settings
from infra.service.models.file import read_models


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """A chat endpoint and what opens it: of a provider, or the model proxy with a token of this
    workflow. ``socket``: the socket file at which ``base_url`` is reached; None: over the network.
    """

    base_url: str
    token: str
    socket: Path | None = None
    is_proxy: bool = True

    def __repr__(self) -> str:
        return f"ModelAccess(base_url={self.base_url!r}, is_proxy={self.is_proxy})"


def settle_model(
    settings: Settings, profile: Profile, environ: Mapping[str, str] = os.environ
) -> Profile:
    """The profile, with a model where it names none and its driver needs one: the first API that
    drafts, else the first one that does not only review. Raises Invalid, Forbidden.
    """
    if profile.driver != "api" or profile.model:
        return profile
    model = choose_model(read_models(settings, environ, with_keys=False))
    return profile.model_copy(update={"model": model}) if model else profile


def choose_model(known: ModelConfiguration) -> str | None:
    """``provider/model``; None: no provider has a model that may write."""
    served = [name for each in known.list_configured() for name in each.names]
    drafting = [name for name in known.list_role("draft") if name in served]
    writing = [name for name in served if find_family(name) != REVIEWER]
    return next(iter(drafting + writing), None)


def is_served(settings: Settings, model: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a provider of the service has this ``provider/model``, so that its model proxy leads
    there. Raises Invalid, Forbidden.
    """
    known = read_models(settings, environ, with_keys=False)
    provider = known.find_provider(model.partition("/")[0])
    return provider is not None and provider.is_configured


def find_direct_access(environ: Mapping[str, str]) -> ModelAccess | None:
    """The endpoint that ``OPENROUTER_API_KEY`` opens, at ``OPENROUTER_BASE_URL`` where that is set;
    None: there is no key.
    """
    key = environ.get("OPENROUTER_API_KEY", "").strip()
    base_url = environ.get("OPENROUTER_BASE_URL", "").strip() or OPENROUTER
    return ModelAccess(base_url, key, is_proxy=False) if key else None
