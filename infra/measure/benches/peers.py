"""Other people's libraries that a bench is held against; Cairn itself never needs them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib import metadata
from typing import Any


class Peer:
    """A module of a peer, imported when the bench begins: it is no dependency of ours."""

    def __init__(self, module: str) -> None:
        self._module = importlib.import_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def missing(names: Sequence[str]) -> str:
    """What to do about distributions that are not installed; empty when all are."""
    absent = [name for name in names if not _version(name)]
    return f"not measured: pip install {' '.join(absent)}" if absent else ""


def versions(names: Sequence[str]) -> str:
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
