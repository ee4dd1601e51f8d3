# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Sprints."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection


class Sprints(Connection):
    def create_sprint(
        self, project: str, body: models.sprints.NewSprint, *, key: str | None = None
    ) -> models.shared.Item:
        """Make a sprint behind the last one; the plan fills it."""
        return self._write(
            models.shared.Item,
            "POST",
            "/v1/projects/{project}/sprints",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_sprint(
        self,
        project: str,
        sprint_id: str,
        body: models.sprints.SprintUpdate,
        *,
        key: str | None = None,
    ) -> models.shared.Item:
        """Change or close a sprint; tasks are moved by changing the task."""
        return self._write(
            models.shared.Item,
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

    def read_burndown(self, project: str, sprint_id: str) -> models.shared.Burndown:
        """What was left of a sprint at the end of each day, and what came and went meanwhile."""
        return self._read(
            models.shared.Burndown,
            "/v1/projects/{project}/sprints/{sprint_id}/burndown",
            at={"project": project, "sprint_id": sprint_id},
        )
