"""What each type of job does: its payload as a model, and a handler over existing use cases.

To add one: a model, a handler, an entry in ``JOB_KINDS``. A handler may be started again by another
worker after a crash, so what it does is made safe to repeat by keys taken from the job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from infra.platform.errors import Refusal, Unavailable
from infra.service.foundation.job_kind import (
    JobKind,
    Payload,
    Workplace,
    is_job_cancelled,
    name_of,
)
from infra.service.planning.planning_jobs import (
    GenerationPayload,
    ReportPayload,
    SprintPlanningPayload,
    generate_list,
    make_report,
    plan_sprints,
)
from infra.service.writing.synthesis_jobs import SynthesisPayload, word_artifacts
from infra.store.jobs.keeper import RunningJob
from schemas.envelope import SERVICE_WIDE
from schemas.events.artifact_quality import QualityMode
from schemas.events.job import JobType

if TYPE_CHECKING:
    from infra.service.connecting.connectors import StreamResult
    from infra.service.foundation.progress import Note
    from infra.service.ingesting.ingestion import IngestStep, SourceIngested

MOST_FINDINGS = 100  # of a damaged log that a result names
MOST_DIFFERENCES = 1_000  # rows that a result names


class IngestionPayload(Payload):
    """Sources to read, as for an ingest; the job's key is the trigger's.

    ``upload`` in their place: the key of what a client has sent over HTTP, to be recorded.
    """

    sources: tuple[str, ...] = ()
    upload: str = ""
    lane: Literal["preview", "deep", "both"] = "both"
    as_name: str | None = None
    accept_removals: bool = False
    limits: dict[str, float] = {}

    @model_validator(mode="after")
    def _names_something(self) -> IngestionPayload:
        if bool(self.sources) == bool(self.upload):
            raise ValueError("name sources, or what was uploaded")
        return self


class ConnectorSyncPayload(Payload):
    """Connectors to read: an id, a target or ``all``; ``reconcile`` compares them in full.

    ``tells_failures``: whoever has asked reads the result, so a stream that cannot be read is told
    in it, and not tried again.
    """

    connector: str = "all"
    streams: tuple[str, ...] = ()
    reconcile: bool = False
    accept_removals: bool = False
    tells_failures: bool = False


class ReplayPayload(Payload):
    """The moment up to which the ledger is folded again: a sequence number, a time, or its end."""

    as_of_seq: int | None = Field(default=None, ge=0)
    as_of: datetime | None = None


class RebuildPayload(Payload):
    """The table to fold again, or all; ``accept_smaller``: also where a damaged log holds less."""

    table: str | None = None
    accept_smaller: bool = False


class VerifyLogPayload(Payload):
    """The whole log is checked."""


class QualityRunPayload(Payload):
    """What the quality gate judges: an id, a number or ``prd``; the job's key is the run's.

    ``version``: only as long as this is the present one. ``may_revise`` False: nothing is changed.
    """

    artifact: str = "prd"
    mode: QualityMode | None = None
    version: int | None = Field(default=None, ge=1)
    may_revise: bool = True


async def run_ingestion(
    place: Workplace, job: RunningJob, payload: IngestionPayload
) -> Mapping[str, Any]:
    """Publish the trigger and watch its runs; what was sent before is not sent again."""
    from infra.service.ingesting.ingestion import IngestRequest, SourceIngested, ingest

    if payload.upload:
        from infra.service.ingesting.upload_jobs import read_upload

        return await read_upload(place, job, payload.upload)
    lease = job.lease
    request = IngestRequest(
        sources=payload.sources,
        project=lease.project_id,
        actor=name_of(lease),
        key=lease.key,
        key_may_repeat=lease.epoch > 1,
        lane=payload.lane,
        as_name=payload.as_name,
        accept_removals=payload.accept_removals,
        limits=payload.limits,
        wait=True,
    )
    done: list[SourceIngested] = []
    async for step in ingest(place.settings, request):
        if isinstance(step, SourceIngested):
            done.append(step)
        _report(job, step)
    if failed := [run.run_id for each in done for run in each.runs if run.status == "failed"]:
        raise Refusal(f"Run {failed[0]} failed.", code="run_failed", detail={"run_ids": failed})
    return {"sources": [_told(each) for each in done]}


def _report(job: RunningJob, step: IngestStep) -> None:
    from infra.service.ingesting.ingestion import SourceProgress

    if isinstance(step, SourceProgress) and step.tables:
        tables = step.tables
        job.report(
            root=step.root,
            listed=tables.listed,
            ready=tables.ready,
            chunks_done=tables.chunks_done,
            chunks_total=tables.chunks_total,
            atoms=tables.atoms,
        )


def _told(source: SourceIngested) -> dict[str, Any]:
    runs = [
        {"run_id": run.run_id, "lane": run.lane, "status": run.status, "reason": run.stop_reason}
        for run in source.runs
    ]
    blocked = [run.run_id for run in source.blocked_removals]
    return {"root": source.root, "runs": runs, "removals_blocked_in": blocked}


async def run_connector_sync(
    place: Workplace, job: RunningJob, payload: ConnectorSyncPayload
) -> Mapping[str, Any]:
    """Read what has changed at services. A service that does not answer is tried again."""
    from infra.service.connecting.connectors import reconcile_connectors, sync_connectors

    project = None if job.lease.project_id == SERVICE_WIDE else job.lease.project_id

    def tell(note: Note) -> None:
        job.report(code=note.code, message=note.message)

    asked = (place.settings, place.environ, payload.connector, project, payload.streams)
    if payload.reconcile:
        accept = payload.accept_removals
        results = await reconcile_connectors(*asked, accept_removals=accept, tell=tell)
    else:
        results = await sync_connectors(*asked, tell=tell)
    if not payload.tells_failures:
        _raise_for(results)
    return {"streams": [_told_stream(each) for each in results]}


def _told_stream(read: StreamResult) -> dict[str, Any]:
    told = {"reason": read.reason, "error": read.error, "notices": list(read.notices)}
    return {"target": read.target, "stream": read.stream, **read.counts.model_dump()} | told


def _raise_for(results: list[StreamResult]) -> None:
    failed = [each for each in results if each.reason]
    if not failed:
        return
    first = failed[0]
    sentence = f"{first.target} {first.stream}: {first.error}"
    if all(each.reason not in ("unavailable", "budget") for each in failed):
        raise Refusal(sentence, code="sync_refused", detail={"reason": first.reason})
    raise Unavailable(sentence, code="sync_unavailable", detail={"reason": first.reason})


async def run_replay(
    place: Workplace, job: RunningJob, payload: ReplayPayload
) -> Mapping[str, Any]:
    """Fold the ledger again in a schema of its own, and say how many rows differ from now."""
    from infra.service.upkeep.audit import REPLAY_SCHEMA, replay_ledger

    replayed = await replay_ledger(
        place.settings, job.lease.project_id, as_of_seq=payload.as_of_seq, as_of=payload.as_of
    )
    return {
        "as_of_seq": replayed.as_of_seq,
        "head": replayed.head,
        "schema": REPLAY_SCHEMA,
        "has_moved": replayed.has_moved,
        "differences": len(replayed.differences),
        "rows": [asdict(each) for each in replayed.differences[:MOST_DIFFERENCES]],
        "findings": len(replayed.findings),
        "left_out": [
            f"{each.code} at {each.where}, {each.detail}"
            for each in replayed.findings[:MOST_FINDINGS]
        ],
        "is_wrong": replayed.is_wrong,
    }


async def run_rebuild(
    place: Workplace, job: RunningJob, payload: RebuildPayload
) -> Mapping[str, Any]:
    """Fold the log again and correct the tables that differ from it; says which ones did."""
    from infra.service.upkeep.audit import rebuild_tables

    rebuilt = await rebuild_tables(
        place.settings,
        payload.table,
        accept_smaller=payload.accept_smaller,
        tell=lambda count: job.report(records=count),
    )
    return {
        "tables": {each.table: each.rows for each in rebuilt.tables},
        "corrected": [each.table for each in rebuilt.tables if not each.equal],
        "findings": len(rebuilt.findings),
        "first_findings": [each.as_object() for each in rebuilt.findings[:MOST_FINDINGS]],
    }


async def run_verify_log(
    place: Workplace, job: RunningJob, payload: VerifyLogPayload
) -> Mapping[str, Any]:
    """Check every record of the log; a finding is a result and no failure of the job."""
    from infra.service.upkeep.audit import verify_log

    report = await verify_log(place.settings, lambda count: job.report(records=count))
    return {
        "is_sound": not report.findings,
        "records": report.counts,
        "findings": len(report.findings),
        "first_findings": [each.as_object() for each in report.findings[:MOST_FINDINGS]],
        "notes": len(report.notes),
    }


async def judge_artifact(
    place: Workplace, job: RunningJob, payload: QualityRunPayload
) -> Mapping[str, Any]:
    """Judge the PRD or a feature by the quality gate; a run that was interrupted goes on."""
    from infra.service.writing.quality import GateRequest, find_newer_version, run_quality

    lease = job.lease
    request = GateRequest(
        lease.project_id, payload.artifact, payload.mode, lease.key, payload.may_revise
    )
    if payload.version is not None:
        newer = await find_newer_version(place.settings, request, payload.version)
        if newer is not None:
            return {"status": "superseded", "artifact_version": newer}
    run = await run_quality(
        place.settings, request, partial(is_job_cancelled, place.settings, lease.job_id)
    )
    told = {"quality_run_id", "artifact_id", "artifact_version", "status", "final_tier"}
    return run.model_dump(include=told | {"iteration", "dimension_tiers", "revised_sections"})


class OnboardingPayload(Payload):
    """The pipeline to go on with."""

    pipeline_id: str


async def run_onboarding(
    place: Workplace, job: RunningJob, payload: OnboardingPayload
) -> Mapping[str, Any]:
    """Go through stages until the pipeline is over or waits for a person.

    When the last attempt fails, so does the pipeline, or nobody could resume it.
    """
    from infra.service.projects.onboarding import advance, fail_onboarding

    try:
        record = await advance(place.settings, payload.pipeline_id, name_of(job.lease))
    except Exception as error:
        if job.lease.attempt >= job.lease.max_attempts:
            told = str(error) if isinstance(error, Refusal) else type(error).__name__
            await fail_onboarding(place.settings, payload.pipeline_id, told)
        raise
    return {"status": record.status, "stage": record.current_stage, "version": record.version}


JOB_KINDS: dict[JobType, JobKind] = {
    "ingestion": JobKind(IngestionPayload, run_ingestion),
    "connector_sync": JobKind(ConnectorSyncPayload, run_connector_sync, needs_project=False),
    "onboarding": JobKind(OnboardingPayload, run_onboarding),
    "replay": JobKind(ReplayPayload, run_replay),
    "rebuild": JobKind(RebuildPayload, run_rebuild, needs_project=False),
    "verify_log": JobKind(VerifyLogPayload, run_verify_log, needs_project=False),
    "quality_run": JobKind(QualityRunPayload, judge_artifact),
    "insight_generation": JobKind(GenerationPayload, partial(generate_list, "insight_generation")),
    "feature_generation": JobKind(GenerationPayload, partial(generate_list, "feature_generation")),
    "task_breakdown": JobKind(GenerationPayload, partial(generate_list, "task_breakdown")),
    "sprint_planning": JobKind(SprintPlanningPayload, plan_sprints),
    "report": JobKind(ReportPayload, make_report),
    "synthesis": JobKind(SynthesisPayload, word_artifacts),
}
