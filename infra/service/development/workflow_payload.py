"""The job of a workflow or a delivery, and what it is asked to do."""

from __future__ import annotations

from typing import Any, Literal

from infra.service.foundation.job_kind import Payload
from infra.store.jobs.queue import NewJob
from schemas.events.agent import ConfirmationDecision
from schemas.events.job import JobType
from schemas.events.workflow import WorkflowStarted

ATTEMPTS = 5
WorkflowJobEnd = Literal["dead", "cancelled"]


class GivenGateDecision(Payload):
    """What a person has decided at a gate."""

    confirmation_id: str
    decision: ConfirmationDecision
    arguments: dict[str, Any] | None = None
    reason: str = ""
    given_by: str = ""


class WorkflowPayload(Payload):
    """A run to begin as it is ``asked``, to go on with after ``given``, or to end since its job has
    ``ended`` or somebody has stopped it.

    ``number`` of ``asked`` is 0; its log has it from then on.
    """

    workflow_id: str
    asked: WorkflowStarted | None = None
    given: GivenGateDecision | None = None
    ended: WorkflowJobEnd | None = None
    stopped_by: str = ""


def workflow_job(
    project_id: str, job_type: JobType, payload: WorkflowPayload, key: str, created_by: str
) -> NewJob:
    """The job, done after all others of its run."""
    return NewJob(
        project_id=project_id,
        job_type=job_type,
        key=key,
        payload=payload.model_dump(mode="json", exclude_none=True),
        created_by=created_by,
        max_attempts=ATTEMPTS,
        correlation_id=payload.workflow_id,
        serial_key=payload.workflow_id,
    )


def job_type_of(workflow_type: str) -> JobType:
    return "delivery" if workflow_type == "delivery" else "workflow"


def decision_key(workflow_id: str, confirmation_id: str) -> str:
    """The key of the job that takes a decision: there is one, so the first decision wins."""
    return f"{workflow_id}|{confirmation_id}"
