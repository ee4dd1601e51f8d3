"""Find the broker and the database that a use case works with."""

from __future__ import annotations

from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.runtime import origins, read_runtime


def connect(settings: Settings) -> Settings:
    """Return ``settings`` with the addresses of a service that runs.

    The running installation of CAIRN_HOME comes before addresses that were set. Raises Unavailable
    (``not_running``) when there is neither.
    """
    if runtime := read_runtime(settings.home):
        return runtime.locate(settings)
    if settings.kafka_bootstrap and settings.database_url:
        return settings
    reasons = "; ".join(reason for _, reason in origins(settings))
    raise Unavailable(
        f"Cairn is not running in {settings.home} ({reasons}).",
        code="not_running",
        detail={"home": str(settings.home)},
    )
