"""Governed workflows and deliveries: begin, follow, decide at their gates, read what they made.

A workflow belongs to a project, or to the installation: then a token that is good for all projects
sees it. Only product managers and owners decide at gates.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import LEADERS, READERS, WRITERS, Guarded, allow, check_at_home
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.following import follow
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.service.development import chains, gates, starting
from infra.service.development.gates import GateAnswer, GateReply
from infra.service.development.starting import BegunWorkflow, WorkflowRequest
from infra.store.tokens import Caller
from projections.read import workflows as read
from projections.read.page import Page
from projections.read.streams import read_stream
from projections.read.workflow_metrics import DevelopmentMetrics, read_development_metrics
from projections.read.workflow_tasks import DeliveryDetail, read_delivery
from projections.read.workflows import (
    TrajectoryEvent,
    Workflow,
    WorkflowArtifact,
    WorkflowGate,
    WorkflowStep,
    WorkflowVerdict,
)
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowSettings, WorkflowType

router = APIRouter(route_class=Guarded, tags=["Workflows"])
ROOT = "/v1/dev/workflows"
ONE = ROOT + "/{workflow_id}"
WorkflowId = Annotated[str, Path(max_length=100)]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Frames, until the workflow ends.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    204: {"description": "The workflow has ended, and the client has all of it."},
}
GovernedType = Literal["issue", "requirements", "implementation_spec", "tdd_implementation"]
Count = Annotated[int, Field(ge=1, le=20)]


class RunSettings(BaseModel):
    """How a workflow goes: how many verdicts, fixes and searches at most, and at which optional
    gates it waits. ``is_reviewed`` False is for issues alone.
    """

    model_config = ConfigDict(extra="forbid")

    max_iterations: Count = 5
    max_fix_iterations: Count = 5
    max_search_rounds: Count = 3
    max_review_iterations: Count = 3
    max_review_passes: Count = 1
    gates: list[Literal["draft", "verdict"]] = []
    is_reviewed: bool = True


class _Issue(BaseModel):
    """What workflows are about, and where their code is."""

    model_config = ConfigDict(extra="forbid")

    issue: int = Field(ge=1, le=2**31 - 1)
    title: str = Field("", max_length=starting.LONGEST_TITLE)
    text: str = Field("", max_length=starting.LONGEST_TEXT)
    url: str = Field("", max_length=2_000)
    project: str = Field("", max_length=200)
    repository: str = Field("", max_length=4_000)
    profile: str = Field("", max_length=100)
    item: str = Field("", max_length=100)
    settings: RunSettings | None = None
    input_workflow: str = Field("", max_length=100)
    input_text: str = Field("", max_length=starting.LONGEST_INPUT)


class WorkflowStart(_Issue):
    """A workflow about the issue with number ``issue``. ``project`` is the id of a project, of
    which ``item`` is a feature or task to start from. ``repository`` is a folder of the service's
    machine. ``input_workflow`` is a completed workflow whose artifact this one takes,
    ``input_text`` a text in its place.
    """

    workflow_type: WorkflowType


class ChainStart(_Issue):
    """The same for stages one after another, from ``first`` to ``last``: each takes what the one
    before it has come to, where that was approved.
    """

    first: GovernedType = "issue"
    last: GovernedType = "tdd_implementation"


class GateDecision(BaseModel):
    """``reason`` is feedback or advice; a waiver needs one. ``artifact_hash`` is that of what you
    have seen: with other bytes nothing is decided.
    """

    model_config = ConfigDict(extra="forbid")

    decision: GateAnswer
    reason: str = Field("", max_length=gates.LONGEST_REASON)
    artifact_hash: str = Field("", max_length=64)


class Advice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field("", max_length=gates.LONGEST_REASON)


class QueuedWorkflow(BaseModel):
    """A workflow that is in the queue; its frames are on its stream."""

    workflow_id: str
    project_id: str
    workflow_type: WorkflowType
    job_id: str
    chain_id: str


class WorkflowDetail(BaseModel):
    """A workflow with its steps, verdicts and gates in their order."""

    workflow: Workflow
    steps: list[WorkflowStep]
    verdicts: list[WorkflowVerdict]
    gates: list[WorkflowGate]


class WorkflowArtifacts(BaseModel):
    artifacts: list[WorkflowArtifact]


@router.post(ROOT, status_code=202, responses=OF_ANY)
@allow(*WRITERS, writes=True)
async def start_workflow(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: WorkflowStart
) -> QueuedWorkflow:
    """Begin a workflow. What it does is told on its stream."""
    request = await _read_request(api, caller, body, body.workflow_type, write.key)
    return _queued(await starting.start_workflow(api.settings, request, actor=caller.name))


@router.post("/v1/dev/chain", status_code=202, responses=OF_ANY)
@allow(*WRITERS, writes=True)
async def start_chain(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: ChainStart
) -> QueuedWorkflow:
    """Begin the first stage of a chain; the others follow, each where the one before was
    approved. `GET /v1/dev/workflows?chain=` lists them.
    """
    request = await _read_request(api, caller, body, body.first, write.key)
    begun = await chains.start_chain(api.settings, request, actor=caller.name, until=body.last)
    return _queued(begun)


@router.get(ROOT, responses=OF_ANY)
@allow(*READERS)
async def list_workflows(
    api: ApiDep,
    caller: CallerDep,
    project: Annotated[str | None, Query(max_length=200)] = None,
    thread: Annotated[str | None, Query(max_length=100)] = None,
    chain: Annotated[str | None, Query(max_length=100)] = None,
    workflow_type: WorkflowType | None = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Workflow]:
    """Workflows that have begun, the newest first."""
    return await api.tables.ask(
        read.list_workflows,
        await _find_projects(api, caller, project),
        thread=thread,
        chain=chain,
        workflow_type=workflow_type,
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/dev/metrics", responses=OF_ANY)
@allow(*READERS)
async def read_agent_metrics(
    api: ApiDep,
    caller: CallerDep,
    project: Annotated[str | None, Query(max_length=200)] = None,
) -> DevelopmentMetrics:
    """How good the development agents are, by agent and profile: effectiveness, efficiency,
    robustness and safety.
    """
    projects = await _find_projects(api, caller, project)
    return await api.tables.ask(read_development_metrics, projects)


@router.get(ONE, responses=OF_ANY)
@allow(*READERS)
async def read_workflow(api: ApiDep, caller: CallerDep, workflow_id: WorkflowId) -> WorkflowDetail:
    """How a workflow stands: its steps, the verdicts about its drafts, and its gates."""
    run = await _find_own(api, caller, workflow_id)
    return WorkflowDetail(
        workflow=run,
        steps=await api.tables.ask(read.list_workflow_steps, workflow_id),
        verdicts=await api.tables.ask(read.list_workflow_verdicts, workflow_id),
        gates=await api.tables.ask(read.list_workflow_gates, workflow_id),
    )


@router.get(ONE + "/artifacts", responses=OF_ANY)
@allow(*READERS)
async def list_workflow_artifacts(
    api: ApiDep, caller: CallerDep, workflow_id: WorkflowId
) -> WorkflowArtifacts:
    """Drafts, plans and what the workflow has come to, whole, in their order."""
    await _find_own(api, caller, workflow_id)
    found = await api.tables.ask(read.list_workflow_artifacts, workflow_id)
    return WorkflowArtifacts(artifacts=found)


@router.get(ONE + "/tasks", responses=OF_ANY)
@allow(*READERS)
async def read_workflow_tasks(
    api: ApiDep, caller: CallerDep, workflow_id: WorkflowId
) -> DeliveryDetail:
    """A delivery task by task: commits, reviews, and what of each review was done."""
    await _find_own(api, caller, workflow_id)
    return await api.tables.ask(read_delivery, workflow_id)


@router.get(ONE + "/trajectory", responses=OF_ANY)
@allow(*READERS)
async def list_trajectory(
    api: ApiDep,
    caller: CallerDep,
    workflow_id: WorkflowId,
    agent: Annotated[str | None, Query(max_length=100)] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[TrajectoryEvent]:
    """What the coding agents of a workflow have thought, called and got back, in its order."""
    await _find_own(api, caller, workflow_id)
    return await api.tables.ask(
        read.list_trajectory, workflow_id, agent=agent, cursor=cursor, limit=limit
    )


@router.get(ONE + "/stream", response_class=Response, responses=STREAMED | OF_ANY)
@allow(*READERS)
async def follow_workflow(
    api: ApiDep,
    caller: CallerDep,
    workflow_id: WorkflowId,
    last_event_id: LastEventId = None,
) -> Response:
    """What a workflow does, frame by frame, behind the one named by `Last-Event-ID`, or from its
    beginning.
    """
    await _find_own(api, caller, workflow_id)
    stream = await api.tables.ask(read_stream, workflow_id)
    return await follow(api, caller, stream, last_event_id)


@router.post(ONE + "/gates/{gate}", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def decide_gate(
    api: ApiDep,
    caller: CallerDep,
    workflow_id: WorkflowId,
    gate: Annotated[str, Path(max_length=100)],
    body: GateDecision,
) -> QueuedWorkflow:
    """Approve, reject with feedback, or waive a verdict with a reason; the workflow goes on."""
    await _find_own(api, caller, workflow_id)
    reply = GateReply(workflow_id, gate, body.decision, body.reason, body.artifact_hash)
    return _queued(await gates.decide_gate(api.settings, reply, actor=caller.name))


@router.post(ONE + "/resume", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def resume_workflow(
    api: ApiDep, caller: CallerDep, workflow_id: WorkflowId, body: Advice
) -> QueuedWorkflow:
    """Have a workflow that has halted try again; ``reason`` is advice to it."""
    await _find_own(api, caller, workflow_id)
    begun = await gates.resume_workflow(
        api.settings, workflow_id, actor=caller.name, reason=body.reason
    )
    return _queued(begun)


@router.post(ONE + "/cancel", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def cancel_workflow(
    api: ApiDep, caller: CallerDep, workflow_id: WorkflowId
) -> QueuedWorkflow:
    """End a workflow; nothing more is asked or called in it."""
    await _find_own(api, caller, workflow_id)
    return _queued(await gates.cancel_workflow(api.settings, workflow_id, actor=caller.name))


async def _read_request(
    api: Api, caller: Caller, body: _Issue, workflow_type: WorkflowType, key: str
) -> WorkflowRequest:
    """What is to begin, in a project of the caller's or in the installation."""
    if body.project:
        await api.check_project(body.project, caller)
    elif not caller.may_see(SERVICE_WIDE):
        raise starting.project_missing()
    if body.repository:
        check_at_home(caller)
    if body.input_workflow:
        await _find_own(api, caller, body.input_workflow)
    return WorkflowRequest(
        workflow_type=workflow_type,
        issue_number=body.issue,
        title=body.title,
        text=body.text,
        url=body.url,
        project=body.project or None,
        repository=body.repository,
        profile=body.profile,
        settings=WorkflowSettings(**(body.settings or RunSettings()).model_dump()),
        item=body.item,
        input_workflow=body.input_workflow,
        input_text=body.input_text,
        key=key,
    )


async def _find_projects(api: Api, caller: Caller, project: str | None) -> list[str] | None:
    """The projects whose workflows the caller sees, or the one they name; None: all."""
    if project is not None:
        await api.check_project(project, caller)
        return [project]
    return None if caller.projects is None else sorted(caller.projects)


async def _find_own(api: Api, caller: Caller, workflow_id: str) -> Workflow:
    """Raises NotFound, in the same words, for a workflow that is not there or not theirs."""
    run = await api.tables.ask(gates.find_state, workflow_id)
    if not caller.may_see(run.project_id):
        raise read.unknown_workflow(workflow_id)
    if run.project_id != SERVICE_WIDE:
        await api.check_project(run.project_id, caller)
    return run


def _queued(begun: BegunWorkflow) -> QueuedWorkflow:
    return QueuedWorkflow.model_validate(begun, from_attributes=True)
