"""The use cases that commands call: of the service here, or of one elsewhere (CAIRN_URL).

A command calls them by the names of `infra.service`. Where the settings name a service elsewhere,
the function of the same name and parameters in `infra.cli.remote` answers instead, over HTTP.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from infra import service
from infra.platform.errors import Refusal
from infra.platform.settings import Settings

if TYPE_CHECKING:
    from infra.service import *  # noqa: F403


def __getattr__(name: str) -> Any:
    found = getattr(service, name)
    return _choose(name, found) if isfunction(found) else found


def _choose(name: str, here: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(here)
    def call(*given: Any, **named: Any) -> Any:
        settings = given[0] if given else None
        if isinstance(settings, Settings) and settings.url is not None:
            return _find_remote(name)(*given, **named)
        return here(*given, **named)

    return call


def _find_remote(name: str) -> Callable[..., Any]:
    from infra.cli.remote import find

    found = find(name)
    if found is None:
        raise Refusal(
            "This cannot be asked of a service elsewhere, and CAIRN_URL names one: run it on the"
            " machine of the service, or unset CAIRN_URL.",
            code="only_where_the_service_runs",
        )
    return found
