"""The client has the operations of the document: a method for each, with its path, its parameters
and the models of its answers.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import httpx
import pytest

from infra.client.client import Client
from infra.client.connection import Model, Pages
from infra.client.events import Frame
from infra.http.client_code import HERE, read_document, write_code

DOCUMENT = read_document()
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if not operation["x-signed"]  # services send these, not clients
}
IN_HEADERS = {"token", "last_event_id"}  # of a stream, which a page gives in the address
NAMED_BY_THE_CLIENT = {"cursor", "limit"}  # of a paged list


def test_the_client_is_what_the_document_says():
    written = write_code(DOCUMENT)
    there = {name: (HERE / name).read_text() for name in written}
    assert there == written, "run `python -m infra.http.client_code`"
    found = {*(HERE / "models").glob("*.py"), *(HERE / "calls").glob("*.py")}
    assert {str(path.relative_to(HERE)) for path in found} == written.keys() - {"client.py"}


def test_every_operation_has_a_method_and_every_method_an_operation():
    methods = {name for name, _ in inspect.getmembers(Client, callable) if not name.startswith("_")}
    assert methods - {"close"} == OPERATIONS.keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_method_takes_the_parameters_and_sends_the_request_of_its_operation(name: str):
    method, path, operation = OPERATIONS[name]
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return _answer_of(operation)

    with Client(
        "https://cairn.example", "a token", transport=httpx.MockTransport(answer)
    ) as client:
        call = getattr(client, name)
        given = {each: _argument(each, told) for each, told in _parameters(operation).items()}
        assert inspect.signature(call).parameters.keys() == given.keys() | _own_parameters(
            method, operation
        )
        _use(call(**given))

    (request,) = asked[:1]
    placed = {each["name"]: f"a%2F%20{each['name']}" for each in _of(operation, "path")}
    assert (request.method, request.url.raw_path.decode().split("?")[0]) == (
        method.upper(),
        path.format_map(placed),
    )
    wanted = {each["name"] for each in _of(operation, "query")}
    assert set(request.url.params) == wanted - ({"cursor"} if _is_paged(operation) else set())
    assert request.headers["authorization"] == "Bearer a token"
    assert ("idempotency-key" in request.headers) == (method != "get")
    assert bool(request.content) == ("requestBody" in operation)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_models_of_a_method_have_the_fields_of_the_document(name: str):
    _, _, operation = OPERATIONS[name]
    hints = get_type_hints(
        getattr(Client, name), vars(sys.modules[getattr(Client, name).__module__])
    )
    result = hints.pop("return")
    told = [
        content["schema"]
        for response in operation["responses"].values()
        for media, content in response.get("content", {}).items()
        if media == "application/json"
    ]
    assert _models(result) == set().union(*map(_schemas, told)) - {"Page"}


def test_a_client_starts_without_the_service():
    script = (
        "import sys, infra.client.client;"
        "ours = {name for name in sys.modules if name.startswith(('infra.', 'projections',"
        " 'streams', 'connectors', 'agents', 'schemas'))};"
        "print(sorted(name for name in ours"
        " if not name.startswith('infra.client')"
        " and name not in ('infra.platform', 'infra.platform.errors')))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert told.stdout.strip() == "[]"


def _of(operation: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    found = [each for each in operation.get("parameters", ()) if each["in"] == place]
    told = "text/event-stream" in operation["responses"].get("200", {}).get("content", ())
    return [each for each in found if not (told and each["name"] in IN_HEADERS)]


def _parameters(operation: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller gives: places, query and body, by name."""
    given = {each["name"]: each for place in ("path", "query") for each in _of(operation, place)}
    if _is_paged(operation):
        given = {name: told for name, told in given.items() if name not in NAMED_BY_THE_CLIENT}
    return given | ({"body": operation["requestBody"]} if "requestBody" in operation else {})


def _is_paged(operation: Mapping[str, Any]) -> bool:
    """Whether it answers with pages of one list; several lists at once are no such page."""
    content = operation["responses"][min(operation["responses"])].get("content", {})
    ref = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    named = DOCUMENT["components"]["schemas"].get(ref.rpartition("/")[2], {})
    return bool(named.get("properties", {}).keys() >= {"items", "next_cursor"})


def _own_parameters(method: str, operation: Mapping[str, Any]) -> set[str]:
    headers = {each["name"].lower() for each in _of(operation, "header")}
    assert ("idempotency-key" in headers) == (method != "get")
    return {name.replace("-", "_") for name in headers - {"idempotency-key"}} | (
        {"key"} if method != "get" else set()
    )


def _argument(name: str, told: Mapping[str, Any]) -> Any:
    if name == "body":
        return b"bytes" if "application/octet-stream" in told["content"] else Body()
    return f"a/ {name}" if told["in"] == "path" else "x"


class Body(Model):
    some: str = "text"


def _answer_of(operation: Mapping[str, Any]) -> httpx.Response:
    status = min(operation["responses"])
    contents = operation["responses"][status].get("content") or {"": {}}
    (media, told), *_ = contents.items()
    if media == "text/event-stream":
        return httpx.Response(204)
    if media != "application/json":
        return httpx.Response(int(status), text="text")
    return httpx.Response(int(status), json=_sample(told["schema"]))


def _use(result: Any) -> None:
    """Lists and streams ask when they are walked through."""
    if isinstance(result, Pages) or hasattr(result, "__next__"):
        list(result)


def _sample(schema: Mapping[str, Any]) -> Any:
    """The least that the schema allows."""
    if ref := schema.get("$ref"):
        return _sample(DOCUMENT["components"]["schemas"][ref.rpartition("/")[2]])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return _sample(options[0])
    if schema.get("format") == "date-time":
        return "2026-05-01T12:00:00Z"
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            return {name: _sample(properties[name]) for name in schema.get("required", ())}
        case "array":
            return [_sample(schema["items"])] if "$ref" in schema.get("items", {}) else []
        case "integer" | "number":
            return 1
        case "boolean":
            return False
        case "string":
            return schema.get("const") or (schema.get("enum") or ["text"])[0]
        case _:
            return None


def _models(kind: Any) -> set[tuple[str, ...]]:
    """The fields of the models that a type names, at first or second hand."""
    found: set[tuple[str, ...]] = set()
    seen: set[Any] = set()
    ahead = [kind]
    while ahead:
        one = ahead.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, type) and issubclass(one, Model):
            found.add(tuple(one.model_fields))
            ahead += [field.annotation for field in one.model_fields.values()]
        if one is not Frame:
            ahead += get_args(one)
    return found


def _schemas(schema: Any) -> set[tuple[str, ...]]:
    """The same of the document; of a page its items."""
    found: set[tuple[str, ...]] = set()
    seen: set[str] = set()
    ahead = [schema]
    while ahead:
        one = ahead.pop()
        if isinstance(one, list):
            ahead += one
        elif isinstance(one, Mapping):
            if isinstance(ref := one.get("$ref"), str) and ref not in seen:
                seen.add(ref)
                named = DOCUMENT["components"]["schemas"][ref.rpartition("/")[2]]
                if {"items", "next_cursor"} - named["properties"].keys():
                    found.add(tuple(named["properties"]))
                ahead.append(named)
            ahead += one.values()
    return found
