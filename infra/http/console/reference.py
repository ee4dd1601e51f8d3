"""`/docs`: the document of the API as a page for people, made here, with nothing from elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from infra.http.client_document import PROBLEM, REF, type_of
from infra.http.console.page_context import HEADERS
from infra.http.console.rendering import render
from infra.http.console.shortcuts import shortcuts_of
from infra.http.problems import Malformed, respond

NOBODY: dict[str, Any] = {
    "visit": None,
    "here": "",
    "theme": "system",
    "single_keys": False,
    "form_mark": "",
    "draw_key": str,
    "told": "",
    "undo": "",
}


async def serve_reference(request: Request) -> Response:
    """The page is made once, beside the loop: it takes a second of work."""
    if request.url.query:
        return respond(request, Malformed("This page takes no parameters: ask for `/docs`."))
    made: asyncio.Task[str] | None = getattr(request.app.state, "reference", None)
    if made is None:
        made = asyncio.create_task(asyncio.to_thread(_make, request.app))
        request.app.state.reference = made
    return Response(await asyncio.shield(made), 200, HEADERS, "text/html")


def _make(app: Any) -> str:
    return render_reference(app.openapi())


def render_reference(document: Mapping[str, Any]) -> str:
    areas: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            areas[operation["tags"][0]].append(_operation(path, method, operation))
    schemas = document["components"]["schemas"]
    shortcuts = shortcuts_of("")
    models = {name: _fields(schema) for name, schema in sorted(schemas.items())}
    return render(
        "reference.html",
        **NOBODY,
        shortcuts=shortcuts,
        keys={each.name: each.key for each in shortcuts},
        about=document["info"]["description"],
        areas=dict(sorted(areas.items())),
        models=models,
        codes=document["x-problem-codes"],
    )


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [
        {
            "name": each["name"],
            "place": each["in"],
            "type": type_of(each["schema"], exact=True),
            "is_needed": each.get("required", False),
            "about": each.get("description", ""),
            "example": json.dumps(each["example"]) if "example" in each else "",
        }
        for each in operation.get("parameters", ())
    ]
    contents = operation.get("requestBody", {}).get("content", {})
    body = next(
        (
            {
                "media": media,
                "model": _model(told["schema"]),
                "example": json.dumps(told["example"], indent=2, ensure_ascii=False)
                if "example" in told
                else "",
            }
            for media, told in contents.items()
        ),
        None,
    )
    return {
        "name": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "about": operation["description"],
        "roles": operation["x-roles"],
        "is_signed": operation["x-signed"],
        "parameters": parameters,
        "body": body,
        "answers": [
            {"status": status, "about": told["description"], "model": _answered(told)}
            for status, told in sorted(operation["responses"].items())
            if PROBLEM not in told.get("content", {})
        ],
        "problems": [
            status
            for status, told in sorted(operation["responses"].items())
            if PROBLEM in told.get("content", {})
        ],
    }


def _answered(told: Mapping[str, Any]) -> str:
    schemas = [each.get("schema", {}) for each in told.get("content", {}).values()]
    return _model(schemas[0]) if schemas else ""


def _model(schema: Mapping[str, Any]) -> str:
    """The name of the model; of anything else the type."""
    reference = schema.get("$ref")
    return reference.removeprefix(REF) if reference else type_of(schema, exact=True)


def _fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    needed = schema.get("required", ())
    return {
        "about": schema.get("description", ""),
        "values": ", ".join(map(str, schema.get("enum", ()))),
        "fields": [
            {
                "name": name,
                "type": type_of(told, exact=True),
                "is_needed": name in needed,
                "about": told.get("description", ""),
            }
            for name, told in schema.get("properties", {}).items()
        ],
    }
