# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Ingestion are made of."""

from __future__ import annotations

from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.ingestion_parts import (
    DocumentBody,
    FeedReport,
    IngestionProblem,
    Note,
    NotRead,
)


class DocumentResult(Model):
    """What became of one document. ``index``: its place in the request, if it was refused.
    ``path`` is null until the document is recorded.

    ``skipped`` has nothing to be read, ``refused`` could not be taken at all; ``reason`` says why.
    """

    path: str | None
    state: str
    source_id: str | None
    reason: str | None
    message: str | None
    index: int | None


class Documents(Model):
    """Texts of one root. ``complete``: what the root had before and is not here is removed.

    A document that cannot be taken is refused by itself, and the others are read. ``engine`` null:
    a model reads where one is configured.
    """

    kind: Literal["documents"]
    root: str
    documents: list[DocumentBody]
    complete: bool = False
    accept_removals: bool = False
    lane: Literal["preview", "deep", "both"] = "both"
    target: Literal["tier1", "mandatory", "best_effort"] = "best_effort"
    limits: dict[str, float] = {}
    engine: Literal["heuristic", "model"] | None = None


class Folder(Model):
    """What is at a path of the machine of the service; for the owner's token of the
    installation.

    ``any_folder``: also a system folder or a whole home folder.
    """

    kind: Literal["folder"]
    path: str
    any_folder: bool = False
    root: str | None = None
    accept_removals: bool = False
    lane: Literal["preview", "deep", "both"] = "both"
    target: Literal["tier1", "mandatory", "best_effort"] = "best_effort"
    limits: dict[str, float] = {}
    engine: Literal["heuristic", "model"] | None = None


class IngestionStatus(Model):
    """``url`` answers this again. ``state``: ``waiting`` for a worker, ``recording``,
    ``reading`` (recorded, and read in stages), ``done`` (all that follows from it can be read),
    ``retrying`` after an outage; ``refused``, ``failed`` and ``cancelled`` are ends, ``problem``
    says why.

    ``results`` counts documents by what became of them, ``unread`` are the first of those that are
    refused or skipped, each with its reason; ``documents_url`` lists all. ``sent`` and
    ``unchanged`` count those that were recorded, ``feed`` tells more of it; None before.
    ``notices`` count what was found and is not read, by code; ``not_read`` are the first of each.
    """

    listed: int
    ready: int
    skipped: int
    skip_reasons: dict[str, int]
    chunks_total: int
    chunks_done: int
    atoms: int
    by_rules: dict[str, int]
    runs: list[dict[str, Any]]
    prd_version: int
    settled: bool
    undecided: list[str] = []
    atoms_beyond_limit: int = 0
    trigger_key: str
    project_id: str
    url: str
    documents_url: str
    state: str
    job_id: str | None = None
    root: str | None = None
    complete: bool | None = None
    results: dict[str, int] = {}
    unread: list[DocumentResult] = []
    sent: int = 0
    unchanged: int = 0
    notices: dict[str, int] = {}
    not_read: list[NotRead] = []
    notes: list[Note] = []
    feed: FeedReport | None = None
    problem: IngestionProblem | None = None


class Repository(Model):
    """A git repository: ``https://…`` or ``github:owner/repo``; owner and pm only."""

    kind: Literal["repository"]
    address: str
    root: str | None = None
    accept_removals: bool = False
    lane: Literal["preview", "deep", "both"] = "both"
    target: Literal["tier1", "mandatory", "best_effort"] = "best_effort"
    limits: dict[str, float] = {}
    engine: Literal["heuristic", "model"] | None = None
