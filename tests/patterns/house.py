"""Every pattern of the house: those that modules hold, and those written where they are used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("schemas", "connectors", "streams", "agents", "projections", "infra")
CALLS = {"match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split", "compile"}


class Held(NamedTuple):
    """A pattern and where it stands."""

    place: str
    pattern: re.Pattern[str]


@cache
def modules() -> tuple[ModuleType, ...]:
    """All modules but entry points; what an absent extra needs is left out."""
    found = []
    for folder in FOLDERS:
        package = importlib.import_module(folder)
        for each in pkgutil.walk_packages(package.__path__, f"{folder}."):
            if not each.name.endswith("__main__"):
                found.append(importlib.import_module(each.name))
    return tuple(found)


@cache
def patterns() -> tuple[Held, ...]:
    """Each once, at the first place that holds it."""
    found: dict[tuple[str, int], Held] = {}
    for module in modules():
        for name, value in vars(module).items():
            for pattern in _patterns_in(value, 0):
                held = Held(f"{module.__name__}.{name}", pattern)
                found.setdefault((pattern.pattern, pattern.flags), held)
        for held in _written_in_calls(module):
            found.setdefault((held.pattern.pattern, held.pattern.flags), held)
    return tuple(found.values())


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    value = getattr(value, "__self__", value)  # `_FIND = re.compile(...).search`
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 4 and isinstance(value, dict):
        for each in (*value.keys(), *value.values()):
            yield from _patterns_in(each, depth + 1)
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _patterns_in(each, depth + 1)
    elif depth < 4 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from _patterns_in(getattr(value, name, None), depth + 1)


def _written_in_calls(module: ModuleType) -> Iterator[Held]:
    """`re.fullmatch(r"…", text)` with a pattern that stands there in full."""
    path = Path(module.__file__ or "")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in CALLS
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield Held(f"{module.__name__}:{node.lineno}", re.compile(node.args[0].value))
