"""One run of a governed workflow: what it is about, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from agents.development.workflow_ports import WorkflowPorts, WorkflowRecords
from agents.models.call import ChatModel
from agents.runs.confirmations import Decision
from agents.runs.effects import Effects
from agents.runs.saver import RunSaver
from schemas.events.workflow import (
    WorkflowEvent,
    WorkflowInput,
    WorkflowIssue,
    WorkflowOrigin,
    WorkflowSettings,
    WorkflowType,
)

E = TypeVar("E", bound=WorkflowEvent)


@dataclass(frozen=True, slots=True)
class GovernedRun:
    """One run, begun and recorded as `WorkflowStarted` by the service.

    ``model`` is asked with the tiers ``draft`` and ``review``, whose families are
    ``drafter_family`` and ``reviewer_family``. ``decisions`` are those of people at gates of this
    run, in their order. ``resume_command`` is what a person types to take the run up again.
    """

    run_id: str
    project_id: str
    workflow_type: WorkflowType
    issue: WorkflowIssue
    settings: WorkflowSettings
    model: ChatModel
    drafter_family: str
    reviewer_family: str
    effects: Effects
    records: WorkflowRecords
    ports: WorkflowPorts
    save: Callable[[str], RunSaver | None]
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    input: WorkflowInput = field(default_factory=WorkflowInput)
    origin: WorkflowOrigin = field(default_factory=WorkflowOrigin)
    resume_command: str = ""
