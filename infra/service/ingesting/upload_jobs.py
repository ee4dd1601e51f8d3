"""The job behind an upload: what a client has handed in is recorded, and what came of it noted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from infra.platform.errors import Invalid, Refusal, Unavailable
from infra.platform.loop import in_thread
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.foundation.job_kind import Workplace
from infra.service.foundation.progress import Note
from infra.service.foundation.publishing import redactor_of
from infra.service.ingesting.imports import JiraExport, SlackZip, import_export
from infra.service.ingesting.ingestion import (
    FeedReport,
    IngestRequest,
    SourceIngested,
    SourceListed,
)
from infra.service.ingesting.uploaded_sources import (
    Ingested,
    ingest_address,
    ingest_archive,
    ingest_documents,
    ingest_folder,
)
from infra.service.ingesting.uploads import Upload, close_upload, find_outcome, open_upload
from infra.store.jobs.keeper import RunningJob

MOST_NOTES = 50  # that are kept of one upload


async def read_upload(place: Workplace, job: RunningJob, key: str) -> Mapping[str, Any]:
    """Record what was kept under ``key``, once. Raises Refusal for what cannot be read."""
    settings, project_id = place.settings, job.lease.project_id
    if outcome := await find_outcome(settings, project_id, key):  # a worker ended just then
        return _result_of(outcome)
    upload, content = await open_upload(settings, project_id, key)
    listed: list[SourceListed] = []

    def tell_listed(step: SourceListed) -> None:
        listed.append(step)
        job.report(root=step.root, listed=step.items)

    try:
        ingested = await _ingest(
            settings, upload, content, project_id, key, tell_listed, is_new=job.lease.epoch == 1
        )
    except Unavailable:  # an outage is not the upload's fault: another attempt follows
        raise
    except Refusal as error:
        told = redactor_of(settings).text(str(error))
        status = 422 if isinstance(error, Invalid) else 409
        shown = told if upload.path else hide_paths_of(settings, told)
        problem = {"code": error.code, "message": shown, "status": status}
        frees_key = not listed and job.lease.epoch == 1
        await close_upload(settings, project_id, key, problem=problem, frees_key=frees_key)
        raise Refusal(told, code=error.code) from error
    outcome = _outcome_of(ingested)
    await close_upload(settings, project_id, key, outcome=outcome)
    return _result_of(outcome)


async def _ingest(
    settings: Settings,
    upload: Upload,
    content: bytes,
    project_id: str,
    key: str,
    tell_listed: Callable[[SourceListed], None],
    *,
    is_new: bool,
) -> Ingested:
    request = upload.request(project_id, key, key_may_repeat=not is_new)
    match upload.kind:
        case "documents":
            return await ingest_documents(settings, request, upload.documents, tell_listed)
        case "archive":
            name = upload.archive_name
            return await ingest_archive(settings, request, name, content, tell_listed)
        case "repository":
            return await ingest_address(settings, request, upload.address, tell_listed)
        case "folder":
            return await ingest_folder(settings, request, upload.path, tell_listed)
        case "jira" | "slack":
            return await _import(settings, request, upload, content)


async def _import(
    settings: Settings, request: IngestRequest, upload: Upload, content: bytes
) -> Ingested:
    """The items of an exported file, which lies at a path of the machine or was sent."""
    notes: list[Note] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(upload.path or Path(folder, "export"))
        if not upload.path:
            await in_thread(lambda: file.write_bytes(content))
        export = (
            JiraExport(file, upload.site)
            if upload.kind == "jira"
            else SlackZip(file, upload.channels, upload.team)
        )
        imported = await import_export(
            settings, request.project, export, actor=request.actor, tell=notes.append
        )
    counts = imported.counts
    done = SourceIngested(
        source=upload.kind,
        project=request.project,
        project_id=request.project,
        trigger_key=request.key,
        root=upload.kind,
        complete=False,
        feed=FeedReport(listed=counts.seen, fed=counts.published, unchanged=counts.unchanged),
        notices={"refused": counts.refused} if counts.refused else {},
    )
    return Ingested(done, (*notes, *(Note("not_read", line) for line in imported.notices)))


def _result_of(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {name: outcome[name] for name in ("root", "complete", "sent", "unchanged")}


def _outcome_of(ingested: Ingested) -> dict[str, Any]:
    result = ingested.result
    feed = asdict(result.feed)
    return {
        "root": result.root,
        "complete": result.complete,
        "sent": result.feed.fed,
        "unchanged": result.feed.unchanged + result.feed.already_processed,
        "notices": result.notices,
        "not_read": [asdict(each) for each in ingested.not_read],
        "notes": [asdict(note) for note in ingested.notes[:MOST_NOTES]],
        "feed": feed | {"unreadable": feed["unreadable"][:MOST_NOTES]},
    }
