"""Every route says who may call it and is documented; nothing is served without a declared role."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from fastapi import APIRouter

from infra.http.access import ACCESS, Guarded, access_of, allow
from infra.http.app import create_app
from infra.http.openapi import WRITING
from infra.http.routes import AREAS
from infra.http.writes import HEADER
from infra.platform.settings import Settings
from infra.store.tokens import ROLES

FOR_ANYBODY = {"/health", "/ready", "/v1/openapi.json", "/openapi.json"}
# As whoever reads may, anyway; what agents do for a viewer is what a viewer may, and may stop.
WATCHES = {"create_stream_token", "create_pipeline_stream_token", "say", "stop_conversation"}
WATCHES |= {"say_to_assistant", "stop_own_conversation"}
# Of nobody but themselves.
OWN = {"add_memory", "edit_memory", "forget_memory", "forget_memories"}
OWN |= {"save_named_workflow", "remove_named_workflow"}
ASKING = {"read_code_context", "check_draft", "check_plan", "blame"}  # texts, too long for a query
SIGNED = {"/v1/webhooks/{service}/{project}"}
ROUTES: list[Any] = [route for area in AREAS for route in area.routes]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none")).openapi()


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.name}")
def test_every_route_declares_its_roles(route: Any):
    assert type(route) is Guarded
    access = access_of(route.endpoint)
    assert set(access.roles) <= set(ROLES)
    assert bool(access.roles) != (route.path in FOR_ANYBODY or access.signed)
    assert access.signed == (route.path in SIGNED)
    if route.name not in ASKING:
        assert (access.writes or access.signed) == bool(
            {method.lower() for method in route.methods or ()} & set(WRITING)
        )
    readers = {"privacy_officer"} if route.name in WATCHES | OWN else {"viewer", "privacy_officer"}
    assert not access.writes or not readers & set(access.roles)


def test_the_application_serves_these_routes_and_no_others(document: dict[str, Any]):
    served = {(path, method) for path, method, _ in operations(document)}
    listed = [route for route in ROUTES if route.include_in_schema]
    assert served == {(route.path_format, m.lower()) for route in listed for m in route.methods}
    assert {route.path for route in ROUTES if route not in listed} == {"/openapi.json"}


def test_a_route_without_roles_is_refused_when_it_is_made():
    router = APIRouter(route_class=Guarded)

    async def forgotten() -> str:
        return ""

    with pytest.raises(TypeError, match="forgotten does not say who may call it"):
        router.get("/forgotten")(forgotten)
    with pytest.raises(ValueError, match="name the roles"):
        allow()
    assert not hasattr(forgotten, ACCESS)


def test_the_document_is_of_openapi_31_and_names_each_operation_once(document: dict[str, Any]):
    assert document["openapi"].startswith("3.1")
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def test_every_operation_documents_its_errors_as_problems(document: dict[str, Any]):
    for path, method, operation in operations(document):
        for status, answer in operation["responses"].items():
            if int(status) >= 400 and path != "/ready":
                assert set(answer["content"]) == {"application/problem+json"}, (path, status)
        needs_token = bool(operation["x-roles"])
        assert needs_token == ({"401", "403"} <= set(operation["responses"])), path
        assert bool(operation["security"]) == needs_token
        keys = [each for each in operation.get("parameters", ()) if each["name"].lower() == HEADER]
        assert bool(keys) == (method in WRITING and not operation["x-signed"])
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_no_other_command_waits_for_fastapi():
    script = (
        "import sys; import infra.cli; from infra.cli.commands import COMMANDS, list_registered;"
        "[list_registered(each.module) for each in COMMANDS.values()];"
        "import infra.service.upkeep.status;"
        "assert not {'fastapi', 'uvicorn', 'starlette', 'mcp'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
