"""The operations of the area Streams."""

from __future__ import annotations

from collections.abc import Iterator

from infra.client.connection import Connection
from infra.client.events import Frame


class Streams(Connection):
    def follow_stream(self, stream_id: str, *, last_event_id: str | None = None) -> Iterator[Frame]:
        """Frames of a project or a run as they come, behind the one named by `Last-Event-ID`.

        Without it a run is told from its beginning, a project from now on. A frame that is not
        there any more gives a frame `reset`, then all that there is.
        """
        return self._follow(
            "/v1/streams/{stream_id}", at={"stream_id": stream_id}, last_event_id=last_event_id
        )
