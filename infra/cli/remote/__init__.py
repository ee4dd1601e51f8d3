"""The use cases of `infra.service` over HTTP, for commands where CAIRN_URL names a service.

Each function has the name, the parameters and the result of the one that it stands for; what has no
function here can be done only where the service runs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

AREAS = (
    *("reads", "decisions", "work", "jobs", "ingestion", "models", "schedules", "chat"),
    *("ledger_reader", "exporting", "webhooks"),
)


def find(name: str) -> Callable[..., Any] | None:
    """The function that stands for a use case, if there is one."""
    for area in AREAS:
        module = import_module(f"infra.cli.remote.{area}")
        found: Callable[..., Any] | None = vars(module).get(name)
        if found is not None and getattr(found, "__module__", None) == module.__name__:
            return found
    return None
