"""All types of jobs: those of the pipeline, and the turns of the agents that may ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from infra.platform.settings import Settings
from infra.service.asking.agent_turns import run_agent_turn
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.asking.turn_payload import TurnPayload
from infra.service.foundation.job_kind import JobKind
from infra.service.jobs.job_kinds import JOB_KINDS
from schemas.events.agent import RequestReceived
from schemas.events.job import JobType


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


ALL_JOB_KINDS: Mapping[JobType, JobKind] = {
    **JOB_KINDS,
    "agent_turn": JobKind(TurnPayload, partial(run_agent_turn, assist=assist)),
}
