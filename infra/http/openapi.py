"""The OpenAPI document: what FastAPI derives, with our errors, security and headers."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from infra.http.parameters import problems
from infra.http.problem_codes import read_listed
from infra.http.problems import Problem

ABOUT = (
    "What Cairn knows of a project and does for it. Every error is `application/problem+json` with"
    " a stable `code`. Lists are paged: `next_cursor` leads to the next page. A write takes an"
    " `Idempotency-Key`: the same key with the same request has the same answer, with another"
    " request it is refused. A request that is refused itself does not use up its key. A read has"
    " an `ETag`: with it in `If-None-Match` the answer is 304 while nothing has changed. HEAD is"
    " answered for every read, and bodies are compressed with gzip where the client takes that. A"
    " query parameter that an operation does not have is refused."
)
TEXTS = Path(__file__).with_name("document_texts.toml")
KEY_HEADER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A repeated request with the same key is done once. Drawn when it is missing.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}
TOKEN = {"type": "http", "scheme": "bearer", "description": "A token of `POST /v1/tokens`."}
JSON = "application/json"
WRITING = ("post", "put", "patch", "delete")


class Document:
    """The document as bytes. Making it takes a second of work, so it is made once, when it is first
    asked for, and beside the loop.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._made: asyncio.Task[bytes] | None = None

    async def read(self) -> bytes:
        if self._made is None:
            self._made = asyncio.create_task(asyncio.to_thread(self._make))
        return await asyncio.shield(self._made)

    def _make(self) -> bytes:
        return json.dumps(self._app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()


def describe(app: FastAPI) -> None:
    """Let ``app.openapi()`` return the whole document."""
    app.state.document = Document(app)

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        description=ABOUT,
        routes=app.routes,
        separate_input_output_schemas=False,
    )
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    found["components"]["securitySchemes"] = {"token": TOKEN}
    found["x-problem-codes"] = read_listed()
    texts = tomllib.loads(TEXTS.read_text())
    for path in found["paths"].values():
        for method, operation in path.items():
            if method in WRITING and not operation["x-signed"]:
                operation.setdefault("parameters", []).append(KEY_HEADER)
            _explain(operation, texts)
    return found


def _explain(operation: dict[str, Any], texts: Mapping[str, Any]) -> None:
    """Parameters and the body have a description and an example."""
    name, parameters = operation["operationId"], texts["parameters"]
    for each in operation.get("parameters", ()):
        told = parameters.get(f"{name}.{each['name']}") or parameters.get(each["name"], {})
        if "about" in told:
            each.setdefault("description", told["about"])
        if "example" in told:
            each.setdefault("example", told["example"])
    contents = operation.get("requestBody", {}).get("content", {})
    if JSON in contents and not operation["x-signed"]:
        operation["responses"]["415"] = problems(415)[415]
        if name in texts["bodies"]:
            contents[JSON]["example"] = texts["bodies"][name]
