"""How far an ingest is, from the upload that asks for it to the last document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from infra.service.foundation.progress import Note
from infra.service.ingesting.ingestion import FeedReport
from infra.store.ingestion_results import (
    DocumentResult,
    DocumentState,
    count_results,
    find_upload,
    list_document_results,
)
from projections.read.progress import TriggerProgress, read_trigger_progress
from projections.read.session import Conn, Row

IngestionState = Literal[
    "waiting", "recording", "retrying", "reading", "done", "refused", "failed", "cancelled"
]
# What the job says as long as nothing else is known of an upload.
OF_JOB: dict[str, IngestionState] = {
    "queued": "waiting",
    "leased": "recording",
    "failed": "retrying",
    "dead": "failed",
    "cancelled": "cancelled",
}


@dataclass(frozen=True, slots=True)
class IngestionProblem:
    """Why an upload was not recorded, or not yet: ``status`` is what a request would have got."""

    code: str
    message: str
    status: int


@dataclass(frozen=True, slots=True)
class NotRead:
    """Something at the source that is not read; ``code`` says why."""

    path: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionStatus(TriggerProgress):
    """``url`` answers this again. ``state``: ``waiting`` for a worker, ``recording``, ``reading``
    (recorded, and read in stages), ``done`` (all that follows from it can be read), ``retrying``
    after an outage; ``refused``, ``failed`` and ``cancelled`` are ends, ``problem`` says why.

    ``results`` counts documents by what became of them, ``unread`` are the first of those that are
    refused or skipped, each with its reason; ``documents_url`` lists all. ``sent`` and
    ``unchanged`` count those that were recorded, ``feed`` tells more of it; None before.
    ``notices`` count what was found and is not read, by code; ``not_read`` are the first of each.
    """

    trigger_key: str
    project_id: str
    url: str
    documents_url: str
    state: IngestionState
    job_id: str | None = None
    root: str | None = None
    complete: bool | None = None
    results: dict[DocumentState, int] = field(default_factory=dict)
    unread: list[DocumentResult] = field(default_factory=list)
    sent: int = 0
    unchanged: int = 0
    notices: dict[str, int] = field(default_factory=dict)
    not_read: list[NotRead] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    feed: FeedReport | None = None
    problem: IngestionProblem | None = None


def read_ingestion(connection: Conn, project_id: str, trigger_key: str) -> IngestionStatus:
    """Where an ingest is."""
    progress = read_trigger_progress(connection, project_id, trigger_key)
    upload = find_upload(connection, project_id, trigger_key)
    outcome: dict[str, Any] = upload.get("outcome") or {}
    url = url_of(project_id, trigger_key)
    unread = "d.state IN ('refused', 'skipped')"
    return IngestionStatus(
        **{name: getattr(progress, name) for name in TriggerProgress.__dataclass_fields__},
        trigger_key=trigger_key,
        project_id=project_id,
        url=url,
        documents_url=f"{url}/documents",
        state=_state_of(upload, progress),
        job_id=upload.get("job_id"),
        root=outcome.get("root") or upload.get("root"),
        complete=outcome.get("complete"),
        results=count_results(connection, project_id, trigger_key),
        unread=list_document_results(connection, project_id, trigger_key, condition=unread).items,
        sent=outcome.get("sent", 0),
        unchanged=outcome.get("unchanged", 0),
        notices=outcome.get("notices", {}),
        not_read=[NotRead(**each) for each in outcome.get("not_read", ())],
        notes=[Note(**each) for each in outcome.get("notes", ())],
        feed=FeedReport(**outcome["feed"]) if outcome else None,
        problem=_problem_of(upload),
    )


def url_of(project_id: str, trigger_key: str) -> str:
    """Where the status of an ingest is read."""
    return f"/v1/projects/{project_id}/ingestions/{quote(trigger_key, safe='')}"


def _state_of(upload: Row, progress: TriggerProgress) -> IngestionState:
    if progress.settled:
        return "done"
    if upload.get("problem"):
        return "refused"
    if not upload or upload["outcome"]:
        return "reading" if progress.listed or progress.runs or upload else "waiting"
    return OF_JOB.get(upload["status"] or "queued", "recording")


def _problem_of(upload: Row) -> IngestionProblem | None:
    if not upload or upload["outcome"]:
        return None
    if upload["problem"]:
        return IngestionProblem(**upload["problem"])
    if upload["status"] in ("failed", "dead") and upload["last_error"]:
        return IngestionProblem("unavailable", upload["last_error"], 503)
    return None
