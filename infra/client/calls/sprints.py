"""The operations of the area Sprints."""

from __future__ import annotations

from infra.client.connection import Connection
from infra.client.models.shared import Burndown, Item
from infra.client.models.sprints import NewSprint, SprintUpdate


class Sprints(Connection):
    def create_sprint(self, project: str, body: NewSprint, *, key: str | None = None) -> Item:
        """Make a sprint behind the last one; the plan fills it."""
        return self._write(
            Item,
            "POST",
            "/v1/projects/{project}/sprints",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_sprint(
        self, project: str, sprint_id: str, body: SprintUpdate, *, key: str | None = None
    ) -> Item:
        """Change or close a sprint; tasks are moved by changing the task."""
        return self._write(
            Item,
            "PATCH",
            "/v1/projects/{project}/sprints/{sprint_id}",
            at={"project": project, "sprint_id": sprint_id},
            key=key,
            body=body,
        )

    def delete_sprint(
        self, project: str, sprint_id: str, *, expected_version: int, key: str | None = None
    ) -> None:
        """Delete a sprint; its tasks go to other sprints."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/sprints/{sprint_id}",
            at={"project": project, "sprint_id": sprint_id},
            query={"expected_version": expected_version},
            key=key,
        )

    def read_burndown(self, project: str, sprint_id: str) -> Burndown:
        """What was left of a sprint at the end of each day, and what came and went meanwhile."""
        return self._read(
            Burndown,
            "/v1/projects/{project}/sprints/{sprint_id}/burndown",
            at={"project": project, "sprint_id": sprint_id},
        )
