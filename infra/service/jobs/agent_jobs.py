"""All types of jobs: those of the pipeline, and the runs of agents, which may ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from infra.platform.settings import Settings
from infra.service.asking.agent_turns import run_agent_turn
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.asking.turn_payload import TurnPayload
from infra.service.development.brainstorms import BrainstormPayload, answer_message
from infra.service.development.oracle import ConsultationPayload, hold_consultation
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.development.workflow_payload import WorkflowPayload
from infra.service.development.workflow_runs import run_workflow_job
from infra.service.foundation.job_kind import JobKind, Workplace
from infra.service.jobs.job_kinds import JOB_KINDS
from schemas.events.agent import RequestReceived
from schemas.events.job import JobType
from schemas.events.workflow import WorkflowStarted

if TYPE_CHECKING:
    from agents.development.workflow_ports import WorkflowEnd


async def assist(
    settings: Settings,
    environ: Mapping[str, str],
    turn_log: TurnLog,
    turn: TurnPlace,
    asked: RequestReceived,
) -> None:
    """Go through a turn of the assistant; what that takes is loaded for the first one."""
    from infra.service.assistant.program import run_assistant

    await run_assistant(settings, environ, turn_log, turn, asked)


async def govern(
    place: Workplace, log: WorkflowLog, run: WorkflowPlace, started: WorkflowStarted
) -> WorkflowEnd:
    """Go through a governed workflow; what that takes is loaded for the first one."""
    from infra.service.development.program import run_governed

    return await run_governed(place, log, run, started)


async def deliver(
    place: Workplace, log: WorkflowLog, run: WorkflowPlace, started: WorkflowStarted
) -> WorkflowEnd:
    """Go through a delivery; what that takes is loaded for the first one."""
    from infra.service.development.delivering import deliver

    return await deliver(place, log, run, started)


ALL_JOB_KINDS: Mapping[JobType, JobKind] = {
    **JOB_KINDS,
    "agent_turn": JobKind(TurnPayload, partial(run_agent_turn, assist=assist)),
    "consultation": JobKind(ConsultationPayload, hold_consultation, needs_project=False),
    "brainstorm": JobKind(BrainstormPayload, answer_message, needs_project=False),
    "workflow": JobKind(
        WorkflowPayload, partial(run_workflow_job, program=govern), needs_project=False
    ),
    "delivery": JobKind(
        WorkflowPayload, partial(run_workflow_job, program=deliver), needs_project=False
    ),
}
