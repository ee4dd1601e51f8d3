"""Onboarding pipelines: start one, see where it is, and do what it waits for.

Every change may name the version that was looked at; another one is refused (409) with the
pipeline as it is now. `GET /v1/streams/{pipeline_id}` tells every step live.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import LEADERS, OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Project
from infra.platform.addresses import check_repository_address
from infra.service.projects import onboarding
from projections.read.belonging import check_belongs
from projections.read.onboarding import (
    PipelineEvent,
    list_pipeline_events,
    list_pipelines,
    read_pipeline,
)
from schemas.events.pipeline import PipelineRecord

router = APIRouter(route_class=Guarded, tags=["Onboarding"])
ROOT = "/v1/projects/{project}/onboarding/pipelines"
PipelineId = Annotated[str, Path(max_length=100)]
MAX_SOURCES = 50


class OnboardingRequest(BaseModel):
    """``sources`` are addresses of git repositories, and with the owner's token of the installation
    paths of its machine; none: the sources that the project has.
    """

    model_config = ConfigDict(extra="forbid")

    sources: list[Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(
        [], max_length=MAX_SOURCES
    )


class ExpectedVersion(BaseModel):
    """``expected_version`` is the version that was looked at; without it the present one."""

    model_config = ConfigDict(extra="forbid")

    expected_version: int | None = Field(None, ge=0, le=2**31 - 1)


class SkipRequest(ExpectedVersion):
    reason: str = Field(min_length=1, max_length=1_000)


@router.post(ROOT, status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def start_onboarding(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    body: OnboardingRequest,
    response: Response,
) -> PipelineRecord:
    """Start a pipeline; one that its key has started before is answered as it is (200)."""
    if not caller.has_home:
        for address in body.sources:
            check_repository_address(address)
    started = await onboarding.start_onboarding(
        api.settings, project, body.sources, actor=caller.name, key=write.key
    )
    if not started.is_new:
        response.status_code = 200
    return started.record


@router.get(ROOT, responses=OF_ANY)
@allow(*OBSERVERS)
async def list_onboarding(api: ApiDep, project: Project) -> list[PipelineRecord]:
    """The newest hundred pipelines, newest first."""
    return [each.record for each in await api.tables.ask(list_pipelines, project)]


@router.get(ROOT + "/{pipeline_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_onboarding(api: ApiDep, project: Project, pipeline_id: PipelineId) -> PipelineRecord:
    """A pipeline with its stages, and what a person may do while it waits."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return (await api.tables.ask(read_pipeline, pipeline_id)).record


@router.get(ROOT + "/{pipeline_id}/events", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_onboarding_events(
    api: ApiDep, project: Project, pipeline_id: PipelineId
) -> list[PipelineEvent]:
    """Everything that has happened to a pipeline, oldest first."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return await api.tables.ask(list_pipeline_events, pipeline_id)


@router.post(ROOT + "/{pipeline_id}/resume", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def resume_onboarding(
    api: ApiDep, caller: CallerDep, project: Project, pipeline_id: PipelineId, body: ExpectedVersion
) -> PipelineRecord:
    """Go on where the pipeline waits or has failed."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return await onboarding.resume_onboarding(
        api.settings, pipeline_id, actor=caller.name, expected_version=body.expected_version
    )


@router.post(ROOT + "/{pipeline_id}/accept", responses=OF_ANY)
@allow("owner", writes=True)
async def accept_onboarding(
    api: ApiDep, caller: CallerDep, project: Project, pipeline_id: PipelineId, body: ExpectedVersion
) -> PipelineRecord:
    """Take the PRD as it is, although the quality gate has not passed it."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return await onboarding.accept_onboarding(
        api.settings, pipeline_id, actor=caller.name, expected_version=body.expected_version
    )


@router.post(ROOT + "/{pipeline_id}/skip", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def skip_onboarding_stage(
    api: ApiDep, caller: CallerDep, project: Project, pipeline_id: PipelineId, body: SkipRequest
) -> PipelineRecord:
    """Leave out the stage that waits, where that is possible."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return await onboarding.skip_onboarding_stage(
        api.settings,
        pipeline_id,
        body.reason,
        actor=caller.name,
        expected_version=body.expected_version,
    )


@router.post(ROOT + "/{pipeline_id}/cancel", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def cancel_onboarding(
    api: ApiDep, caller: CallerDep, project: Project, pipeline_id: PipelineId, body: ExpectedVersion
) -> PipelineRecord:
    """End the pipeline; what it has made stays."""
    await api.tables.ask(check_belongs, project, pipeline_id)
    return await onboarding.cancel_onboarding(
        api.settings, pipeline_id, actor=caller.name, expected_version=body.expected_version
    )
