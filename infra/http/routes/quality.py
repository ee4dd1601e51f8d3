"""The quality gate: have the PRD or a feature judged, and read judgements; edit the PRD."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.service.jobs.jobs import JobRequest, enqueue_job
from infra.service.planning import section_edits as edits
from infra.service.writing import quality
from projections.read import belonging
from projections.read import quality as quality_read
from projections.read.artifacts import Edit
from projections.read.jobs import Job
from projections.read.page import Page
from projections.read.quality import QualityRunEvent, QualityRunRow
from schemas.events.artifact_quality import QualityMode
from schemas.events.change import EditAction

router = APIRouter(route_class=Guarded, tags=["Quality"])
RunId = Annotated[str, Path(max_length=100)]
SectionId = Annotated[str, Path(max_length=100)]


class QualityRunRequest(BaseModel):
    """``artifact`` is an id, a number, or ``prd``; ``mode`` is that of its type when left out."""

    model_config = ConfigDict(extra="forbid")

    artifact: str = Field("prd", min_length=1, max_length=100)
    mode: QualityMode | None = None


class QualityRunDetail(BaseModel):
    """A judgement with all that happened in it."""

    run: QualityRunRow
    events: list[QualityRunEvent]


class SectionText(BaseModel):
    """A statement a line, with ``[[atm_…]]`` behind it for each atom that it cites.

    Or, without a text, the answer to the suggestion that a section has, as ``action``.
    """

    model_config = ConfigDict(extra="forbid")

    text: str | None = Field(None, max_length=edits.LONGEST_TEXT)
    action: EditAction = "write"
    expected_version: int | None = Field(None, ge=0, le=2**31 - 1)


@router.post("/v1/projects/{project}/quality-runs", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def start_quality_run(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: QualityRunRequest
) -> Job:
    """Judge an artifact in the background; the job's result names the run."""
    await quality.check_judged(api.settings, project, body.artifact, body.mode)
    request = JobRequest(
        job_type="quality_run",
        project=project,
        payload=body.model_dump(exclude_none=True),
        key=write.key,
    )
    return (await enqueue_job(api.settings, request, actor=caller.name)).job


@router.get("/v1/projects/{project}/quality-runs", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_quality_runs(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[QualityRunRow]:
    """Judgements, oldest first."""
    return await api.tables.ask(quality_read.list_quality_runs, project, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/quality-runs/{run_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_quality_run(api: ApiDep, project: Project, run_id: RunId) -> QualityRunDetail:
    """A judgement: tiers, scores and a critique of each dimension, and every event of it."""
    await api.tables.ask(belonging.check_belongs, project, run_id)
    run, events = await quality.read_quality_run(api.settings, project, run_id)
    return QualityRunDetail(run=run, events=events)


@router.put("/v1/projects/{project}/prd/sections/{section_id}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def edit_prd_section(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    section_id: SectionId,
    body: SectionText,
) -> Edit:
    """Write a section of the PRD anew, or answer its suggestion; later runs only suggest."""
    edit = edits.PrdEdit(
        project=project,
        section_id=section_id,
        text=body.text,
        action=body.action,
        expected_version=body.expected_version,
        key=write.key,
    )
    return await edits.edit_prd_section(api.settings, edit, editor=caller.name)
