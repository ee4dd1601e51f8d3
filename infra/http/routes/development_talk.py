"""Ask the oracle, and turn an idea into a design with the brainstormer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OWNERS, Guarded, allow, check_at_home
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.service.development import brainstorms, oracle
from infra.service.development.brainstorms import BrainstormState, HandoffStart, MessageRequest
from infra.service.development.context_files import LONGEST_PATH
from infra.service.development.oracle import ConsultationRequest, ConsultationState
from infra.store.tokens import Caller
from projections.read import development_talk as talk_read
from projections.read.development_talk import (
    BrainstormHandoff,
    BrainstormSession,
    OracleConsultation,
)
from projections.read.page import Page
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowType

router = APIRouter(route_class=Guarded, tags=["Development"])
CONSULTATIONS, BRAINSTORMS = "/v1/dev/consultations", "/v1/dev/brainstorms"
ConsultationId = Annotated[str, Path(max_length=100)]
BrainstormId = Annotated[str, Path(max_length=100)]


class NewConsultation(BaseModel):
    """A problem, and the files that it is about: paths in ``repository``, a folder on the machine
    of the service. ``project``: whose budget pays.
    """

    model_config = ConfigDict(extra="forbid")

    problem: str = Field(min_length=1, max_length=oracle.LONGEST_PROBLEM)
    repository: str = Field("", max_length=4_000)
    context_files: list[Annotated[str, Field(max_length=LONGEST_PATH)]] = Field(
        [], max_length=oracle.MOST_FILES
    )
    project: str = Field("", max_length=100)


class NewBrainstorm(BaseModel):
    """The idea, as the first message of a new session. ``project``: whose budget pays."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=brainstorms.LONGEST_MESSAGE)
    project: str = Field("", max_length=100)


class BrainstormText(BaseModel):
    """A message of a session."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=brainstorms.LONGEST_MESSAGE)


class Handoff(BaseModel):
    """Without ``workflow_type`` the hand-off is only recorded. Else that workflow begins about the
    issue with number ``issue``; ``repository`` is a folder of the service's machine.
    """

    model_config = ConfigDict(extra="forbid")

    workflow_type: WorkflowType | None = None
    issue: int = Field(1, ge=1, le=2**31 - 1)
    repository: str = Field("", max_length=4_000)
    profile: str = Field("", max_length=100)


@router.get(CONSULTATIONS, responses=OF_ANY)
@allow(*OWNERS, everywhere=True)
async def list_consultations(
    api: ApiDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[OracleConsultation]:
    """What the oracle was asked by people and agents, and its advice, newest first."""
    return await api.tables.ask(talk_read.list_consultations, cursor=cursor, limit=limit)


@router.post(CONSULTATIONS, status_code=202, responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def begin_consultation(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: NewConsultation
) -> ConsultationState:
    """Ask the oracle. It answers in the background: read the consultation until it is not
    `running`. Files with secrets, and files out of the repository, are refused.
    """
    request = ConsultationRequest(
        problem=body.problem,
        repository=body.repository,
        context_files=tuple(body.context_files),
        project_id=await _project_of(api, caller, body.project),
        key=write.key,
    )
    return await oracle.begin_consultation(api.settings, request, actor=caller.name)


@router.get(CONSULTATIONS + "/{consultation_id}", responses=OF_ANY)
@allow(*OWNERS, everywhere=True)
async def read_consultation(api: ApiDep, consultation_id: ConsultationId) -> ConsultationState:
    """How a consultation stands, with the advice once it is there."""
    return await oracle.read_consultation(api.settings, consultation_id)


@router.get(BRAINSTORMS, responses=OF_ANY)
@allow(*LEADERS, everywhere=True)
async def list_brainstorms(
    api: ApiDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[BrainstormSession]:
    """Sessions with the brainstormer, newest first."""
    return await api.tables.ask(talk_read.list_brainstorms, cursor=cursor, limit=limit)


@router.post(BRAINSTORMS, status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True, everywhere=True)
async def begin_brainstorm(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: NewBrainstorm
) -> BrainstormState:
    """Begin a session with an idea. The brainstormer answers in the background: read the session
    until nothing of it is `running`.
    """
    project_id = await _project_of(api, caller, body.project)
    request = MessageRequest(body.message, project_id=project_id, key=write.key)
    return await brainstorms.add_message(api.settings, request, actor=caller.name)


@router.get(BRAINSTORMS + "/{brainstorm_id}", responses=OF_ANY)
@allow(*LEADERS, everywhere=True)
async def read_brainstorm(api: ApiDep, brainstorm_id: BrainstormId) -> BrainstormState:
    """A session: questions and answers, what is not answered, the design and where it went."""
    return await brainstorms.read_brainstorm(api.settings, brainstorm_id)


@router.post(BRAINSTORMS + "/{brainstorm_id}/messages", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True, everywhere=True)
async def add_brainstorm_message(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    brainstorm_id: BrainstormId,
    body: BrainstormText,
) -> BrainstormState:
    """Write to the brainstormer, which answers after all messages before it."""
    request = MessageRequest(body.message, brainstorm_id, key=write.key)
    return await brainstorms.add_message(api.settings, request, actor=caller.name)


@router.post(BRAINSTORMS + "/{brainstorm_id}/handoff", responses=OF_ANY)
@allow(*LEADERS, writes=True, everywhere=True)
async def hand_off_brainstorm(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    brainstorm_id: BrainstormId,
    body: Handoff | None = None,
) -> BrainstormHandoff:
    """Hand the design of a session on, and begin a workflow with it where one is named."""
    start = None
    if body is not None and body.workflow_type is not None:
        if body.repository:
            check_at_home(caller)
        start = HandoffStart(body.workflow_type, body.issue, body.repository, body.profile)
    return await brainstorms.hand_off(
        api.settings, brainstorm_id, actor=caller.name, key=write.key, start=start
    )


async def _project_of(api: Api, caller: Caller, project: str) -> str:
    """The project that is named, or the service as a whole. Raises NotFound."""
    if not project:
        return SERVICE_WIDE
    await api.check_project(project, caller)
    return project
