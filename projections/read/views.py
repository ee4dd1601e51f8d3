"""Artifacts of one type with all that is shown beside them."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from projections.read import artifacts, team
from projections.read.burndown import Burndown, read_burndown
from projections.read.page import take
from projections.read.session import Conn, ReadModel


class ArtifactView(ReadModel):
    """Artifacts of one type with all that is shown beside them.

    ``prd`` or ``items``: what is published; ``ahead``: what a run is writing; ``gone``: what was in
    the list before; ``left_out``: what became no task; ``names`` of members, tasks and sprints;
    ``burndowns`` of the sprints.
    """

    prd: artifacts.Artifact | None
    items: list[artifacts.Item]
    ahead: list[artifacts.SpeculativeArtifact]
    gone: list[artifacts.RemovedItem]
    left_out: list[str]
    names: dict[str, str]
    burndowns: list[Burndown]


def read_view(connection: Conn, project_id: str, artifact_type: str, now: datetime) -> ArtifactView:
    """All that is shown of a type. Raises NotFound for a PRD that nothing is written of yet."""
    of_type = (connection, project_id, artifact_type)
    ahead, prd = artifacts.list_speculative(*of_type), None
    if artifact_type == "prd" and (not ahead or artifacts.has_artifact(*of_type)):
        prd = artifacts.read_only_artifact(*of_type)
    many = artifact_type != "prd"
    listed = list(take(partial(artifacts.list_items, *of_type))) if many else []
    is_task, is_sprint = artifact_type == "task", artifact_type == "sprint_plan"
    return ArtifactView(
        prd=prd,
        items=listed,
        ahead=ahead,
        gone=list(take(partial(artifacts.list_gone_items, *of_type))),
        left_out=team.list_left_out_tasks(connection, project_id) if is_task else [],
        names=team.read_names(connection, project_id),
        burndowns=[
            read_burndown(connection, project_id, sprint.artifact_id, now)
            for sprint in listed
            if is_sprint
        ],
    )
