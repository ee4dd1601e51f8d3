"""Live streams: what a project or a run does, as Server-Sent Events.

The stream of a project holds the frames of all that happens in it, so one connection does for a
browser tab. Those of a run or a pipeline begin at its beginning and have an end.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import OBSERVERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep
from infra.http.following import follow
from infra.http.parameters import OF_ANY, Project
from infra.service.access.stream_tokens import NewStreamToken
from infra.store.tokens import Caller
from projections.read.belonging import check_belongs
from projections.read.streams import Stream, read_stream, unknown_stream

router = APIRouter(route_class=Guarded, tags=["Streams"])
StreamId = Annotated[str, Path(max_length=100)]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]
AgainFrom = Annotated[
    str | None,
    Query(alias="last_event_id", description="As `Last-Event-ID`, which counts when both are."),
]
StreamToken = Annotated[
    str | None, Query(description="A stream token, for a client that can send no header.")
]
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Frames, until the stream ends. That of a project has no end.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    204: {"description": "The stream has ended, and the client has all of it."},
}


class StreamTokenRequest(BaseModel):
    """``stream_id`` is a run, a pipeline or the project; none: the project."""

    model_config = ConfigDict(extra="forbid")

    stream_id: str | None = Field(None, max_length=100)


class PipelineStreamRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pipeline_id: str = Field(max_length=100)


@router.get("/v1/streams/{stream_id}", response_class=Response, responses=STREAMED | OF_ANY)
@allow(*OBSERVERS)
async def follow_stream(
    api: ApiDep,
    caller: CallerDep,
    stream_id: StreamId,
    header_id: LastEventId = None,
    query_id: AgainFrom = None,
    token: StreamToken = None,
) -> Response:
    """Frames of a project or a run as they come, behind the one named by `Last-Event-ID`.

    Without it a run is told from its beginning, a project from now on. A frame that is not there
    any more gives a frame `reset`, then all that there is. Frames of a project are `atoms` and
    `contradictions` (one of each for a change set of the ledger, with `count` and the first 50),
    `decision`, `run`, `progress`, `phase`, `prd_section`, `settled` and others.
    """
    stream = await find_stream(api, caller, stream_id)
    return await follow(api, caller, stream, header_id or query_id)


@router.post("/v1/projects/{project}/stream-token", status_code=201, responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def create_stream_token(
    api: ApiDep, caller: CallerDep, project: Project, body: StreamTokenRequest, response: Response
) -> NewStreamToken:
    """Make a token that opens one stream of the project in the next five minutes.

    It is for a client that can send no header, and goes into the address as `token`. A stream that
    it has opened stays open as long as the token of the caller is valid.
    """
    return await _create_token(api, caller, project, body.stream_id or project, response)


@router.post("/v1/projects/{project}/onboarding/stream-token", status_code=201, responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def create_pipeline_stream_token(
    api: ApiDep,
    caller: CallerDep,
    project: Project,
    body: PipelineStreamRequest,
    response: Response,
) -> NewStreamToken:
    """Make a token that opens the stream of an onboarding pipeline in the next five minutes."""
    await api.tables.ask(check_belongs, project, body.pipeline_id)
    return await _create_token(api, caller, project, body.pipeline_id, response)


async def _create_token(
    api: Api, caller: Caller, project: str, stream_id: str, response: Response
) -> NewStreamToken:
    stream = await find_stream(api, caller, stream_id)
    if stream.project_id != project:
        raise unknown_stream(stream_id)
    response.headers["cache-control"] = "no-store"
    return api.stream_tokens.create(stream, caller)


async def find_stream(api: Api, caller: Caller, stream_id: str) -> Stream:
    """Raises NotFound, in the same words, for a stream that is not there or not theirs."""
    stream = await api.tables.ask(read_stream, stream_id)
    if not caller.may_follow(stream):
        raise unknown_stream(stream_id)
    return stream
