"""`/mcp`: the MCP server for coding assistants, without sessions, over the shared connections.

The project is that of the token, which has to be good for one alone, or the one that the header
`Cairn-Project` names: a model that may choose could be talked into another one. Each request is
checked as on every other route; the SDK sees it after that, and answers with JSON, never with a
stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from infra.http.access import READERS, Guarded, allow
from infra.http.api import api_of, known_caller
from infra.mcp.server import Context, build_server
from infra.platform.errors import Forbidden
from infra.service.foundation.connections import ProjectTables
from infra.store.tokens import Caller

PROJECT = "cairn-project"  # as `cairn mcp` names it, which is started for one
router = APIRouter(route_class=Guarded, tags=["Coding assistants"])


@router.post("/mcp", include_in_schema=False)
@allow(*READERS)
async def answer_mcp(request: Request) -> Response:
    """A message of the Model Context Protocol, and its answer."""
    return SdkAnswer(request.app.state.mcp, await request.body())


class SdkAnswer(Response):
    """What the SDK answers to a request whose body has been read."""

    def __init__(self, manager: StreamableHTTPSessionManager, received: bytes) -> None:
        super().__init__()
        self._manager, self._received = manager, received

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ahead: list[Message] = [{"type": "http.request", "body": self._received}]

        async def read() -> Message:
            return ahead.pop() if ahead else await receive()

        await self._manager.handle_request(scope, read, send)


@asynccontextmanager
async def serving_mcp() -> AsyncIterator[StreamableHTTPSessionManager]:
    """What `/mcp` hands its requests to, while the application runs."""
    manager = StreamableHTTPSessionManager(
        build_server(find_tables), json_response=True, stateless=True
    )
    async with manager.run():
        yield manager


def _only_project(caller: Caller) -> str:
    """Raises Forbidden for a token of several."""
    if caller.projects is None or len(caller.projects) != 1:
        raise Forbidden(
            "This token is good for more than one project, and here it says which one is read: make"
            " a token for one project.",
            code="token_of_several_projects",
        )
    (project_id,) = caller.projects
    return project_id


async def find_tables(context: Context) -> ProjectTables:
    """The tables of the token's project. Raises Forbidden for a token of several, NotFound."""
    request = context.request
    assert isinstance(request, Request)  # over HTTP the SDK always has it
    api, caller = api_of(request), await known_caller(request)
    project_id = request.headers.get(PROJECT, "") or _only_project(caller)
    await api.check_project(project_id, caller)
    return api.tables.of_project(project_id)
