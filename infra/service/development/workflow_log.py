"""The log of a workflow or a delivery: a run whose events are those of `workflow.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infra.service.development.workflow_frames import frame_of
from infra.service.runs.family import Family, RunEvent, RunPlace
from infra.service.runs.run_log import Check, Publish, RunLog
from schemas.envelope import Actor
from schemas.events.workflow import (
    AgentEventRecorded,
    GateDecided,
    GateOpened,
    WorkflowEffectRecorded,
    WorkflowFinished,
    WorkflowStarted,
    WorkflowStatus,
    WorkflowToolCalled,
    WorkflowToolReturned,
)
from schemas.strings import Redactor

WORKFLOWS = Family(
    begun=WorkflowStarted,
    called=WorkflowToolCalled,
    returned=WorkflowToolReturned,
    recorded=WorkflowEffectRecorded,
    asked=GateOpened,
    decided=GateDecided,
    ended=WorkflowFinished,
    frame_of=frame_of,
    agent=Actor(type="agent", id="development_agents"),
    between=(AgentEventRecorded,),
)
PLACE = frozenset(("workflow_id", "ordinal"))


@dataclass(frozen=True, slots=True)
class WorkflowPlace:
    """Which workflow of which project, and who has asked for it."""

    project_id: str
    workflow_id: str
    asked_by: str


class WorkflowLog(RunLog):
    """The events of one workflow; see `RunLog`."""

    def __init__(
        self,
        place: WorkflowPlace,
        known: Sequence[RunEvent],
        redactor: Redactor,
        publish: Publish | None,
        attempt: str = "",
        check: Check | None = None,
    ) -> None:
        fields = {"workflow_id": place.workflow_id}
        run = RunPlace(place.project_id, place.workflow_id, place.asked_by, fields)
        super().__init__(WORKFLOWS, run, known, redactor, publish, attempt, check)

    async def begin(self, asked: WorkflowStarted) -> WorkflowStarted:
        """What the run was asked when it began: ``asked`` where it begins now."""
        first = self.first or asked
        fields: dict[str, Any] = {
            name: getattr(first, name) for name in WorkflowStarted.model_fields if name not in PLACE
        }
        await self.record(WorkflowStarted, **fields)
        assert isinstance(self.first, WorkflowStarted)
        return self.first

    async def tell_agent_event(self, **fields: Any) -> None:
        """One thing that a coding agent does, where it comes; see `AgentEventRecorded`."""
        await self.append(AgentEventRecorded, **fields)

    async def record_failure(self, status: WorkflowStatus, code: str, text: str) -> None:
        """The run is over without an artifact; a call without an answer is named in ``text``."""
        if not self.has_ended:
            text += self.tell_open_calls()
            await self.append(WorkflowFinished, status=status, error=code, text=text)
