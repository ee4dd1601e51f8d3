"""What is written from the ledger: PRD, insights, epics, features, with their versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from infra.http.access import READERS, Guarded, allow
from infra.http.api import ApiDep
from infra.http.moments import MaybeAsOf, read_place, read_since
from infra.http.parameters import (
    DEFAULT_LIMIT,
    OF_ANY,
    Cursor,
    Limit,
    Named,
    Project,
    Sequence,
    UpdatedSince,
)
from projections.read import artifact_list, artifacts
from projections.read.artifact_list import (
    ArtifactSummary,
    ArtifactVersion,
    WholeArtifact,
    WholeVersion,
)
from projections.read.artifacts import SpeculativeArtifact
from projections.read.page import Page
from projections.read.past import read_past_version

router = APIRouter(route_class=Guarded, tags=["Artifacts"])
ArtifactId = Annotated[str, Path(max_length=100)]
Version = Annotated[int, Path(ge=1, le=2**31 - 1)]


class Markdown(Response):
    media_type = "text/markdown"


@router.get("/v1/projects/{project}/artifacts", responses=OF_ANY)
@allow(*READERS)
async def list_artifacts(
    api: ApiDep,
    project: Project,
    type: Named = None,
    state: Named = None,
    updated_since: UpdatedSince = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ArtifactSummary]:
    """Artifacts (PRD, features, tasks…) by type and number, without their text.

    ``updated_since`` tells also which say nothing any more: they have an empty ``number``.
    """
    return await api.tables.ask(
        artifact_list.list_artifacts,
        project,
        artifact_type=type,
        state=state,
        updated_since=read_since(updated_since),
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/speculative/{type}", responses=OF_ANY)
@allow(*READERS)
async def list_speculative(
    api: ApiDep, project: Project, type: Annotated[str, Path(max_length=100)]
) -> list[SpeculativeArtifact]:
    """Sections that are written while a run goes on, before any version is published."""
    return await api.tables.ask(artifacts.list_speculative, project, type)


@router.get("/v1/projects/{project}/artifacts/{artifact_id}", responses=OF_ANY)
@allow(*READERS)
async def read_artifact(api: ApiDep, project: Project, artifact_id: ArtifactId) -> WholeArtifact:
    """An artifact; every statement cites its atoms with the places they come from."""
    return await api.tables.ask(artifact_list.read_artifact, project, artifact_id)


@router.get("/v1/projects/{project}/artifacts/{artifact_id}/past", responses=OF_ANY)
@allow(*READERS)
async def read_past_artifact(
    api: ApiDep,
    project: Project,
    artifact_id: ArtifactId,
    as_of: MaybeAsOf = None,
    as_of_seq: Sequence | None = None,
) -> WholeVersion:
    """The version of an artifact that stood at ``as_of``, or the last one that was made of the
    ledger up to change set ``as_of_seq``; give one of both.
    """
    place = read_place(as_of_seq, as_of)
    return await api.tables.ask(read_past_version, project, artifact_id, place)


@router.get(
    "/v1/projects/{project}/artifacts/{artifact_id}/markdown",
    response_class=Markdown,
    responses=OF_ANY,
)
@allow(*READERS)
async def read_markdown(
    api: ApiDep, project: Project, artifact_id: ArtifactId, as_of: MaybeAsOf = None
) -> Markdown:
    """The present version as markdown, or the one that stood at ``as_of``."""
    if as_of is not None:
        past = await read_past_artifact(api, project, artifact_id, as_of)
        return Markdown(past.rendered_markdown)
    found = await api.tables.ask(artifact_list.read_artifact, project, artifact_id)
    return Markdown(found.rendered_markdown)


@router.get("/v1/projects/{project}/artifacts/{artifact_id}/versions", responses=OF_ANY)
@allow(*READERS)
async def list_versions(
    api: ApiDep,
    project: Project,
    artifact_id: ArtifactId,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ArtifactVersion]:
    """The versions of an artifact, oldest first, without their text."""
    return await api.tables.ask(
        artifact_list.list_versions, project, artifact_id, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/artifacts/{artifact_id}/versions/{version}", responses=OF_ANY)
@allow(*READERS)
async def read_version(
    api: ApiDep, project: Project, artifact_id: ArtifactId, version: Version
) -> WholeVersion:
    """A version as it was published."""
    return await api.tables.ask(artifact_list.read_version, project, artifact_id, version)
