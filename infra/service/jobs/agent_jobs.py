"""All types of jobs: those of the pipeline, and the turns of the agents that may ask for them."""

from __future__ import annotations

from collections.abc import Mapping

from infra.service.asking.agent_turns import run_agent_turn
from infra.service.asking.turn_payload import TurnPayload
from infra.service.foundation.job_kind import JobKind
from infra.service.jobs.job_kinds import JOB_KINDS
from schemas.events.job import JobType

ALL_JOB_KINDS: Mapping[JobType, JobKind] = {
    **JOB_KINDS,
    "agent_turn": JobKind(TurnPayload, run_agent_turn),
}
