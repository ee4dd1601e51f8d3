"""What a client is told of a tool, in few tokens: a model reads all of it before each question."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool as Definition
from mcp_types import ToolAnnotations
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema

from infra.mcp.text import NOTICE
from infra.mcp.tools import Tool


class Compact(GenerateJsonSchema):
    """Schemas without titles; what may be absent is not said to be null, too."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        found: JsonSchemaValue = _compact(super().generate(schema, mode))
        return found


def define(tool: Tool) -> Definition:
    return Definition(
        name=tool.name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(schema_generator=Compact),
        output_schema=tool.result.model_json_schema(mode="serialization", schema_generator=Compact),
        annotations=ToolAnnotations(read_only_hint=True),
    )


def _compact(schema: Any) -> Any:
    match schema:
        case {"anyOf": [{**one}, {"type": "null"}], **rest}:
            return _compact(rest | one)
        case dict():
            return {
                name: _compact(value)
                for name, value in schema.items()
                if not (name == "title" and isinstance(value, str))
                and not (name == "default" and value in (None, [], NOTICE))
            }
        case list():
            return [_compact(each) for each in schema]
        case _:
            return schema
