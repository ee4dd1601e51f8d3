# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Ingestion are made of."""

from __future__ import annotations

from typing import Any

from infra.client.connection import Model


class DocumentBody(Model):
    path: str
    text: str


class FeedReport(Model):
    """Progress of the feeder; counts are sources. ``unreadable`` are sentences for the user."""

    listed: int = 0
    fed: int = 0
    unchanged: int = 0
    already_processed: int = 0
    bytes_fed: int = 0
    unreadable: list[str] = []


class IngestionProblem(Model):
    """Why an upload was not recorded, or not yet: ``status`` is what a request would have got."""

    code: str
    message: str
    status: int


class NotRead(Model):
    """Something at the source that is not read; ``code`` says why."""

    path: str
    code: str
    detail: str = ""


class Note(Model):
    """Something worth a line while work goes on. ``code`` is stable, ``message`` for people."""

    code: str
    message: str
    detail: dict[str, Any] = {}
