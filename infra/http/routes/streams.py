"""Live streams: what a project or a run does, as Server-Sent Events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from starlette.requests import Request
from starlette.responses import Response

from infra.http.access import OBSERVERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep
from infra.http.auth import token_in
from infra.http.parameters import OF_ANY
from infra.http.sse import CHECKED_S, EventStream, parse_event_id
from infra.service import streams
from infra.service.tokens import Caller

router = APIRouter(route_class=Guarded, tags=["Streams"])
StreamId = Annotated[str, Path(max_length=100)]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=100)]
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Frames, until the stream ends. That of a project has no end.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    204: {"description": "The stream has ended, and the client has all of it."},
}


@router.get("/v1/streams/{stream_id}", response_class=Response, responses=STREAMED | OF_ANY)
@allow(*OBSERVERS)
async def follow_stream(
    request: Request,
    api: ApiDep,
    caller: CallerDep,
    stream_id: StreamId,
    last_event_id: LastEventId = None,
) -> Response:
    """Frames of a project or a run as they come, behind the one named by `Last-Event-ID`.

    Without it a run is told from its beginning, a project from now on. A frame that is not there
    any more gives a frame `reset`, then all that there is.
    """
    stream = await find_stream(api, caller, stream_id)
    epoch, seq = parse_event_id(last_event_id) if last_event_id else (stream.epoch, -1)
    ends = await api.tables.ask(streams.ends_of, stream_id, seq)
    is_reset = bool(last_event_id) and not (epoch == stream.epoch and ends.is_known)
    if last_event_id and not is_reset and ends.is_over and seq == ends.last:
        return Response(status_code=204)
    after = seq if last_event_id and not is_reset else -1
    if not last_event_id and stream.is_endless:
        after = ends.last
    token = token_in(request.scope)

    async def is_allowed() -> bool:
        known = await api.callers.find(token)
        return known is not None and known.may_see(stream.project_id)

    batches = api.hub.follow(stream_id, after, CHECKED_S)
    return EventStream(batches, stream.epoch, is_allowed, is_reset=is_reset)


async def find_stream(api: Api, caller: Caller, stream_id: str) -> streams.Stream:
    """Raises NotFound, in the same words, for a stream that is not there or not theirs."""
    stream = await api.tables.ask(streams.stream, stream_id)
    if not caller.may_see(stream.project_id):
        raise streams.unknown_stream(stream_id)
    return stream
