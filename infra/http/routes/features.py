"""Features as people make, change and rank them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Id, Project, Seen, Sentences, Title, Version
from infra.service.planning import features
from infra.service.planning.features import Progress
from infra.service.planning.item_changes import ItemRequest
from infra.service.reading.queries import ReportItem
from schemas.events.artifact_parts import Priority

router = APIRouter(route_class=Guarded, tags=["Features"])
FeatureId = Annotated[str, Path(max_length=100)]


class FeatureChoices(BaseModel):
    """``sections`` are sentences by section id: ``description``, ``acceptance_criteria``. All of
    them cite ``atom_ids``. ``reason`` and ``priority_atom_ids`` say why the feature has its
    priority; one that is ``wont`` has no dates and no tasks. What is left out stays.
    """

    model_config = ConfigDict(extra="forbid")

    sections: Annotated[dict[Id, Sentences], Field(max_length=2)] = {}
    atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    priority: Priority | None = None
    reason: Annotated[str, Field(max_length=1_000)] = ""
    priority_atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    effort_points: Annotated[int, Field(ge=0, le=100)] | None = None
    status: Progress | None = None


class NewFeature(FeatureChoices):
    title: Title


class ChangedFeature(FeatureChoices):
    """``expected_version`` is the one that you have seen."""

    title: Title | None = None
    expected_version: Version


@router.post("/v1/projects/{project}/features", status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def create_feature(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: NewFeature
) -> ReportItem:
    """Make a feature in your own words; plans follow, and no later run overwrites it."""
    told = features.FeatureText(**body.model_dump())
    return await features.create_feature(
        api.settings, project, told, actor=caller.name, key=write.key
    )


@router.patch("/v1/projects/{project}/features/{feature_id}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def update_feature(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    feature_id: FeatureId,
    body: ChangedFeature,
) -> ReportItem:
    """Change a feature or its priority; what is left out follows the rules."""
    told = features.FeatureText(**body.model_dump(exclude={"expected_version"}))
    request = ItemRequest(project, "update", told, feature_id, body.expected_version, write.key)
    return await features.change_feature(api.settings, request, actor=caller.name)


@router.delete("/v1/projects/{project}/features/{feature_id}", status_code=204, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def delete_feature(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    feature_id: FeatureId,
    expected_version: Seen,
) -> None:
    """Delete a feature with the tasks that were cut from it; it does not come again."""
    request = ItemRequest(
        project, "delete", features.FeatureText(), feature_id, expected_version, write.key
    )
    await features.change_feature(api.settings, request, actor=caller.name)
