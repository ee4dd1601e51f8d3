"""Avro schemas made from the event models, and the released files they are held against.

The pydantic models are the source. A library that does the same (py-avro-schema) fails on defaults
of bytes and gives no control over record names, so the mapping is written here.
"""

from __future__ import annotations

import json
import types
from datetime import datetime
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from schemas.envelope import Actor, Event

HERE = resources.files("schemas")
NAMESPACE = "cairn"
PRIMITIVES: dict[Any, Any] = {
    str: "string",
    int: "long",
    float: "double",
    bool: "boolean",
    bytes: "bytes",
    datetime: {"type": "long", "logicalType": "timestamp-millis"},
    UUID: {"type": "string", "logicalType": "uuid"},
}
Schema = Any


def avro_schema(event: type[Event]) -> dict[str, Schema]:
    """The writer schema of an event type: the envelope's fields plus its payload record."""
    seen: set[str] = set()
    name = _record_name(event.type_name)
    timestamp = PRIMITIVES[datetime]
    fields = [
        {"name": "event_id", "type": PRIMITIVES[UUID]},
        {"name": "event_type", "type": "string"},
        {"name": "schema_version", "type": "int"},
        {"name": "project_id", "type": "string"},
        {"name": "aggregate_id", "type": "string"},
        {"name": "natural_key", "type": "string"},
        {"name": "occurred_at", "type": timestamp},
        {"name": "recorded_at", "type": timestamp},
        {"name": "causation_id", "type": ["null", PRIMITIVES[UUID]], "default": None},
        {"name": "correlation_id", "type": "string"},
        {"name": "actor", "type": _record(Actor, seen)},
        {"name": "lane", "type": "string"},
        {"name": "run_id", "type": ["null", "string"], "default": None},
        {"name": "producer", "type": "string"},
        {"name": "payload", "type": _record(event, seen)},
    ]
    return {
        "type": "record",
        "name": f"{name}V{event.schema_version}",
        "namespace": NAMESPACE,
        "doc": doc_line(event),
        "fields": fields,
    }


def schema_file(event_type: str, version: int) -> str:
    """Path of the schema file below this folder, e.g. ``ledger/changed.v1.avsc``."""
    area, _, name = event_type.partition(".")
    return f"{area}/{name}.v{version}.avsc"


@cache
def load_schemas(root: Traversable = HERE) -> dict[tuple[str, int], dict[str, Schema]]:
    """Every schema file below ``root`` by event type and version."""
    schemas = {}
    for area in sorted(root.iterdir(), key=lambda entry: entry.name):
        if not area.is_dir():
            continue
        for file in sorted(area.iterdir(), key=lambda entry: entry.name):
            if file.name.endswith(".avsc"):
                name, version = file.name.removesuffix(".avsc").rsplit(".v", 1)
                schemas[f"{area.name}.{name}", int(version)] = json.loads(file.read_text())
    return schemas


def _record(model: type[BaseModel], seen: set[str]) -> Schema:
    name = model.__name__
    if name in seen:
        return f"{NAMESPACE}.{name}"
    seen.add(name)
    fields = [_field(key, field, seen) for key, field in model.model_fields.items()]
    return {
        "type": "record",
        "name": name,
        "namespace": NAMESPACE,
        "doc": doc_line(model),
        "fields": fields,
    }


def _field(name: str, field: FieldInfo, seen: set[str]) -> Schema:
    schema = {"name": name, "type": _type(field.annotation, seen)}
    if not field.is_required():
        schema["default"] = _default(field.get_default(call_default_factory=True))
    return schema


def _default(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return value


def _type(annotation: Any, seen: set[str]) -> Schema:
    if annotation in PRIMITIVES:
        return PRIMITIVES[annotation]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _record(annotation, seen)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0], seen)
    if origin is Literal:
        return "string"
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return ["null", _type(inner, seen)]
    if origin in (list, tuple):
        return {"type": "array", "items": _type(arguments[0], seen)}
    if origin is dict:
        return {"type": "map", "values": _type(arguments[1], seen)}
    raise TypeError(f"no Avro type for {annotation!r}")


def _record_name(event_type: str) -> str:
    return "".join(part.capitalize() for part in event_type.replace(".", "_").split("_"))


def doc_line(model: type[BaseModel]) -> str:
    """The first paragraph of the model's docstring on one line."""
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())
