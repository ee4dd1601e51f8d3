# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Streams."""

from __future__ import annotations

from collections.abc import Iterator

from infra.client import models
from infra.client.connection import Connection
from infra.client.events import Frame


class Streams(Connection):
    def follow_stream(self, stream_id: str, *, last_event_id: str | None = None) -> Iterator[Frame]:
        """Frames of a project or a run as they come, behind the one named by `Last-Event-ID`.

        Without it a run is told from its beginning, a project from now on. A frame that is not
        there any more gives a frame `reset`, then all that there is. Frames of a project are
        `atoms` and `contradictions` (one of each for a change set of the ledger, with `count` and
        the first 50), `decision`, `run`, `progress`, `phase`, `prd_section`, `settled` and others.
        """
        return self._follow(
            "/v1/streams/{stream_id}", at={"stream_id": stream_id}, last_event_id=last_event_id
        )

    def create_stream_token(
        self, project: str, body: models.streams.StreamTokenRequest, *, key: str | None = None
    ) -> models.streams.NewStreamToken:
        """Make a token that opens one stream of the project in the next five minutes.

        It is for a client that can send no header, and goes into the address as `token`. A stream
        that it has opened stays open as long as the token of the caller is valid.
        """
        return self._write(
            models.streams.NewStreamToken,
            "POST",
            "/v1/projects/{project}/stream-token",
            at={"project": project},
            key=key,
            body=body,
        )

    def create_pipeline_stream_token(
        self, project: str, body: models.streams.PipelineStreamRequest, *, key: str | None = None
    ) -> models.streams.NewStreamToken:
        """Make a token that opens the stream of an onboarding pipeline in the next five minutes."""
        return self._write(
            models.streams.NewStreamToken,
            "POST",
            "/v1/projects/{project}/onboarding/stream-token",
            at={"project": project},
            key=key,
            body=body,
        )
