"""What whoever follows a workflow live sees of its events, besides calls and questions."""

from __future__ import annotations

import json
from typing import Any

from infra.service.runs.family import Frame
from schemas.events.delivery import (
    FeedbackEvaluated,
    PlanProduced,
    PlanValidated,
    ReviewCompleted,
    TaskCommitted,
    TaskFailed,
    TaskStarted,
)
from schemas.events.workflow import (
    AgentEventRecorded,
    GateWaived,
    SecurityRefused,
    WorkflowEvent,
    WorkflowFinished,
    WorkflowHalted,
    WorkflowNodeEntered,
)
from schemas.events.workflow_stages import (
    CodebaseRead,
    DraftProduced,
    DraftRepaired,
    MechanicallyValidated,
    StageArtifactProduced,
    VerdictGiven,
    WorkflowTestPlanValidated,
    WorkflowTestsRun,
)

PLACE = {"workflow_id", "ordinal"}
LEFT_OUT: dict[type[WorkflowEvent], set[str]] = {  # what is long: whoever wants it asks for it
    CodebaseRead: {"text"},
    DraftProduced: {"text"},
    DraftRepaired: {"text"},
    StageArtifactProduced: {"text"},
    PlanProduced: {"plan_markdown"},
}
NAMES: dict[type[WorkflowEvent], str] = {
    WorkflowNodeEntered: "node",
    CodebaseRead: "codebase",
    DraftProduced: "draft",
    DraftRepaired: "repaired",
    MechanicallyValidated: "validated",
    WorkflowTestPlanValidated: "test_plan",
    VerdictGiven: "verdict",
    StageArtifactProduced: "artifact",
    WorkflowTestsRun: "tests",
    GateWaived: "waived",
    WorkflowHalted: "halted",
    SecurityRefused: "refused",
    PlanProduced: "plan",
    PlanValidated: "plan_validated",
    TaskStarted: "task",
    ReviewCompleted: "review",
    FeedbackEvaluated: "evaluated",
    TaskCommitted: "committed",
    TaskFailed: "task_failed",
}


def frame_of(event: WorkflowEvent) -> Frame | None:
    """The frame of an event; None where nobody needs to see it."""
    match event:
        case AgentEventRecorded():
            given = None if event.tool_input is None else json.loads(event.tool_input)
            shown = event.model_dump(include={"id", "content", "agent", "tool_name"})
            shown |= {"type": event.event_type, "timestamp": event.at, "tool_input": given}
            return "agent_event", shown | {"workflow_id": event.workflow_id}
        case WorkflowFinished() if event.error:
            error = {"code": event.error, "message": event.text, "retriable": False}
            return "error", error | {"workflow_id": event.workflow_id, "status": event.status}
        case WorkflowFinished():
            return "done", event.model_dump(exclude={"ordinal", "error"})
        case _:
            name = NAMES.get(type(event))
            return None if name is None else (name, _show(event))


def _show(event: WorkflowEvent) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude=PLACE | LEFT_OUT.get(type(event), set()))
