"""The arguments of a tool as fields of a form: which ones there are, and of what kind, its schema
says. Whether they are right says the use case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["line", "text", "number", "choice", "list", "json"]
Schema = Mapping[str, Any]
LONG_TEXT = 300  # characters from which on a text gets several lines
CHOICES = {"yes": True, "no": False}  # of a switch
NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
MARK = "arg."  # in front of a field's name: a tool may take a `reason` or a `key` of its own


@dataclass(frozen=True, slots=True)
class Field:
    """``value`` is what stands in it, of a list an item a line; ``choices`` may be chosen from."""

    argument: str
    kind: Kind
    value: str
    is_required: bool
    choices: tuple[str, ...]
    longest: int | None

    @property
    def name(self) -> str:
        return MARK + self.argument


def list_fields(schema: Schema, arguments: Mapping[str, Any]) -> list[Field]:
    """The fields of a call with these arguments."""
    return [
        _field(schema, name, one, _write(arguments.get(name))) for name, one in _properties(schema)
    ]


def fill_fields(schema: Schema, form: Mapping[str, str]) -> list[Field]:
    """The same with what a form says."""
    return [
        _field(schema, name, one, form.get(MARK + name, "")) for name, one in _properties(schema)
    ]


def read_arguments(schema: Schema, form: Mapping[str, str]) -> dict[str, Any]:
    """What a form says; an empty field is left out where it may be. What is not of its kind stays
    a text, so that whoever checks it says what is wrong with it.
    """
    fields = fill_fields(schema, form)
    return {it.argument: _read(it) for it in fields if it.value.strip() or it.is_required}


def _properties(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Each argument with the schema of its values; whether it may be null says `required`."""
    for name, one in schema.get("properties", {}).items():
        options = [it for it in one.get("anyOf", ()) if it.get("type") != "null"]
        yield name, options[0] if len(options) == 1 else one


def _field(schema: Schema, name: str, one: Schema, value: str) -> Field:
    choices = tuple(map(str, one.get("enum", ())))
    if one.get("type") == "boolean":
        choices = tuple(CHOICES)
    return Field(
        argument=name,
        kind=_kind(one, choices, value),
        value=value,
        is_required=name in schema.get("required", ()),
        choices=choices,
        longest=one.get("maxLength"),
    )


def _kind(one: Schema, choices: tuple[str, ...], value: str) -> Kind:
    match one.get("type"):
        case _ if choices:
            return "choice"
        case "integer" | "number":
            return "number"
        case "array" if one.get("items", {}).get("type") == "string":
            return "list"
        case "string":
            return "text" if one.get("maxLength", 0) > LONG_TEXT or "\n" in value else "line"
        case _:
            return "json"


def _write(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return next(word for word, meant in CHOICES.items() if meant is value)
        case list() if all(isinstance(it, str) for it in value):
            return "\n".join(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _read(field: Field) -> Any:
    match field.kind:
        case "number" if NUMBER.fullmatch(said := field.value.strip()):
            return float(said) if "." in said else int(said)
        case "choice":
            return CHOICES.get(field.value, field.value)
        case "list":
            return [line.strip() for line in field.value.split("\n") if line.strip()]
        case "json":
            try:
                return json.loads(field.value)
            except (ValueError, RecursionError):
                return field.value
        case _:
            return field.value
