"""Jobs, pipelines and judgements over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from infra.cli.remote.asking import (
    adopt,
    adopt_all,
    ask,
    ask_about,
    ask_of,
    look_until_there,
    unchecked,
)
from infra.client.client import Client
from infra.client.models.jobs import NewJob
from infra.client.models.onboarding import Seen, Skip, Start
from infra.client.models.quality import Judge
from infra.platform.errors import Forbidden, Invalid, NotFound, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.jobs.jobs import EnqueuedJob, JobRequest, Kinds
from infra.service.projects.onboarding import StartedPipeline
from infra.service.upkeep.dead_letters import RetriedLetter
from infra.service.writing.quality import GateRequest, IsCancelled, never_cancelled
from projections.read.dead_letters import DeadLetter
from projections.read.jobs import Job, Transition
from projections.read.onboarding import Pipeline, PipelineEvent
from projections.read.page import PAGE, Page
from projections.read.quality import QualityRunEvent, QualityRunRow
from schemas.envelope import Actor
from schemas.events.pipeline import PipelineRecord

JUDGED_WITHIN_S = 600.0


async def enqueue_job(
    settings: Settings, request: JobRequest, *, actor: str | Actor, kinds: Kinds = JOB_KINDS
) -> EnqueuedJob:
    """Raises Invalid for a job of no project, which only the machine of the service takes.

    The service takes what its workers do, whatever ``kinds`` says.
    """
    if request.project is None:
        raise Invalid("Over HTTP a job is of a project: give --project.", code="job_needs_project")
    body = NewJob.model_validate(
        {
            "job_type": request.job_type,
            "payload": request.payload,
            "priority": request.priority,
            "run_after": request.run_after,
            "max_attempts": request.max_attempts,
        }
    )

    def put(client: Client, project_id: str) -> EnqueuedJob:
        # The same key again is answered as the first time.
        return EnqueuedJob(adopt(Job, client.enqueue_job(project_id, body, key=request.key)), True)

    return await ask_of(settings, request.project, put)


async def list_dead_letters(settings: Settings, *, settled: bool = False) -> list[DeadLetter]:
    def question(client: Client) -> list[DeadLetter]:
        return adopt_all(DeadLetter, client.list_dead_letters(settled=settled).take(PAGE))

    return await ask(settings, question)


async def retry_dead_letter(settings: Settings, dead_letter_id: str) -> RetriedLetter:
    return await ask(
        settings,
        lambda client: adopt(RetriedLetter, client.retry_dead_letter_once(dead_letter_id)),
    )


async def list_jobs(
    settings: Settings,
    project: str | None = None,
    *,
    status: str | None = None,
    job_type: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Job]:
    """Without a project all jobs, or those of its projects to a token that may see no others.

    There is no page behind it.
    """

    def question(client: Client, project_id: str) -> list[Job]:
        found = client.list_jobs(project_id, status=unchecked(status), job_type=unchecked(job_type))
        return adopt_all(Job, found.take(limit))

    def of_all(client: Client) -> list[Job]:
        with suppress(Forbidden):
            jobs = client.list_all_jobs(status=unchecked(status), job_type=unchecked(job_type))
            return adopt_all(Job, jobs.take(limit))
        ids = [each.project_id for each in client.list_projects()]
        found = [job for project_id in ids for job in question(client, project_id)]
        return sorted(found, key=lambda job: job.created_at, reverse=True)[:limit]

    found = await (ask_of(settings, project, question) if project else ask(settings, of_all))
    return Page(items=found)


async def read_job(settings: Settings, job_id: str) -> Job:
    return await ask_about(
        settings, job_id, lambda client, known: adopt(Job, client.read_job(known, job_id))
    )


async def read_job_history(settings: Settings, job_id: str) -> list[Transition]:
    return await ask_about(
        settings,
        job_id,
        lambda client, known: adopt_all(Transition, client.list_job_history(known, job_id)),
    )


async def cancel_job(settings: Settings, job_id: str, *, actor: str) -> Job:
    return await ask_about(
        settings, job_id, lambda client, known: adopt(Job, client.cancel_job(known, job_id))
    )


async def retry_job(settings: Settings, job_id: str, *, actor: str) -> Job:
    return await ask_about(
        settings, job_id, lambda client, known: adopt(Job, client.retry_job(known, job_id))
    )


async def start_onboarding(
    settings: Settings,
    project: str,
    sources: Sequence[str] = (),
    *,
    actor: str,
    key: str | None = None,
) -> StartedPipeline:
    def start(client: Client, project_id: str) -> StartedPipeline:
        known = {each.pipeline_id for each in client.list_onboarding(project_id)}
        begun = client.start_onboarding(project_id, Start(sources=list(sources)), key=key)
        return StartedPipeline(adopt(PipelineRecord, begun), begun.pipeline_id not in known)

    return await ask_of(settings, project, start)


async def list_onboarding(settings: Settings, project: str) -> list[Pipeline]:
    def question(client: Client, project_id: str) -> list[Pipeline]:
        found = adopt_all(PipelineRecord, client.list_onboarding(project_id))
        return [Pipeline(project_id=project_id, record=record) for record in found]

    return await ask_of(settings, project, question)


async def read_onboarding(settings: Settings, pipeline_id: str) -> Pipeline:
    def question(client: Client, project_id: str) -> Pipeline:
        record = adopt(PipelineRecord, client.read_onboarding(project_id, pipeline_id))
        return Pipeline(project_id=project_id, record=record)

    return await ask_about(settings, pipeline_id, question)


async def read_onboarding_events(settings: Settings, pipeline_id: str) -> list[PipelineEvent]:
    def question(client: Client, project_id: str) -> list[PipelineEvent]:
        return adopt_all(PipelineEvent, client.list_onboarding_events(project_id, pipeline_id))

    return await ask_about(settings, pipeline_id, question)


async def resume_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    body = Seen(expected_version=expected_version)

    def resume(client: Client, project_id: str) -> PipelineRecord:
        return adopt(PipelineRecord, client.resume_onboarding(project_id, pipeline_id, body))

    return await ask_about(settings, pipeline_id, resume)


async def accept_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    body = Seen(expected_version=expected_version)

    def accept(client: Client, project_id: str) -> PipelineRecord:
        return adopt(PipelineRecord, client.accept_onboarding(project_id, pipeline_id, body))

    return await ask_about(settings, pipeline_id, accept)


async def skip_onboarding_stage(
    settings: Settings,
    pipeline_id: str,
    reason: str,
    *,
    actor: str,
    expected_version: int | None = None,
) -> PipelineRecord:
    body = Skip(reason=reason, expected_version=expected_version)

    def skip(client: Client, project_id: str) -> PipelineRecord:
        return adopt(PipelineRecord, client.skip_onboarding_stage(project_id, pipeline_id, body))

    return await ask_about(settings, pipeline_id, skip)


async def cancel_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    body = Seen(expected_version=expected_version)

    def cancel(client: Client, project_id: str) -> PipelineRecord:
        return adopt(PipelineRecord, client.cancel_onboarding(project_id, pipeline_id, body))

    return await ask_about(settings, pipeline_id, cancel)


async def run_quality(
    settings: Settings, request: GateRequest, is_cancelled: IsCancelled = never_cancelled
) -> QualityRunRow:
    """A job of the service judges; its result is waited for."""

    def judge(client: Client, project_id: str) -> QualityRunRow:
        body = Judge(artifact=request.artifact, mode=request.mode)
        job_id = client.start_quality_run(project_id, body, key=request.key).job_id
        job = _await_job(client, project_id, job_id)
        run_id = str((job.result or {})["quality_run_id"])
        return adopt(QualityRunRow, client.read_quality_run(project_id, run_id).run)

    return await ask_of(settings, request.project, judge)


async def list_quality_runs(
    settings: Settings, project: str, artifact: str | None = None
) -> list[QualityRunRow]:
    def question(client: Client, project_id: str) -> list[QualityRunRow]:
        found = adopt_all(QualityRunRow, client.list_quality_runs(project_id))
        return [each for each in found if artifact in (None, *_names_of(each))]

    return await ask_of(settings, project, question)


async def read_quality_run(
    settings: Settings, project: str, run_id: str | None = None
) -> tuple[QualityRunRow, list[QualityRunEvent]]:
    def question(client: Client, project_id: str) -> tuple[QualityRunRow, list[QualityRunEvent]]:
        judged = client.read_quality_run(project_id, run_id or _latest(client, project_id))
        return adopt(QualityRunRow, judged.run), adopt_all(QualityRunEvent, judged.events)

    return await ask_of(settings, project, question)


def _names_of(run: QualityRunRow) -> tuple[str | None, ...]:
    """What its artifact may be called."""
    return run.artifact_id, run.number, "prd" if run.artifact_type == "prd" else None


def _latest(client: Client, project_id: str) -> str:
    """The latest run over the PRD. Raises NotFound."""
    over_prd = [
        each.quality_run_id
        for each in client.list_quality_runs(project_id)
        if each.artifact_type == "prd"
    ]
    if not over_prd:
        raise NotFound("No quality run over a PRD yet.", code="unknown_quality_run")
    return over_prd[-1]


def _await_job(client: Client, project_id: str, job_id: str) -> Job:
    """The job when it has succeeded. Raises Refusal with what it failed of, Unavailable."""

    def look() -> Job | None:
        job = adopt(Job, client.read_job(project_id, job_id))
        return job if job.has_ended else None

    job = look_until_there(look, JUDGED_WITHIN_S)
    if job is None:
        raise Unavailable(
            f"The job {job_id} is not done after {JUDGED_WITHIN_S:.0f} s; it goes on.",
            code="job_not_done",
        )
    if job.status != "succeeded":
        raise Refusal(
            f"The job {job_id} is {job.status}: {job.last_error or 'without a reason'}",
            code="job_not_done",
        )
    return job
