"""A public generator makes a client of the document, drops nothing, and the client works."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from infra.http.app import create_app
from infra.http.client_code import read_document
from infra.platform.settings import Settings

DOCUMENT = read_document()
PACKAGE = "generated_cairn_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the generated package, on the path of imports."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "document.json").write_text(json.dumps(DOCUMENT))
    (folder / "config.yaml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    files = ["--path", "document.json", "--config", "config.yaml", "--output-path", PACKAGE]
    done = subprocess.run(
        [*command, *files, "--fail-on-warning"],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


def module(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{name}")


def test_every_operation_and_every_model_is_there(generated: Path):
    names = {
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
    }
    calls = {path.stem for path in (generated / PACKAGE / "api").rglob("*.py")}
    assert names <= calls
    models = {name.replace("_", "").lower() for name in dir(module("models"))}
    objects = {
        name.replace("_", "").lower()
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if schema.get("type") == "object"
    }
    assert objects <= models


def test_the_generated_client_calls_and_reads_problems(generated: Path):
    app = create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none"))
    client = module("client").Client(
        base_url="http://localhost", httpx_args={"transport": httpx.ASGITransport(app)}
    )
    health = asyncio.run(module("api.operation.check_health").asyncio(client=client))
    assert health.status == "ok"
    refused = asyncio.run(module("api.projects.list_projects").asyncio(client=client))
    assert type(refused).__name__ == "Problem"
    assert (refused.status, refused.code) == (401, "unauthenticated")
