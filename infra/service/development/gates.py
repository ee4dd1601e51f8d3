"""Decide at gates of workflows, and cancel them: a job of its own goes on with a run or ends it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal

from infra.platform.errors import Conflict, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.development.starting import BegunWorkflow
from infra.service.development.workflow_payload import (
    GivenGateDecision,
    WorkflowPayload,
    decision_key,
    job_type_of,
    workflow_job,
)
from infra.service.foundation.database import ask, transact
from infra.service.foundation.publishing import redactor_of
from infra.store import workflow_jobs
from infra.store.jobs import queue
from projections.read import workflows as read
from projections.read.session import Conn
from projections.read.workflows import Workflow, WorkflowGate
from schemas.envelope import Actor
from schemas.events.agent import ConfirmationDecision

GateAnswer = Literal["approve", "reject", "waive"]
HALT = "halt"
LONGEST_REASON = 4_000
WAIVED = "waived"
DECISIONS: dict[GateAnswer, ConfirmationDecision] = {
    "approve": "approve",
    "reject": "reject",
    "waive": "edit",
}


@dataclass(frozen=True, slots=True)
class GateReply:
    """What a person decides at ``gate``, its name or its id. ``reason`` is their feedback or
    advice; a waiver needs one, since they answer for what no reviewer has approved.
    ``artifact_hash``: what they have seen; with other bytes nothing is decided.
    """

    workflow_id: str
    gate: str
    answer: GateAnswer
    reason: str = ""
    artifact_hash: str = ""


async def decide_gate(settings: Settings, reply: GateReply, *, actor: str) -> BegunWorkflow:
    """Decide at a gate; the run goes on. The first decision is final.

    Raises NotFound, Invalid, Conflict for a gate that is decided, of a run that is over, or about
    another artifact than the person has seen.
    """
    reason = redactor_of(settings).text(reply.reason).strip()
    if len(reason) > LONGEST_REASON:
        raise Invalid(f"A reason has at most {LONGEST_REASON:,} characters.", code="reason_invalid")
    if reply.answer == "waive" and not reason:
        raise Invalid(
            "A waiver needs a reason: you answer for what no reviewer has approved.",
            code="waiver_needs_reason",
        )
    run, gate = await ask(settings, partial(_find_open, reply))
    arguments = None if reply.answer != "waive" else gate.arguments | {WAIVED: True}
    by = Actor(type="human", id=redactor_of(settings).text(actor))
    given = GivenGateDecision(
        confirmation_id=gate.confirmation_id,
        decision=DECISIONS[reply.answer],
        arguments=arguments,
        reason=reason,
        given_by=by.id,
    )
    payload = WorkflowPayload(workflow_id=run.workflow_id, given=given)
    key = decision_key(run.workflow_id, gate.confirmation_id)
    new = workflow_job(
        run.project_id, job_type_of(run.workflow_type), payload, key, f"{by.type}:{by.id}"
    )

    def put(tables: Conn) -> str:
        job_id, is_new = queue.enqueue(tables, new, by)
        if not is_new:
            _check_same(tables, job_id, given)
        return job_id

    return _begun(run, await transact(settings, put))


async def resume_workflow(
    settings: Settings, workflow_id: str, *, actor: str, reason: str = ""
) -> BegunWorkflow:
    """Have a run that has halted try again; ``reason`` is advice to it. Raises NotFound, Conflict
    for a run that has not halted.
    """
    reply = GateReply(workflow_id, HALT, "approve", reason)
    try:
        return await decide_gate(settings, reply, actor=actor)
    except NotFound as error:
        if error.code != "unknown_gate":
            raise
        raise Conflict(
            f"Workflow {workflow_id} has not halted, so there is nothing to take up again.",
            code="workflow_not_halted",
            detail={"workflow_id": workflow_id},
        ) from error


async def cancel_workflow(settings: Settings, workflow_id: str, *, actor: str) -> BegunWorkflow:
    """End a run; gates at which it waits are declined. No model or tool is called in it any more.

    Raises NotFound, Conflict for a run that is over.
    """
    by = Actor(type="human", id=redactor_of(settings).text(actor))

    def stop(tables: Conn) -> BegunWorkflow:
        with tables.transaction():
            jobs = workflow_jobs.list_jobs(tables, workflow_id)
            if not jobs:
                raise read.unknown_workflow(workflow_id)
            run = read.find_workflow(tables, workflow_id)
            if run is not None and run.finished_at is not None:
                raise _over(run)
            for job in jobs:
                with suppress(Conflict):  # it has ended
                    queue.cancel(tables, job.job_id, by)
            return end_run(tables, jobs[0], "cancelled", by)

    return await transact(settings, stop)


def end_run(
    tables: Conn, first: workflow_jobs.WorkflowJob, ended: Literal["dead", "cancelled"], by: Actor
) -> BegunWorkflow:
    """Have a run end by a job of its own, once; ``first`` is the job that has begun it."""
    asked = WorkflowPayload.model_validate(first.payload)
    stopped_by = by.id if ended == "cancelled" else ""
    update = {"ended": ended, "given": None, "stopped_by": stopped_by}
    payload = asked.model_copy(update=update)
    new = workflow_job(
        first.project_id, first.job_type, payload, f"{asked.workflow_id}|ended", first.created_by
    )
    job_id, _ = queue.enqueue(tables, new, by)
    started = asked.asked
    assert started is not None  # the first job begins the run
    return BegunWorkflow(
        first.project_id, asked.workflow_id, job_id, started.workflow_type, started.chain_id
    )


def find_state(tables: Conn, workflow_id: str) -> Workflow:
    """A run as it stands, also one that is only queued. Raises NotFound."""
    run = read.find_workflow(tables, workflow_id) or workflow_jobs.find_queued(tables, workflow_id)
    if run is None:
        raise read.unknown_workflow(workflow_id)
    return run


def _find_open(reply: GateReply, tables: Conn) -> tuple[Workflow, WorkflowGate]:
    run = read.read_workflow(tables, reply.workflow_id)
    gate = read.find_gate(tables, reply.workflow_id, reply.gate)
    if gate is None:
        opened = [one.gate for one in read.list_workflow_gates(tables, run.workflow_id)]
        seen = f"it has opened {', '.join(dict.fromkeys(opened))}" if opened else "none was opened"
        raise NotFound(
            f"Workflow {run.workflow_id} has no gate {reply.gate}: {seen}.",
            code="unknown_gate",
            detail={"workflow_id": run.workflow_id, "gate": reply.gate},
        )
    if gate.decision is not None:
        raise _decided(gate.decision, gate.decided_by)
    if run.finished_at is not None:
        raise _over(run)
    if reply.artifact_hash and reply.artifact_hash != gate.artifact_hash:
        raise Conflict(
            "The gate is about another artifact than the one you have seen: read it again.",
            code="artifact_changed",
            detail={"artifact_hash": gate.artifact_hash},
        )
    return run, gate


def _check_same(tables: Conn, job_id: str, given: GivenGateDecision) -> None:
    """Raises Conflict where another decision came first that the tables do not show yet."""
    first = GivenGateDecision.model_validate(workflow_jobs.read_given(tables, job_id))
    if first != given:
        raise _decided(first.decision, first.given_by)


def _begun(run: Workflow, job_id: str) -> BegunWorkflow:

    return BegunWorkflow(run.project_id, run.workflow_id, job_id, run.workflow_type, run.chain_id)


def _decided(decision: str, given_by: str | None) -> Conflict:
    return Conflict(
        f"This was decided already: {decision} by {given_by or 'nobody'}.",
        code="gate_decided",
        detail={"decision": decision},
    )


def _over(run: Workflow) -> Conflict:
    return Conflict(
        f"Workflow {run.workflow_id} is over: {run.status}.",
        code="workflow_over",
        detail={"workflow_id": run.workflow_id, "status": run.status},
    )
