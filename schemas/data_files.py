"""Tables of words that a package keeps as TOML files beside its code."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any


def read_table(package: str, file: str) -> dict[str, Any]:
    """The table in ``file`` of ``package``. Raises OSError where there is no such file."""
    return tomllib.loads(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
