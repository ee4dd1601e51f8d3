"""Brings data to a JSON Schema where that takes no guess, and says what does not fit.

Harmless are: a property that the schema does not name, a number as text, a whole number with a
fraction of zero, a list left out, a single item in place of a list, a null property left out, and a
value of a closed list in another case. Nothing is made up: a text that is missing stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from jsonschema import Draft202012Validator

MAX_PROBLEM = 300
MAX_PROBLEMS = 8
MAX_DEPTH = 40
_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})(?P<percent>\s*%)?\s*")
_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})
Schema = dict[str, Any]


def fit(data: Any, schema: Schema) -> tuple[Any, list[str]]:
    """The data as the schema wants it, and what does not fit to it."""
    fitted = _Fitting(schema).fit(data, schema, 0)
    problems = sorted(
        f"at {error.json_path}: {error.message[:MAX_PROBLEM]}"
        for error in Draft202012Validator(schema).iter_errors(fitted)
    )
    return fitted, problems[:MAX_PROBLEMS]


@dataclass(frozen=True, slots=True)
class Kept:
    """What fits of an answer, None where nothing does. ``left_out`` counts the items of lists of
    objects that do not; ``lossy`` are the places of those items of its lists that lack some.
    """

    data: Any = None
    left_out: int = 0
    lossy: frozenset[int] = frozenset()


def keep_what_fits(data: Any, schema: Schema) -> Kept:
    """The data without what of its lists does not fit."""
    fitting = _Fitting(schema)
    kept = fitting.prune(fitting.fit(data, schema, 0), schema, 0)
    is_fit = Draft202012Validator(schema).is_valid(kept)
    return Kept(kept if is_fit else None, fitting.left_out, frozenset(fitting.lossy))


class _Fitting:
    """``left_out`` and ``lossy`` tell what `prune` took out, see `Kept`."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self.left_out = 0
        self.lossy: set[int] = set()

    def fit(self, data: Any, schema: Schema, depth: int) -> Any:
        schema = self._resolve(schema)
        if depth > MAX_DEPTH or not schema:
            return data
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return self._fit_one_of(data, choices, depth)
        if "enum" in schema or "const" in schema:
            return _fit_choice(data, schema.get("enum", [schema.get("const")]))
        types = _types_of(schema)
        if "array" in types and not isinstance(data, list):
            if data is None and "null" not in types:
                return []
            if data is None:
                return data
            data = [data] if _is_item(data, self._resolve(schema.get("items", {}))) else data
        if "array" in types and isinstance(data, list):
            return [self.fit(it, schema.get("items", {}), depth + 1) for it in data]
        if "object" in types and isinstance(data, dict):
            return self._fit_object(data, schema, depth)
        return _fit_scalar(data, types)

    def prune(self, data: Any, schema: Schema, depth: int) -> Any:
        schema = self._resolve(schema)
        if depth > MAX_DEPTH:
            return data
        if isinstance(data, list):
            return [*self._prune_items(data, self._resolve(schema.get("items", {})), depth)]
        if isinstance(data, dict):
            named = schema.get("properties", {})
            return {
                name: self.prune(value, named.get(name, {}), depth + 1)
                for name, value in data.items()
            }
        return data

    def _prune_items(self, items: list[Any], schema: Schema, depth: int) -> Iterator[Any]:
        if "object" not in _types_of(schema):
            yield from items
            return
        validator = Draft202012Validator(schema | _definitions_of(self._root))
        place = 0
        for item in items:
            before = self.left_out
            kept = self.prune(item, schema, depth + 1)
            if not validator.is_valid(kept):
                self.left_out = before + 1
                continue
            if depth == 1 and self.left_out > before:
                self.lossy.add(place)
            place += 1
            yield kept

    def _resolve(self, schema: Any) -> Schema:
        """The schema itself in place of a reference to it."""
        for _ in range(MAX_DEPTH):
            if not isinstance(schema, dict):
                return {}
            name = schema.get("$ref")
            if not isinstance(name, str):
                return schema
            node: Any = self._root
            for step in name.removeprefix("#/").split("/"):
                node = node.get(step, {}) if isinstance(node, dict) else {}
            schema = node
        return {}

    def _fit_one_of(self, data: Any, choices: list[Schema], depth: int) -> Any:
        """As the first choice wants it to which it fits; untouched where it fits to none."""
        for choice in choices:
            fitted = self.fit(data, choice, depth + 1)
            if Draft202012Validator(choice | _definitions_of(self._root)).is_valid(fitted):
                return fitted
        return data

    def _fit_object(self, data: dict[str, Any], schema: Schema, depth: int) -> dict[str, Any]:
        named: dict[str, Schema] = schema.get("properties", {})
        is_closed = schema.get("additionalProperties") is False
        given = _rename(data, named) if is_closed else data
        fitted = {
            name: self.fit(value, named[name], depth + 1) if name in named else value
            for name, value in given.items()
            if name in named or not is_closed
        }
        for name in schema.get("required", ()) if fitted else ():  # nothing of it is no answer
            wanted = self._resolve(named.get(name, {}))
            if name in fitted or name not in named:
                continue
            if "array" in _types_of(wanted):
                fitted[name] = []
            elif "null" in _types_of(wanted) or None in wanted.get("enum", ()):
                fitted[name] = None
        return fitted


def _rename(data: dict[str, Any], named: dict[str, Schema]) -> dict[str, Any]:
    """Names in another case or with other joints are those of the schema, where it lacks them."""
    by_letters = {_letters_of(name): name for name in named}
    renamed: dict[str, Any] = {}
    for name, value in data.items():
        field = name if name in named else by_letters.get(_letters_of(str(name)), name)
        if field == name or field not in data:
            renamed.setdefault(field, value)
    return renamed


def _letters_of(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _fit_choice(data: Any, choices: list[Any]) -> Any:
    if data in choices or not isinstance(data, str):
        return data
    letters = _letters_of(data.strip())
    matches = [it for it in choices if isinstance(it, str) and _letters_of(it) == letters]
    if not matches and letters in ("", "null", "none", "n/a") and None in choices:
        return None
    return matches[0] if len(matches) == 1 else data


def _fit_scalar(data: Any, types: frozenset[str]) -> Any:
    if isinstance(data, str):
        return _fit_text(data, types)
    if isinstance(data, bool) or data is None:
        return data
    if isinstance(data, float) and "integer" in types and data.is_integer():
        return int(data)
    if isinstance(data, float) and not isfinite(data):
        return None
    if isinstance(data, (int, float)) and types & {"string"} and not types & {"number", "integer"}:
        return str(data)
    return data


def _fit_text(data: str, types: frozenset[str]) -> Any:
    if "string" in types:
        return data
    text = data.strip().casefold()
    if "boolean" in types and text in _TRUE | _FALSE:
        return text in _TRUE
    if "null" in types and text in ("", "null", "none"):
        return None
    match = _NUMBER.fullmatch(data)
    if match and types & {"number", "integer"}:
        value = float(data.strip().removesuffix("%").strip())
        value = value / 100 if match["percent"] else value
        is_whole = value.is_integer() and not match["percent"]
        if "integer" in types and is_whole:
            return int(value)
        return value if "number" in types else data
    return data


def _is_item(data: Any, schema: Schema) -> bool:
    """Whether ``data`` may be the one item of a list of such items."""
    types = _types_of(schema)
    if isinstance(data, dict):
        return "object" in types
    if isinstance(data, str) and "string" in types:
        return bool(data.strip())
    return not isinstance(data, (dict, list)) and "object" not in types


def _types_of(schema: Schema) -> frozenset[str]:
    given = schema.get("type")
    if isinstance(given, str):
        return frozenset({given})
    if isinstance(given, list):
        return frozenset(given)
    return frozenset({"object"}) if "properties" in schema else frozenset()


def _definitions_of(root: Schema) -> Schema:
    return {name: root[name] for name in ("$defs", "definitions") if name in root}
