"""What one delivery works with: who drives, who reviews, the files, and the log of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.development.ports import Driver
from agents.development.workflow_ports import (
    Codebase,
    RefusedCall,
    TestRunner,
    Trees,
    WorkflowRecords,
)
from agents.models.call import ChatModel
from agents.runs.confirmations import Decision
from agents.runs.effects import Effects
from agents.runs.saver import RunSaver
from schemas.events.workflow import WorkflowOrigin


@dataclass(frozen=True, slots=True)
class DeliveryRun:
    """One delivery. ``plan`` is one from outside, or empty; ``design`` a text to start from.

    ``reviewer`` answers requests of the tier ``review``; an answer of the family ``coder_family``,
    which writes the code, is no review. ``check`` runs the check of the profile
    behind walls; None: it has none. ``take_refused`` gives what was refused since it was last
    asked. ``follow_up`` makes a task of what is put off, with its title, why, and a key: the same
    key again changes nothing. ``origin`` is what of the ledger it started from.
    """

    run_id: str
    project_id: str
    issue: Mapping[str, Any]
    profile: Mapping[str, Any]
    plan: str
    design: str
    driver: Driver
    reviewer: ChatModel
    trees: Trees
    codebase: Codebase
    check: TestRunner | None
    follow_up: Callable[[str, str, str], Awaitable[None]] | None
    take_refused: Callable[[], Sequence[RefusedCall]]
    effects: Effects
    records: WorkflowRecords
    save: Callable[[str], RunSaver | None]
    resume_command: str
    coder_family: str = ""
    origin: WorkflowOrigin = field(default_factory=WorkflowOrigin)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
