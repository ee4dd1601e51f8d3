"""What the models of the area Ingestion are made of."""

from __future__ import annotations

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
