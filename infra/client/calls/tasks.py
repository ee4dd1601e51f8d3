# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Tasks."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection


class Tasks(Connection):
    def list_agent_tools(self) -> list[models.tasks.AgentTool]:
        """The tools of the assistant, with the arguments that each one takes."""
        return self._read(list[models.tasks.AgentTool], "/v1/agents/tools")

    def create_task(
        self, project: str, body: models.tasks.NewTask, *, key: str | None = None
    ) -> models.shared.Item:
        """Make a task in your own words; plans follow, and no later run overwrites it."""
        return self._write(
            models.shared.Item,
            "POST",
            "/v1/projects/{project}/tasks",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_task(
        self, project: str, task_id: str, body: models.tasks.TaskUpdate, *, key: str | None = None
    ) -> models.shared.Item:
        """Change a task, also one that rules have made; what is left out follows the rules."""
        return self._write(
            models.shared.Item,
            "PATCH",
            "/v1/projects/{project}/tasks/{task_id}",
            at={"project": project, "task_id": task_id},
            key=key,
            body=body,
        )

    def delete_task(
        self, project: str, task_id: str, *, expected_version: int, key: str | None = None
    ) -> None:
        """Delete a task; it does not come again."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/tasks/{task_id}",
            at={"project": project, "task_id": task_id},
            query={"expected_version": expected_version},
            key=key,
        )
