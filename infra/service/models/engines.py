"""Who reads: a model where one is configured, else the rules, unless somebody says which."""

from __future__ import annotations

from infra.platform.errors import Forbidden, Invalid
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.models.models import has_model
from schemas.events.ingestion_request import Engine

ENGINES: tuple[Engine, ...] = ("heuristic", "model")

log = get("engines")


def choose_engine(settings: Settings, wanted: Engine | None = None) -> Engine:
    """``wanted``, else a model if there is one. A file of models that is unfit counts as none.

    Raises Invalid for a model that is wanted and not configured, and for a file that is unfit then.
    """
    if wanted == "heuristic":
        return wanted
    if wanted == "model":
        if has_model(settings):
            return wanted
        raise Invalid("No model provider is configured.", code="no_model")
    try:
        return "model" if has_model(settings) else "heuristic"
    except (Forbidden, Invalid) as error:
        log.warning("models.file_invalid", reason=str(error))
        return "heuristic"


def list_engines(settings: Settings) -> tuple[Engine, ...]:
    """The engines that may be wanted."""
    return ENGINES if choose_engine(settings) == "model" else ENGINES[:1]
