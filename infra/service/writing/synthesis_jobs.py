"""Has a model word new artifacts by itself: a background job for each settled position, and one
for each sprint plan and report.

A project waits until no run is under way and nothing has changed for a while, so that no words are
paid for that the next record makes old.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from agents.synthesis.order import DOCUMENTS, WORDED_TYPES
from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.foundation.job_kind import Payload, Workplace, is_job_cancelled
from infra.service.planning.section_edits import request_change
from infra.store.jobs import queue
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.outbox import Conn
from infra.store.jobs.queue import NewJob
from projections.read import quality, wording
from projections.read.quality import AssessedArtifact
from projections.read.wording import ListedItem
from schemas.codec import utc_millis
from schemas.envelope import Actor, outside_fact
from schemas.events.artifact_parts import ArtifactType
from schemas.events.change import ChangeRequested

if TYPE_CHECKING:
    from infra.service.writing.synthesis import WriterPorts

QUIET_S = 10.0
KEY_PREFIX, DOCUMENT_PREFIX = "after_settling|", "after_writing|"
BY = Actor(type="agent", id="synthesis")


class SynthesisPayload(Payload):
    """The sprint plan or report to word; None: what else only rules have worded so far."""

    artifact_id: str | None = None


def enqueue_syntheses(tables: Conn, quiet_s: float = QUIET_S) -> list[str]:
    """Put a job into the queue for each project that waits for one, then for each sprint plan and
    report of the others, which are made from what is worded there; the ids of the new jobs.
    """
    projects = wording.list_unworded_projects(tables, list(WORDED_TYPES), KEY_PREFIX, quiet_s)
    enqueued = [
        _enqueue(tables, one.project_id, f"{KEY_PREFIX}{one.ledger_seq}", {}) for one in projects
    ]
    for one in wording.list_unworded_documents(tables, DOCUMENTS, DOCUMENT_PREFIX, quiet_s):
        key = f"{DOCUMENT_PREFIX}{one.artifact_id}|{one.version}"
        told = {"artifact_id": one.artifact_id}
        enqueued.append(_enqueue(tables, one.project_id, key, told))
    return [job_id for job_id in enqueued if job_id]


def _enqueue(tables: Conn, project_id: str, key: str, payload: Mapping[str, Any]) -> str | None:
    job = NewJob(
        project_id=project_id,
        job_type="synthesis",
        key=key,
        payload=dict(payload),
        created_by=f"{BY.type}:{BY.id}",
        priority="background",
        serial_key=f"synthesis|{project_id}",  # two at once would pay for the same words
    )
    job_id, is_new = queue.enqueue(tables, job, BY)
    return job_id if is_new else None


async def word_artifacts(
    place: Workplace, job: RunningJob, payload: SynthesisPayload
) -> Mapping[str, Any]:
    """Have a model word the artifacts of a project. Without one nothing changes, and the result
    says so; when no provider answers, the job is tried again.
    """
    from agents.models.errors import AllProvidersFailed
    from infra.service.models.models import open_model
    from infra.service.writing.synthesis import Writer
    from infra.service.writing.synthesis_pass import word_document, word_project

    lease = job.lease
    async with open_model(place.settings) as model:
        if model is None:
            return {"engine": "heuristic", "worded": 0, "reason": "no_model"}
        ports = open_ports(place.settings, lease.project_id, lease.job_id)
        writer = Writer(model, lease.project_id, ports, correlation_id=lease.job_id)
        try:
            report = (
                await word_document(writer, payload.artifact_id)
                if payload.artifact_id
                else await word_project(writer)
            )
        except AllProvidersFailed as failed:
            raise Unavailable(str(failed), code=failed.code) from failed
    return {"engine": "model" if report.worded else "heuristic"} | asdict(report)


def open_ports(settings: Settings, project_id: str, job_id: str) -> WriterPorts:
    """The artifacts of a project as the tables hold them, and the writer of artifacts."""
    from infra.service.writing.synthesis import WriterPorts

    async def find(name: str) -> AssessedArtifact | None:
        try:
            return await ask(
                settings, lambda tables: quality.read_assessed(tables, project_id, name)
            )
        except NotFound:
            return None

    async def list_items(artifact_type: ArtifactType) -> Sequence[ListedItem]:
        return await ask(
            settings, lambda tables: wording.list_listed_items(tables, project_id, artifact_type)
        )

    is_cancelled = partial(is_job_cancelled, settings, job_id)
    return WriterPorts(find, list_items, partial(_hand_over, settings, project_id), is_cancelled)


async def _hand_over(
    settings: Settings, project_id: str, change: ChangeRequested, key: str
) -> str | None:
    """Why the writer of artifacts does not take a model's words; None where it does."""
    fact = outside_fact(
        change,
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=BY,
        natural_key=key,
    )
    try:
        await request_change(settings, fact)
    except Unavailable:
        raise
    except Refusal as refused:
        return refused.code
    return None
