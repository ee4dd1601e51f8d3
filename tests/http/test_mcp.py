"""The MCP server as assistants reach it: over a process of their own, and at `/mcp`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from infra.cli.calls import Cairn
from infra.mcp.tools import TOOLS
from infra.platform.errors import NotFound
from tests.http.conftest import Called
from tests.mcp.results import text_of

pytestmark = pytest.mark.broker

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def token(called: Called) -> str:
    return called.make_token("viewer", called.project)


def at_address(called: Called, token: str) -> Any:
    client = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60)
    return streamable_http_client(f"{called.url}/mcp", http_client=client)


def as_process(called: Called, **environ: str) -> StdioServerParameters:
    """`cairn mcp` as an assistant starts it, with nothing else of this process's environment."""
    arguments = ["-m", "infra.cli", "mcp", "--project", "Parcel"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environ, cwd=ROOT)


def talk(server: Any, era: str, talk: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
    async def connect() -> T:
        async with Client(server, mode=era) as client:
            return await talk(client)

    return asyncio.run(connect())


async def ask_everything(client: Client) -> dict[str, Any]:
    """What each tool says, and the resource of an atom."""
    assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
    atom = (await client.list_resources()).resources[0].uri
    atom_id = atom.removeprefix("cairn://atom/")
    arguments: dict[str, dict[str, Any]] = {
        "search": {"query": "How fast is a scan request answered?"},
        "get_atom": {"atom_id": atom_id},
        "trace": {"id": atom_id},
        "changes_since": {"since_seq": 0},
        "artifact": {"type": "prd"},
    }
    told: dict[str, Any] = {atom: (await client.read_resource(atom)).contents}
    for name in TOOLS:
        result = await client.call_tool(name, arguments.get(name, {}))
        assert not result.is_error, result.content
        told[name] = (result.content, result.structured_content)
    return told


def test_both_eras_hear_the_same_on_stdio_at_the_address_and_from_a_service_elsewhere(
    called: Called, token: str, tmp_path: Path
):
    here = {"CAIRN_HOME": str(called.cairn.home)}
    elsewhere = {"CAIRN_HOME": str(tmp_path), "CAIRN_URL": called.url, "CAIRN_TOKEN": token}
    told = [
        talk(at_address(called, token), "auto", ask_everything),
        talk(at_address(called, token), "legacy", ask_everything),
        talk(as_process(called, **here), "auto", ask_everything),
        talk(as_process(called, **elsewhere), "legacy", ask_everything),
    ]
    assert all(each == told[0] for each in told)


def test_the_token_says_which_project_is_read(called: Called, token: str):
    async def find(client: Client) -> str:
        return (await client.list_resources()).resources[0].uri.removeprefix("cairn://atom/")

    async def get(client: Client) -> str:
        result = await client.call_tool("get_atom", {"atom_id": atom_id})
        assert result.is_error
        return text_of(result)

    atom_id = talk(at_address(called, token), "auto", find)
    foreign = called.make_token("viewer", called.other)
    assert talk(at_address(called, foreign), "auto", get) == f"There is no atom {atom_id}."
    both = called.make_token("viewer", called.project, called.other)
    for several in (both, called.token):
        told = talk(at_address(called, several), "auto", get)
        assert told.startswith("This token is good for more than one project")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"authorization": ""}, 401, "unauthenticated"),
        ({"host": "evil.example"}, 400, "host_not_allowed"),
        ({"origin": "https://evil.example"}, 403, "origin_not_allowed"),
    ],
)
def test_the_address_is_guarded_as_every_route(
    called: Called, token: str, headers: dict[str, str], status: int, code: str
):
    with called.client(token) as client:
        answered = client.post("/mcp", json=LIST_TOOLS, headers=ACCEPT | headers)
        assert (answered.status_code, answered.json()["code"]) == (status, code)
        assert client.get("/mcp", headers=ACCEPT).status_code == 405


def test_a_role_that_may_not_read_is_refused(called: Called):
    with called.client(called.make_token("operator", called.project)) as client:
        answered = client.post("/mcp", json=LIST_TOOLS, headers=ACCEPT)
    assert (answered.status_code, answered.json()["code"]) == (403, "role_not_allowed")


def test_a_wrong_project_is_one_sentence(called: Called):
    with pytest.raises(NotFound, match="^There is no project Parcels.$"):
        Cairn(called.url, called.token).project_of("Parcels")
