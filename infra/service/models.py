"""Whether a language model may be asked, and the model itself."""

from __future__ import annotations

from infra.service.model_file import read_models
from infra.settings import Settings


def has_model(settings: Settings) -> bool:
    """Whether a provider is configured. Raises Invalid, Forbidden for a file that is unfit."""
    return read_models(settings, with_keys=False).has_model
