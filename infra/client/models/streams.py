# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Streams are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class NewStreamToken(Model):
    """``stream_url`` is the address to connect to, on the server that was asked."""

    token: str
    expires_at: datetime
    stream_url: str


class PipelineStreamRequest(Model):
    pipeline_id: str


class StreamTokenRequest(Model):
    """``stream_id`` is a run, a pipeline or the project; none: the project."""

    stream_id: str | None = None
