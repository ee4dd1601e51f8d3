"""The operations of the area Tasks."""

from __future__ import annotations

from infra.client.connection import Connection
from infra.client.models.shared import Item
from infra.client.models.tasks import AgentTool, NewTask, TaskUpdate


class Tasks(Connection):
    def list_agent_tools(self) -> list[AgentTool]:
        """The tools of the assistant, with the arguments that each one takes."""
        return self._read(list[AgentTool], "/v1/agents/tools")

    def create_task(self, project: str, body: NewTask, *, key: str | None = None) -> Item:
        """Make a task in your own words; plans follow, and no later run overwrites it."""
        return self._write(
            Item,
            "POST",
            "/v1/projects/{project}/tasks",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_task(
        self, project: str, task_id: str, body: TaskUpdate, *, key: str | None = None
    ) -> Item:
        """Change a task, also one that rules have made; what is left out follows the rules."""
        return self._write(
            Item,
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
