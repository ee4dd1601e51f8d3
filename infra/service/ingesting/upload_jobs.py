"""The job behind an upload: what a client has handed in is recorded, and what came of it noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from infra.platform.errors import Refusal, Unavailable
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.ingesting.ingestion import SourceListed
from infra.service.ingesting.uploaded_sources import (
    Ingested,
    ingest_address,
    ingest_archive,
    ingest_documents,
)
from infra.service.ingesting.uploads import Upload, close_upload, find_outcome, open_upload
from infra.service.jobs.job_kind import Workplace
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
        told = hide_paths_of(settings, str(error))
        problem = {"code": error.code, "message": told, "status": 422}
        frees_key = not listed and job.lease.epoch == 1
        await close_upload(settings, project_id, key, problem=problem, frees_key=frees_key)
        raise Refusal(str(error), code=error.code) from error
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


def _result_of(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {name: outcome[name] for name in ("root", "complete", "sent", "unchanged")}


def _outcome_of(ingested: Ingested) -> dict[str, Any]:
    result = ingested.result
    feed = asdict(result.feed)
    return {
        "root": result.root,
        "complete": result.complete,
        "sent": result.feed.fed,
        "unchanged": result.feed.unchanged + result.feed.answered_before,
        "notices": result.notices,
        "notes": [note.message for note in ingested.notes][:MOST_NOTES],
        "feed": feed | {"unreadable": feed["unreadable"][:MOST_NOTES]},
    }
