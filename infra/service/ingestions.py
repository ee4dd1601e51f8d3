"""How far an ingest is, from the upload that asks for it to the last document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from infra.service.ingestion import FeedReport
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.progress import TriggerProgress, trigger_progress
from projections.read.session import Conn, ReadModel, Row, rows

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
DocumentState = Literal["waiting", "ingested", "unchanged", "skipped", "refused"]
RESULTS = Listing(
    "ingested documents",
    "d.path, d.state, d.source_id, d.reason, d.message, d.index",
    # Those that were refused before anything was read come first.
    """(
        SELECT u.project_id, u.trigger_key, 0 AS part, r.index AS place, r.path,
            'refused' AS state, NULL AS source_id, r.code AS reason, r.message, r.index
        FROM uploads u CROSS JOIN LATERAL jsonb_to_recordset(u.refused)
            AS r(index int, path text, code text, message text)
        UNION ALL
        SELECT t.project_id, t.trigger_key, 1, t.position, s.path,
            CASE WHEN t.unchanged OR t.outcome = 'unchanged' THEN 'unchanged'
                WHEN t.outcome = 'sanitized' THEN 'ingested'
                WHEN t.outcome = 'skipped' THEN 'skipped' ELSE 'waiting' END,
            t.source_id, t.skip_reason, NULL, NULL
        FROM trigger_sources t LEFT JOIN sources s USING (source_id) WHERE t.position IS NOT NULL
    ) d""",
    {"d.part": "int", "d.place": "int"},
)


class DocumentResult(ReadModel):
    """What became of one document. ``index``: its place in the request, if it was refused.
    ``path`` is null until the document is recorded.

    ``skipped`` has nothing to be read, ``refused`` could not be taken at all; ``reason`` says why.
    """

    path: str | None
    state: DocumentState
    source_id: str | None
    reason: str | None
    message: str | None
    index: int | None


@dataclass(frozen=True, slots=True)
class IngestionProblem:
    """Why an upload was not recorded, or not yet: ``status`` is what a request would have got."""

    code: str
    message: str
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionStatus(TriggerProgress):
    """``url`` answers this again. ``state``: ``waiting`` for a worker, ``recording``, ``reading``
    (recorded, and read in stages), ``done`` (all that follows from it can be read), ``retrying``
    after an outage; ``refused``, ``failed`` and ``cancelled`` are ends, ``problem`` says why.

    ``results`` counts documents by what became of them, ``unread`` are the first of those that are
    refused or skipped, each with its reason; ``documents_url`` lists all. ``sent`` and
    ``unchanged`` count those that were recorded, ``feed`` tells more of it; None before.
    ``notices`` count what was found and is not read, by code.
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
    notes: list[str] = field(default_factory=list)
    feed: FeedReport | None = None
    problem: IngestionProblem | None = None


def read_ingestion(connection: Conn, project_id: str, trigger_key: str) -> IngestionStatus:
    """Where an ingest is."""
    progress = trigger_progress(connection, project_id, trigger_key)
    upload = _find_upload(connection, project_id, trigger_key)
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
        results=_count_results(connection, project_id, trigger_key),
        unread=list_documents(connection, project_id, trigger_key, condition=unread).items,
        sent=outcome.get("sent", 0),
        unchanged=outcome.get("unchanged", 0),
        notices=outcome.get("notices", {}),
        notes=outcome.get("notes", []),
        feed=FeedReport(**outcome["feed"]) if outcome else None,
        problem=_problem_of(upload),
    )


def list_documents(
    connection: Conn,
    project_id: str,
    trigger_key: str,
    *,
    condition: str = "true",
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DocumentResult]:
    """A page of what became of each document. Raises Refusal for a bad cursor."""
    of_trigger = ("d.project_id = %s AND d.trigger_key = %s", project_id, trigger_key)
    found, following = page_of(connection, RESULTS, [of_trigger, (condition,)], cursor, limit)
    return Page(items=[DocumentResult(**row) for row in found], next_cursor=following)


def _count_results(connection: Conn, project_id: str, trigger_key: str) -> dict[DocumentState, int]:
    counted = rows(
        connection,
        f"SELECT d.state, count(*) AS count FROM {RESULTS.tables}"
        " WHERE d.project_id = %s AND d.trigger_key = %s GROUP BY d.state ORDER BY d.state",
        *(project_id, trigger_key),
    )
    return {row["state"]: row["count"] for row in counted}


def url_of(project_id: str, trigger_key: str) -> str:
    """Where the status of an ingest is read."""
    return f"/v1/projects/{project_id}/ingestions/{quote(trigger_key, safe='')}"


def _find_upload(connection: Conn, project_id: str, trigger_key: str) -> Row:
    """The upload with its job; empty for an ingest that came another way."""
    found = rows(
        connection,
        "SELECT u.job_id, u.root, u.refused, u.outcome, u.problem, j.status, j.last_error,"
        " j.error_class FROM uploads u LEFT JOIN orchestration_jobs j USING (job_id)"
        " WHERE u.project_id = %s AND u.trigger_key = %s",
        *(project_id, trigger_key),
    )
    return found[0] if found else {}


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
