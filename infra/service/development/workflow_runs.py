"""Does the jobs of workflows and deliveries: the program of the graph over the log of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from infra.platform.errors import Refusal, Unavailable
from infra.service.development.chains import begin_next_stage
from infra.service.development.workflow_events import find_end, read_workflow_events
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.development.workflow_payload import WorkflowJobEnd, WorkflowPayload
from infra.service.foundation.database import ask
from infra.service.foundation.job_kind import Workplace, name_of
from infra.service.foundation.publishing import redactor_of
from infra.service.runs.checkpoints import open_states
from infra.service.runs.driving import Paused, drive
from infra.service.runs.opening import Opened, open_facts
from infra.service.runs.run_log import RunDiverged
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.lease import LeaseLost, check_held
from schemas.events.workflow import WorkflowFinished, WorkflowStarted, WorkflowStatus

if TYPE_CHECKING:
    from agents.development.workflow_ports import WorkflowEnd

ENDED, WAITING = "ended", "waiting"
STOPPED = "the workflow was cancelled"
ENDED_SAID: Mapping[WorkflowJobEnd, str] = {
    "dead": "The workflow has failed for good. Nothing more will happen; start it again.",
    "cancelled": "The workflow was cancelled. Nothing more will happen.",
}
STATUS_OF: Mapping[WorkflowJobEnd, WorkflowStatus] = {"dead": "failed", "cancelled": "cancelled"}
FAILED_SAID = (
    "Something went wrong in this workflow ({code}): {message} Nothing more will happen; start it"
    " again."
)
CHANGED_SAID = (
    "Cairn was updated while this workflow waited, so it cannot go on where it stopped. Nothing"
    " more will happen; start it again."
)


Program = Callable[
    [Workplace, WorkflowLog, WorkflowPlace, WorkflowStarted], "Awaitable[WorkflowEnd]"
]
"""Goes through the graph of a run to its end. Raises what its parts raise, and
WaitsForConfirmation.
"""


async def run_workflow_job(
    place: Workplace,
    job: RunningJob,
    payload: WorkflowPayload,
    program: Program,
    opened: Opened = open_facts,
) -> Mapping[str, Any]:
    """Go through a run up to its end, or up to a gate at which it waits for a person."""
    lease, settings = job.lease, place.settings
    may_be_known = payload.asked is None or lease.epoch > 1
    known = await read_workflow_events(settings, payload.workflow_id, waits=may_be_known)
    if (end := find_end(known)) is not None:
        return await _close(place, lease.project_id, payload.workflow_id, end)
    run = WorkflowPlace(lease.project_id, payload.workflow_id, _who_asks(payload, job))
    async with opened(settings) as publish:
        attempt = f"{lease.job_id}|{lease.epoch}"
        check = partial(ask, settings, partial(check_held, lease=lease))
        log = WorkflowLog(run, known, redactor_of(settings), publish, attempt, check)
        if payload.ended is not None:
            return await _end(place, log, payload, payload.ended)
        if payload.given is not None:
            await log.take_decision(**payload.given.model_dump())
        try:
            done = await _perform(place, log, run, payload, program)
        except LeaseLost:
            raise  # whoever took the job away sees to its end
        except Exception as error:
            is_refused = isinstance(error, Refusal) and not isinstance(error, Unavailable)
            if lease.attempt >= lease.max_attempts or is_refused:
                await _fail(log, payload, error)
                await open_states(settings).drop(payload.workflow_id)
            raise
    return done


async def _perform(
    place: Workplace,
    log: WorkflowLog,
    run: WorkflowPlace,
    payload: WorkflowPayload,
    program: Program,
) -> Mapping[str, Any]:
    async def go() -> WorkflowEnd:
        started = await _begin(log, payload)
        return await program(place, log, run, started)

    done = await drive(log, go)
    if isinstance(done, Paused):
        waiting = [one.confirmation_id for one in done.confirmations]
        return {"workflow_id": run.workflow_id, "status": WAITING, "confirmation_ids": waiting}
    await log.record(
        WorkflowFinished,
        status=done.status,
        artifact_hash=done.artifact_hash,
        error=done.error,
        text=done.message,
    )
    end = next(iter(log.list_told(WorkflowFinished)))
    return await _close(place, run.project_id, run.workflow_id, end)


async def _close(
    place: Workplace, project_id: str, workflow_id: str, end: WorkflowFinished
) -> Mapping[str, Any]:
    """What follows the end of a run: its state is not needed any more, and the next stage of its
    chain begins. Both may be done again.
    """
    await open_states(place.settings).drop(workflow_id)
    following = None
    if end.status == "completed":
        following = await begin_next_stage(place.settings, project_id, workflow_id)
    done = {"workflow_id": workflow_id, "status": end.status, "artifact_hash": end.artifact_hash}
    return done if following is None else done | {"next_workflow_id": following.workflow_id}


async def _end(
    place: Workplace, log: WorkflowLog, payload: WorkflowPayload, ended: WorkflowJobEnd
) -> Mapping[str, Any]:
    """The run is over without an artifact. Raises Unavailable where what its job still did came
    first: a job that is cancelled does not stop at once.
    """
    await _begin(log, payload)
    for which in log.list_open_questions() if payload.stopped_by else ():
        by = payload.stopped_by
        await log.take_decision(which, decision="reject", reason=STOPPED, given_by=by)
    await log.record_failure(STATUS_OF[ended], f"workflow_{ended}", ENDED_SAID[ended])
    await open_states(place.settings).drop(payload.workflow_id)
    known = await read_workflow_events(place.settings, payload.workflow_id, waits=True)
    if find_end(known) is None:
        raise Unavailable("The job of the workflow has not stopped yet.", code="workflow_goes_on")
    return {"workflow_id": payload.workflow_id, "status": STATUS_OF[ended]}


async def _fail(log: WorkflowLog, payload: WorkflowPayload, error: Exception) -> None:
    """The run has failed, and whoever follows it sees why."""
    if log.first is None:
        log.rewind()
        await _begin(log, payload)
    code, message = "internal_error", type(error).__name__ + "."
    if isinstance(error, Refusal):
        code, message = error.code, str(error)
    text = FAILED_SAID.format(code=code, message=message)
    await log.record_failure("failed", code, CHANGED_SAID if _has_changed(error) else text)


async def _begin(log: WorkflowLog, payload: WorkflowPayload) -> WorkflowStarted:
    """What the run was asked. Raises Unavailable where neither log nor job hold it."""
    asked = payload.asked or log.first
    if not isinstance(asked, WorkflowStarted):
        raise Unavailable("The workflow has not begun yet.", code="workflow_not_begun")
    return await log.begin(asked)


def _who_asks(payload: WorkflowPayload, job: RunningJob) -> str:
    return payload.asked.started_by if payload.asked else name_of(job.lease)


def _has_changed(error: Exception) -> bool:
    return isinstance(error, RunDiverged)
