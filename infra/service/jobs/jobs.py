"""Enqueue, list, cancel and retry jobs; and the process that does them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid
from infra.platform.loop import in_thread
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.service.foundation.database import ask, transact
from infra.service.foundation.job_kind import JobKind, Payload, Workplace
from infra.service.foundation.publishing import (
    check_key,
    draw_key,
    make_request,
    publish,
    redactor_of,
)
from infra.service.ingesting.runs import RUNNING
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.jobs.scheduler import watch_work
from infra.service.notifying.webhook_sending import run_webhook_sender
from infra.service.writing.auto_quality import watch_prds
from infra.store.jobs import queue
from infra.store.jobs.keeper import RunningJob, Timing
from infra.store.jobs.queue import MAX_ATTEMPTS, NewJob
from infra.store.jobs.relay import run_relay
from infra.store.jobs.worker import Handler, Worker
from projections.read import jobs, projects, runs
from projections.read.jobs import Job
from projections.read.page import take
from projections.read.session import Conn
from schemas.envelope import SERVICE_WIDE, Actor
from schemas.events.ingestion_request import RunCancelRequested
from schemas.events.job import PRIORITIES, JobType

LARGEST_PAYLOAD_BYTES = 64 * 1024
LONGEST_KEY, MOST_ATTEMPTS = 200, 100
Kinds = Mapping[JobType, JobKind]
# Types with a worker each: nobody who talks to the agents or brings sources waits until a long job
# is done, and no job waits until a model has worded a whole project.
OWN_WORKERS: tuple[JobType, ...] = (
    "agent_turn",
    "synthesis",
    "ingestion",
    "brainstorm",
    "workflow",
    "delivery",
    "brainstorm",
)


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A job to be done, of ``project`` or, without one, of the service as a whole.

    The same ``key`` again, for the same project and type, is the same job while that is not dead.
    """

    job_type: str
    project: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    key: str = field(default_factory=draw_key)
    priority: str = "scheduled"
    run_after: datetime | None = None
    max_attempts: int = MAX_ATTEMPTS
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class EnqueuedJob:
    """``is_new`` is false for a job that was there before under the same key."""

    job: Job
    is_new: bool


async def enqueue_job(
    settings: Settings, request: JobRequest, *, actor: str | Actor, kinds: Kinds = JOB_KINDS
) -> EnqueuedJob:
    """Put a job into the queue, once for its key; ``actor`` is a person's name where it is text.

    Raises Invalid, NotFound, DatabaseUnavailable.
    """
    kind, by = _kind_of(request, kinds), _by(actor)
    payload = check_payload(kind, request.payload)
    _check(request)
    project_id = SERVICE_WIDE
    if (project := request.project) is not None:
        project_id = await ask(settings, partial(projects.find_project, name_or_id=project))
    elif kind.needs_project:
        raise Invalid(
            f"A job of type {request.job_type} needs a project.", code="job_needs_project"
        )
    new = NewJob(
        project_id=project_id,
        job_type=request.job_type,  # type: ignore[arg-type]  # `_kind_of` knows it
        key=request.key,
        payload=payload,
        created_by=f"{by.type}:{by.id}",
        priority=request.priority,  # type: ignore[arg-type]  # `_check` knows it
        run_after=request.run_after,
        max_attempts=request.max_attempts,
        correlation_id=request.correlation_id,
    )
    job_id, is_new = await transact(settings, lambda tables: queue.enqueue(tables, new, by))
    return EnqueuedJob(await read_job(settings, job_id), is_new)


async def read_job(settings: Settings, job_id: str) -> Job:
    """One job as it is now. Raises NotFound, DatabaseUnavailable."""
    return await ask(settings, lambda tables: jobs.read_job(tables, job_id))


async def cancel_job(settings: Settings, job_id: str, *, actor: str) -> Job:
    """End a job; one that runs is stopped, an ingestion with the runs that it has begun.

    Raises NotFound, Conflict for a job that has ended otherwise, Unavailable.
    """
    await transact(settings, lambda tables: queue.cancel(tables, job_id, _by(actor)))
    job = await read_job(settings, job_id)
    if job.job_type == "ingestion":
        await _cancel_runs(settings, job, actor)
    return job


async def retry_job(settings: Settings, job_id: str, *, actor: str) -> Job:
    """Try a failed, dead or cancelled job again, now and with all its attempts.

    Raises NotFound, Conflict for any other job, DatabaseUnavailable.
    """
    await transact(settings, lambda tables: queue.retry(tables, job_id, _by(actor)))
    return await read_job(settings, job_id)


async def run_jobs(
    settings: Settings,
    environ: Mapping[str, str],
    *,
    kinds: Kinds = JOB_KINDS,
    timing: Timing | None = None,
) -> None:
    """Do jobs and publish what becomes of them until SIGTERM or SIGINT. Outages are waited for.

    The relay, and the sender of webhooks, have a thread and a loop of their own, so that no handler
    keeps them waiting.
    """
    stop, over = asyncio.Event(), threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    redactor = redactor_of(settings)
    workers = [
        Worker(
            settings.conninfo,
            {name: _handler(kind, Workplace(settings, environ)) for name, kind in some.items()},
            owner=f"{socket.gethostname()}:{os.getpid()}",
            redact=lambda text: hide_paths_of(settings, redactor.text(text)),
            timing=timing,
        )
        for some in _share(kinds)
    ]
    relay = asyncio.ensure_future(in_thread(partial(_relay, settings, over)))
    relay.add_done_callback(lambda _: stop.set())
    sender = asyncio.ensure_future(in_thread(partial(run_webhook_sender, settings, over)))
    watching = [watch_work(settings, kinds, stop)]
    if (settings.auto_quality or settings.auto_synthesis) and "quality_run" in kinds:
        watching.append(watch_prds(settings, stop))
    tasks = [asyncio.ensure_future(each) for each in (*watching, *(it.run(stop) for it in workers))]
    supervisor.tell_ready(settings, environ)
    try:
        await asyncio.gather(*tasks)
    finally:  # whoever has failed, the others give their jobs back before the loop ends
        over.set()
        stop.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await sender
        await relay  # raises what it raised; what is not published yet is at the next start


def _share(kinds: Kinds) -> list[Kinds]:
    """What each worker does."""
    others = {name: kind for name, kind in kinds.items() if name not in OWN_WORKERS}
    shares = [{name: kinds[name]} for name in OWN_WORKERS if name in kinds]
    return [some for some in (others, *shares) if some]


def _relay(settings: Settings, over: threading.Event) -> None:
    from connectors.runner import open_publish

    opened = partial(open_publish, settings, SystemClock(), redactor_of(settings))
    asyncio.run(run_relay(settings.conninfo, opened, over))


def _handler(kind: JobKind, place: Workplace) -> Handler:
    async def run(job: RunningJob) -> Mapping[str, Any]:
        return await kind.run(place, job, kind.check(job.payload))

    return run


def _kind_of(request: JobRequest, kinds: Kinds) -> JobKind:
    kind = {str(name): each for name, each in kinds.items()}.get(request.job_type)
    if kind is None:
        known = ", ".join(sorted(kinds))
        raise Invalid(
            f"No worker does jobs of type {request.job_type!r}: there are {known}.",
            code="job_type_unknown",
        )
    return kind


def check_payload(kind: JobKind, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload as it is stored, in clear. Raises Invalid for one that cannot or must not be."""
    from streams.hygiene.redaction.strings import redact_text

    checked: Payload = kind.check(payload)
    plain: dict[str, Any] = checked.model_dump(mode="json", exclude_unset=True)
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    if "\\u0000" in text or text.encode("utf-8", "replace").decode() != text:
        raise Invalid("The payload holds characters that are no text.", code="job_payload_invalid")
    if len(text.encode()) > LARGEST_PAYLOAD_BYTES:
        raise Invalid(
            f"The payload has more than {LARGEST_PAYLOAD_BYTES:,} bytes.", code="job_payload_large"
        )
    if redact_text(text) != text:
        raise Invalid(
            "The payload holds a secret, and payloads are stored in clear: name the place of the"
            " secret instead.",
            code="job_payload_holds_secret",
        )
    return plain


def _check(request: JobRequest) -> None:
    check_key(request.key)
    check_key(request.correlation_id)
    for text in (request.key, request.correlation_id or request.key):
        if not text.isprintable() or not 1 <= len(text) <= LONGEST_KEY:
            raise Invalid(
                f"Keys and correlation ids have 1 to {LONGEST_KEY} printable characters.",
                code="key_invalid",
            )
    if request.priority not in PRIORITIES:
        known = ", ".join(PRIORITIES)
        raise Invalid(
            f"There is no priority {request.priority!r}: there are {known}.",
            code="job_priority_unknown",
        )
    if not 1 <= request.max_attempts <= MOST_ATTEMPTS:
        raise Invalid(
            f"A job has 1 to {MOST_ATTEMPTS} attempts, not {request.max_attempts}.",
            code="job_attempts_invalid",
        )
    if request.run_after is not None and request.run_after.tzinfo is None:
        raise Invalid("The time of a job needs a time zone.", code="job_time_invalid")


async def _cancel_runs(settings: Settings, job: Job, actor: str) -> None:
    """Ask for the end of the runs that an ingestion has begun, as far as the tables show them."""
    count = len(job.payload.get("sources", ()))
    key = job.payload.get("upload") or job.idempotency_key
    keys = [key] if count <= 1 else [f"{key}|{index}" for index in range(count)]

    def question(tables: Conn) -> list[str]:
        return [
            run.run_id
            for each in keys
            for run in take(partial(runs.list_runs, tables, job.project_id, each))
            if run.status == RUNNING
        ]

    requests = [
        make_request(
            RunCancelRequested(run_id=run_id, request_key=job.job_id), job.project_id, actor
        )
        for run_id in await ask(settings, question)
    ]
    if requests:
        await publish(settings, requests)


def _by(actor: str | Actor) -> Actor:
    return actor if isinstance(actor, Actor) else Actor(type="human", id=actor)
