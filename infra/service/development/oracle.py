"""Consultations: one use case for people, who ask over the API, and for agents, by a tool.

A person's is a job, so it survives a restart; the model's answer is recorded under its request
before it is used, so it is paid for once. An agent's runs inside its own run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agents.development.errors import DevelopmentError, DriverError
from agents.development.oracle import (
    AGENT,
    ContextFile,
    OracleTools,
    build_request,
)
from agents.development.oracle import LONGEST_PROBLEM as LONGEST_PROBLEM
from agents.development.oracle import MOST_FILES as MOST_FILES
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Invalid, NotFound, Refusal, Unavailable
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.development.context_files import read_context_files
from infra.service.foundation.database import ask, transact, wait_until_shown
from infra.service.foundation.job_kind import Payload, Workplace
from infra.service.foundation.publishing import check_key, draw_key, publish, redactor_of
from infra.service.models.models import has_model, open_model
from infra.store.jobs import queue
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.queue import NewJob
from infra.store.talk_jobs import TalkJob, find_consultation_job
from projections.read import development_talk as read
from projections.read.development_talk import OracleConsultation
from projections.read.session import Conn, ReadModel
from schemas.codec import utc_millis
from schemas.envelope import SERVICE_WIDE, Actor, outside_fact
from schemas.events.development_talk import ConsultationCompleted
from schemas.ids import consultation_id, sha256_hex

if TYPE_CHECKING:
    from agents.models.call import ChatModel, ModelAnswer

ATTEMPTS = 3
ConsultationStatus = Literal["running", "answered", "failed"]


class NoModel(Conflict):
    """Nothing can answer: there is no language model."""

    code = "no_model"


@dataclass(frozen=True, slots=True)
class ConsultationRequest:
    """A problem of a person. ``repository`` is the folder on the machine of the service in which
    ``context_files`` are; empty where there are none.
    """

    problem: str
    repository: str = ""
    context_files: tuple[str, ...] = ()
    project_id: str = SERVICE_WIDE
    key: str = field(default_factory=draw_key)


class ConsultationState(ReadModel):
    """How a consultation stands; ``error`` says why it has failed."""

    id: str
    job_id: str
    status: ConsultationStatus
    consultation: OracleConsultation | None
    error: str | None


class ConsultationPayload(Payload):
    """A consultation to hold."""

    consultation_id: str
    problem: str
    repository: str = ""
    context_files: list[str] = []


@dataclass(frozen=True, slots=True)
class Consultation:
    """What the oracle is asked, with the files as it is shown them."""

    consultation_id: str
    project_id: str
    problem: str
    files: tuple[ContextFile, ...]
    asked_by: Actor
    workflow_id: str = ""


def check_model(settings: Settings) -> None:
    """Raises NoModel; Invalid, Forbidden for a file of models that is unfit."""
    if not has_model(settings):
        raise NoModel(
            "No language model is configured, so nobody can answer: add one, then ask again."
        )


async def begin_consultation(
    settings: Settings, request: ConsultationRequest, *, actor: str
) -> ConsultationState:
    """Have the oracle asked in the background; the same key again is the same consultation.

    Files that may not or cannot be read are refused at once. Raises Invalid, NoModel.
    """
    check_key(request.key)
    redact = redactor_of(settings).text
    problem = redact(request.problem).strip()
    if not 0 < len(problem) <= LONGEST_PROBLEM:
        raise Invalid(
            f"A problem is a text of 1 to {LONGEST_PROBLEM:,} characters.", code="problem_invalid"
        )
    check_model(settings)
    await read_files(settings, request.repository, request.context_files)
    new_id = consultation_id(request.project_id, request.key)
    payload = ConsultationPayload(
        consultation_id=new_id,
        problem=problem,
        repository=request.repository,
        context_files=list(request.context_files),
    )
    by = Actor(type="human", id=redact(actor))
    job = NewJob(
        project_id=request.project_id,
        job_type="consultation",
        key=new_id,
        payload=payload.model_dump(mode="json"),
        created_by=f"{by.type}:{by.id}",
        priority="urgent",
        max_attempts=ATTEMPTS,
        correlation_id=new_id,
    )
    await transact(settings, lambda tables: queue.enqueue(tables, job, by))
    return await read_consultation(settings, new_id)


async def read_consultation(settings: Settings, which: str) -> ConsultationState:
    """How a consultation stands. Raises NotFound."""
    return await ask(settings, partial(find_state, consultation_id=which))


def find_state(tables: Conn, consultation_id: str) -> ConsultationState:
    """Raises NotFound."""
    job = find_consultation_job(tables, consultation_id)
    consultation = read.find_consultation(tables, consultation_id)
    if job is None and consultation is None:
        raise NotFound(f"There is no consultation {consultation_id}.", code="unknown_consultation")
    status: ConsultationStatus = "running"
    if consultation is not None:
        status = "answered"
    elif job is not None and job.has_failed:
        status = "failed"
    return ConsultationState(
        id=consultation_id,
        job_id=job.job_id if job else "",
        status=status,
        consultation=consultation,
        error=_error_of(job) if job and status == "failed" else None,
    )


def _error_of(job: TalkJob) -> str:
    return job.last_error or f"The job was ended ({job.status})."


async def hold_consultation(
    place: Workplace, job: RunningJob, payload: ConsultationPayload
) -> Mapping[str, Any]:
    """Ask the oracle what a person wants to know, and wait until the tables show the advice."""
    settings, lease = place.settings, job.lease
    kind, _, name = lease.created_by.partition(":")
    asked = Consultation(
        consultation_id=payload.consultation_id,
        project_id=lease.project_id,
        problem=payload.problem,
        files=await read_files(settings, payload.repository, payload.context_files),
        asked_by=Actor(type="human" if kind == "human" else "system", id=name),
    )
    async with open_model(settings) as model:
        if model is None:
            raise NoModel("No language model is configured any more.")
        event = await consult(settings, model, asked)
    await wait_until_shown(
        settings,
        lambda tables: read.find_consultation(tables, asked.consultation_id),
        "The consultation",
    )
    return {"consultation_id": asked.consultation_id, "model": event.model}


async def consult(
    settings: Settings, model: ChatModel, asked: Consultation
) -> ConsultationCompleted:
    """Ask the model and record its advice; the same consultation again changes nothing.

    Raises Refusal where the model does not answer, Unavailable where asking again may help.
    """
    from agents.models.errors import AllProvidersFailed, ModelError

    request = build_request(
        asked.problem,
        asked.files,
        consultation_id=asked.consultation_id,
        project_id=asked.project_id,
        workflow_id=asked.workflow_id,
    )
    try:
        answer = await model.complete(request)
    except AllProvidersFailed as error:
        raise Unavailable(str(error), code=error.code) from error
    except ModelError as error:
        raise Refusal(str(error), code=error.code) from error
    event = _record(settings, asked, answer)
    await publish(
        settings,
        [
            outside_fact(
                event,
                project_id=asked.project_id,
                occurred_at=utc_millis(SystemClock().now()),
                actor=Actor(type="agent", id=AGENT),
                correlation_id=asked.workflow_id or asked.consultation_id,
            )
        ],
    )
    return event


def _record(settings: Settings, asked: Consultation, answer: ModelAnswer) -> ConsultationCompleted:
    advice = answer.text.encode("utf-8", "replace").decode().strip()
    if not advice:
        raise Refusal("The model gave no advice.", code="model_answer_empty")
    shown = "\n".join(f"{file.path}\n{file.text}" for file in asked.files)
    return ConsultationCompleted(
        consultation_id=asked.consultation_id,
        asked_by=asked.asked_by.id,
        workflow_id=asked.workflow_id,
        problem=asked.problem,
        context_files=[file.path for file in asked.files],
        context_hash=sha256_hex(shown) if asked.files else "",
        advice=redactor_of(settings).text(advice),
        model=f"{answer.provider}/{answer.model}",
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        cost_usd=answer.cost_usd,
    )


async def read_files(
    settings: Settings, repository: str, names: tuple[str, ...] | list[str]
) -> tuple[ContextFile, ...]:
    """Raises Invalid for files that may not or cannot be read."""
    if not names:
        return ()
    if not repository:
        raise Invalid(
            "Context files are of a repository: name its folder, too.", code="repository_missing"
        )
    redact = redactor_of(settings).text
    try:
        return await in_thread(partial(read_context_files, Path(repository), tuple(names), redact))
    except DevelopmentError as error:
        raise Invalid(str(error), code="context_file_refused") from error


@dataclass(frozen=True, slots=True)
class AskingRun:
    """The run of an agent that may ask: its repository, and who asks in it."""

    workflow_id: str
    project_id: str
    agent: str
    repository: Path


def open_oracle_tools(settings: Settings, model: ChatModel, run: AskingRun) -> OracleTools:
    """``ask_oracle`` for an agent of a run. The same question in the same run is asked once."""

    async def consult_for(problem: str, names: tuple[str, ...]) -> str:
        redact = redactor_of(settings).text
        files = await in_thread(partial(read_context_files, run.repository, names, redact))
        problem = redact(problem)
        key = sha256_hex("\n".join((problem, *(f"{it.path}\n{it.text}" for it in files))))
        asked = Consultation(
            consultation_id=consultation_id(run.project_id, f"{run.workflow_id}|{key}"),
            project_id=run.project_id,
            problem=problem,
            files=files,
            asked_by=Actor(type="agent", id=run.agent),
            workflow_id=run.workflow_id,
        )
        try:
            return (await consult(settings, model, asked)).advice
        except Unavailable:
            raise
        except Refusal as error:
            raise DriverError(f"The oracle has not answered: {error}") from error

    return OracleTools(consult_for)
