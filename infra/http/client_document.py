"""The document of the API as the writer of the client reads it: operations and models by area."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SHARED = "shared"
REF = "#/components/schemas/"
PROBLEM = "application/problem+json"
STREAM = "text/event-stream"
MOST_NAMED = 6  # values of an enumeration; of a longer one the service says what there is
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
FORMATS = {"date-time": "datetime", "date": "date"}

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    method: str
    path: str
    told: Schema

    def parameters(self, place: str) -> list[Schema]:
        return [each for each in self.told.get("parameters", ()) if each["in"] == place]

    @property
    def area(self) -> str:
        return str(self.told["tags"][0]).lower()

    @property
    def is_write(self) -> bool:
        return self.method != "get"

    @property
    def is_paged(self) -> bool:
        """Whether it answers with pages of one list; several lists at once are no such page."""
        return any(name != item_of(name) for _, _, it in self.answers() for name in refs(it))

    @property
    def is_stream(self) -> bool:
        return any(media == STREAM for _, media, _ in self.answers())

    @property
    def body(self) -> tuple[str, Schema] | None:
        """Media type and schema of what is sent."""
        content: Schema = self.told.get("requestBody", {}).get("content", {})
        return next(((media, each["schema"]) for media, each in content.items()), None)

    def answers(self) -> Iterator[tuple[int, str, Schema]]:
        """Status, media type and schema of each answer that is no problem: those are raised."""
        for status, answer in sorted(self.told["responses"].items()):
            contents = answer.get("content") or {"": {}}
            for media, content in contents.items():
                if media != PROBLEM:
                    yield int(status), media, content.get("schema", {})

    def models(self) -> set[str]:
        """The schemas that it names itself; the items of a page, not the page."""
        named = [self.body, *(schema for _, _, schema in self.answers())]
        return {item_of(name) for name in refs(named)}


@dataclass(slots=True)
class ApiDocument:
    """``areas``: the models of each area, each behind those that it is made of."""

    found: Mapping[str, Any]
    operations: dict[str, list[Operation]] = field(default_factory=lambda: defaultdict(list))
    areas: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    area_of: dict[str, str] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        users: dict[str, set[str]] = defaultdict(set)
        named: set[str] = set()
        for path, methods in self.found["paths"].items():
            for method, told in methods.items():
                if told["x-signed"]:
                    continue  # services send these, not clients
                operation = Operation(told["operationId"], method, path, told)
                self.operations[operation.area].append(operation)
                named |= operation.models()
                self.answered |= self.reach([one for _, _, one in operation.answers()])
                for name in self.reach(operation.models()):
                    users[name].add(operation.area)
        parts = self.reach(users.keys() - named)
        for name in self._inside_out(sorted(users)):
            (*areas,) = users[name]
            area = areas[0] if len(areas) == 1 else SHARED
            area = f"{area}_parts" if name in parts else area
            self.area_of[name] = area
            self.areas[area].append(name)

    @property
    def schemas(self) -> Mapping[str, Schema]:
        schemas: Mapping[str, Schema] = self.found["components"]["schemas"]
        return schemas

    def place_of(self, name: str) -> str:
        """The model as a module of calls names it; of a page the model of its items."""
        return f"models.{self.area_of[item_of(name)]}.{item_of(name)}"

    def is_request(self, name: str) -> bool:
        """Whether the model is only sent, never answered."""
        return name not in self.answered

    def reach(self, told: Any) -> set[str]:
        """The models that a part of the document, or these names, rest on; no pages."""
        found: set[str] = set()
        ahead = list(told) if isinstance(told, set) else list(refs(told))
        while ahead:
            name = ahead.pop()
            if name not in found:
                found.add(name)
                ahead += refs(self.schemas[name])
        return {name for name in found if name == item_of(name)}

    def _inside_out(self, names: Iterable[str]) -> Iterator[str]:
        done: set[str] = set()

        def visit(name: str) -> Iterator[str]:
            if name not in done:
                done.add(name)
                for inner in refs(self.schemas[name]):
                    yield from visit(inner)
                yield name

        for name in names:
            yield from visit(name)


def refs(told: Any) -> Iterator[str]:
    """The names of the schemas that a part of the document refers to."""
    if isinstance(told, Mapping):
        if isinstance(ref := told.get("$ref"), str):
            yield ref.removeprefix(REF)
        for value in told.values():
            yield from refs(value)
    elif isinstance(told, list | tuple):
        for value in told:
            yield from refs(value)


def item_of(name: str) -> str:
    """The schema of the items of a page; of anything else the schema."""
    return name.removeprefix("Page_").removesuffix("_") if name.startswith("Page_") else name


def type_of(schema: Schema, *, exact: bool, name_of: Callable[[str], str] = item_of) -> str:
    """The type as Python writes it, with ``name_of`` a schema for each model.

    ``exact``: the values of an enumeration are named, as for requests. An answer may have values
    that this client does not know yet.
    """

    def inner_type(inner: Schema) -> str:
        return type_of(inner, exact=exact, name_of=name_of)

    if ref := schema.get("$ref"):
        return name_of(ref.removeprefix(REF))
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(map(inner_type, options)))
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if exact and 0 < len(values) <= MOST_NAMED:
        return f"Literal[{', '.join(map(repr, values))}]"
    match schema.get("type"):
        case "array" if parts := schema.get("prefixItems"):
            return f"tuple[{', '.join(map(inner_type, parts))}]"
        case "array":
            return f"list[{inner_type(schema.get('items', {}))}]"
        case "object":
            inner = schema.get("additionalProperties")
            held = inner_type(inner) if isinstance(inner, Mapping) else "Any"
            return f"dict[str, {held}]"
        case "string":
            return FORMATS.get(schema.get("format", ""), "str")
        case kind:
            return SCALARS.get(str(kind), "Any")
