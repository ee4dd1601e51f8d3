"""What happens in a governed workflow or a delivery: a run whose events are its log.

All are on ``workflow.v1``, key ``workflow_id``; ``ordinal`` counts the events of one run from 0
without gaps, so that a run that was broken off goes on where its events end. Answers of models,
tools and clocks are among them: a replay asks nobody else. The stages of a workflow are in
``workflow_stages.py``, plans, tasks and commits in ``delivery.py``.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.agent import ConfirmationDecision, EffectKind, EffectPosition

WorkflowType = Literal[
    "issue", "requirements", "implementation_spec", "tdd_implementation", "scout", "delivery"
]
WorkflowStatus = Literal["completed", "rejected", "halted", "failed", "cancelled"]


class WorkflowEvent(Event):
    """An event of one run, and its number in it."""

    topic: ClassVar[str] = "workflow.v1"
    stable_key: ClassVar[bool] = True

    workflow_id: str
    ordinal: int

    @property
    def aggregate_id(self) -> str:
        return self.workflow_id

    @property
    def local_key(self) -> str:
        return f"{self.workflow_id}|{self.ordinal}"


class WorkflowIssue(Part):
    """What the run is about. ``number`` is that of the tracker, or one that a person gave."""

    number: int
    title: str
    text: str
    url: str = ""


class WorkflowSettings(Part):
    """How the run was asked to go. ``gates`` are the optional ones at which it waits for a person;
    ``is_reviewed`` false is heeded by the issue workflow alone, whose review is optional.
    """

    max_iterations: int = 5
    max_fix_iterations: int = 5
    max_search_rounds: int = 3
    max_review_iterations: int = 3
    max_review_passes: int = 1
    gates: list[str] = []
    is_reviewed: bool = True


class WorkflowOrigin(Part):
    """What of the ledger the run comes from: its artifacts carry these ids on."""

    feature_id: str = ""
    task_id: str = ""
    atom_ids: list[str] = []


class WorkflowInput(Part):
    """The approved artifact of the stage before, to the letter; ``artifact_hash`` is its SHA-256.

    Empty where a run begins with an issue alone. For a delivery it is the plan from outside.
    """

    artifact_hash: str = ""
    text: str = ""
    workflow_id: str = ""


class WorkflowStarted(WorkflowEvent):
    """A person has asked for a run; it begins. ``thread_id`` is ``issue-<number>``.

    ``repository`` is the directory or address of the code, ``commit`` what was checked out there.
    ``profile`` names the settings of models and tools. The families are those of the models that
    draft and that review. ``chain_id``: the chain of stages that the run is part of; empty: none.
    ``next_types`` are the stages of the chain that follow.
    """

    type_name: ClassVar[str] = "workflow.started"

    workflow_type: WorkflowType
    thread_id: str
    issue: WorkflowIssue
    repository: str = ""
    commit: str = ""
    profile: str = ""
    settings: WorkflowSettings = WorkflowSettings()
    input: WorkflowInput = WorkflowInput()
    origin: WorkflowOrigin = WorkflowOrigin()
    drafter_family: str = ""
    reviewer_family: str = ""
    chain_id: str = ""
    next_types: list[WorkflowType] = []
    started_by: str = ""


class WorkflowNodeEntered(WorkflowEvent):
    """``iteration`` counts how often the run has entered this node, from 1."""

    type_name: ClassVar[str] = "workflow.node_entered"

    node: str
    iteration: int = 1


class WorkflowNodeFinished(WorkflowEvent):
    """``next_node`` is where the run goes on; empty: nowhere. ``detail`` says why, in words."""

    type_name: ClassVar[str] = "workflow.node_finished"

    node: str
    iteration: int = 1
    next_node: str = ""
    detail: str = ""


class WorkflowToolCalled(WorkflowEvent):
    """A tool is about to be called. ``arguments`` is a JSON text."""

    type_name: ClassVar[str] = "workflow.tool_called"

    position: EffectPosition
    tool: str
    arguments: str


class WorkflowToolReturned(WorkflowEvent):
    """What the tool has answered, as a JSON text."""

    type_name: ClassVar[str] = "workflow.tool_returned"

    position: EffectPosition
    tool: str
    answer: str
    is_error: bool = False


class WorkflowEffectRecorded(WorkflowEvent):
    """What a model, a clock or files and tables have answered, as a JSON text."""

    type_name: ClassVar[str] = "workflow.effect_recorded"

    position: EffectPosition
    kind: EffectKind
    answer: str


class GateOpened(WorkflowEvent):
    """The run waits for a person at the gate ``tool``, or before it calls that tool.

    ``arguments`` is what the decision is about, a JSON text; at a gate it has ``artifact_hash``.
    ``more``: how many further gates are opened with this one.
    """

    type_name: ClassVar[str] = "workflow.gate_opened"

    confirmation_id: str
    tool: str
    arguments: str
    summary: str
    more: int = 0


class GateDecided(WorkflowEvent):
    """What the person has decided; it is final. ``edit``: with other ``arguments``, a JSON text.

    A waiver is an ``edit`` whose arguments have ``waived`` true; ``workflow.gate_waived`` follows.
    """

    type_name: ClassVar[str] = "workflow.gate_decided"

    confirmation_id: str
    decision: ConfirmationDecision
    arguments: str | None = None
    reason: str = ""
    given_by: str = ""


class GateWaived(WorkflowEvent):
    """A person answers for an artifact that no reviewer has approved; ``gate`` is its name."""

    type_name: ClassVar[str] = "workflow.gate_waived"

    confirmation_id: str
    gate: str
    actor: str
    reason: str
    verdict_overridden: str
    artifact_hash: str


class WorkflowHalted(WorkflowEvent):
    """The run cannot go on by itself. ``reason`` is a code, ``message`` what happened.

    The costs are those of the run so far; ``cost_usd`` None: a price is not known. ``may_try`` are
    ways out, ``command`` is the one that takes the run up again.
    """

    type_name: ClassVar[str] = "workflow.halted"

    reason: str
    message: str
    node: str = ""
    artifact_hash: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    may_try: list[str] = []
    command: str = ""


class SecurityRefused(WorkflowEvent):
    """A rule has refused a call; ``layer`` is the rule's, ``argument`` what was refused."""

    type_name: ClassVar[str] = "workflow.security_refused"

    layer: str
    tool: str
    argument: str
    reason: str
    agent: str = ""


class AgentEventRecorded(WorkflowEvent):
    """One thing that a coding agent has done, the same for every driver.

    ``event_type`` is ``CLAUDE_THINKING``, ``CLAUDE_TOOL_CALL``, ``CLAUDE_TOOL_RESULT`` or
    ``AGENT_OUTPUT``; ``tool_input`` is a JSON text. ``at`` is when it happened, ISO 8601.
    """

    type_name: ClassVar[str] = "workflow.agent_event"

    id: str
    event_type: str
    content: str
    at: str
    agent: str
    tool_name: str | None = None
    tool_input: str | None = None


class WorkflowFinished(WorkflowEvent):
    """The run is over. ``artifact_hash`` is that of what it has made; empty: nothing approved.

    ``error`` is the code of what went wrong, empty where nothing did; ``text`` says it in words.
    """

    type_name: ClassVar[str] = "workflow.finished"

    status: WorkflowStatus
    artifact_hash: str = ""
    error: str = ""
    text: str = ""


RUN_EVENTS: tuple[type[WorkflowEvent], ...] = (
    WorkflowStarted,
    WorkflowNodeEntered,
    WorkflowNodeFinished,
    WorkflowToolCalled,
    WorkflowToolReturned,
    WorkflowEffectRecorded,
    GateOpened,
    GateDecided,
    GateWaived,
    WorkflowHalted,
    SecurityRefused,
    AgentEventRecorded,
    WorkflowFinished,
)
