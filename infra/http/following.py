"""Follow a stream from where a client left it, for as long as its caller may."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from infra.http.api import Api
from infra.http.sse import EventStream, parse_event_id
from infra.platform.errors import DatabaseUnavailable
from infra.store.tokens import Caller
from projections.read.streams import Stream, read_ends
from schemas.envelope import SERVICE_WIDE


async def follow(
    api: Api,
    caller: Caller,
    stream: Stream,
    last_event_id: str | None,
    find_again: Callable[[], Awaitable[Caller | None]] | None = None,
) -> Response:
    """Frames as they come, behind ``last_event_id``; no content when the client has all of them.

    Without an id a run is told from its beginning, a project from now on. Raises Malformed for what
    is no id. ``find_again``: who the caller is while the stream is open, else asked of the token.
    """
    epoch, seq = parse_event_id(last_event_id) if last_event_id else (stream.epoch, -1)
    ends = await api.tables.ask(read_ends, stream.stream_id, seq)
    is_reset = bool(last_event_id) and not (epoch == stream.epoch and ends.is_known)
    if last_event_id and not is_reset and ends.is_over and seq == ends.last:
        return Response(status_code=204)
    after = seq if last_event_id and not is_reset else -1
    if not last_event_id and stream.is_endless:
        after = ends.last

    async def is_allowed() -> bool:
        try:
            known = await (find_again() if find_again else api.callers.find_by_id(caller.token_id))
            if stream.owner:  # who speaks for its owner does so as long as their token is valid
                return known is not None and caller.may_follow(stream)
            is_there = stream.project_id == SERVICE_WIDE or await api.is_there(stream.project_id)
        except DatabaseUnavailable:  # nothing can be revoked now, nor does anything new come
            return True
        return known is not None and known.may_see(stream.project_id) and is_there

    batches = api.hub.follow(stream.stream_id, after)
    return EventStream(batches, stream.epoch, is_allowed, is_reset=is_reset)
