"""Examples of the document of the API are sent as they are: none is refused as invalid."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest

from infra.http.openapi import JSON
from tests.http.conftest import Called

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PROJECT = "/v1/projects/{project}"


def test_no_example_is_refused_as_invalid(called: Called, owner: httpx.Client):
    name = f"Examples {secrets.token_hex(4)}"
    project = owner.post("/v1/projects", json={"name": name}).json()["project_id"]
    document = owner.get("/v1/openapi.json").json()
    refused = []
    for path, methods in document["paths"].items():
        if path in (PROJECT, f"{PROJECT}/archives", "/v1/streams/{stream_id}"):
            continue  # deletes the project; has no body of JSON; does not end
        for method, operation in methods.items():
            if operation["x-signed"]:
                continue
            answer = send(owner, method, path, operation, project)
            unknown = answer.status_code == 403 and answer.json()["code"] == "repository_unknown"
            if answer.status_code not in (200, 201, 202, 204, 404, 409) and not unknown:
                refused.append(f"{operation['operationId']}: {answer.text}")
    assert refused == []


def send(
    client: httpx.Client, method: str, path: str, operation: dict[str, Any], project: str
) -> httpx.Response:
    query: dict[str, Any] = {}
    for each in operation.get("parameters", ()):
        if each["name"] == "project":
            path = path.replace("{project}", project)
        elif each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", str(each["example"]))
        elif each["in"] == "query" and "example" in each:
            query[each["name"]] = each["example"]
    content = operation.get("requestBody", {}).get("content", {})
    body = {"json": content[JSON]["example"]} if "example" in content.get(JSON, {}) else {}
    return client.request(method.upper(), path, params=query, **body)
