"""The operations of the area Projects."""

from __future__ import annotations

from infra.client.connection import Connection, Pages
from infra.client.models.projects import Project, ProjectRequest


class Projects(Connection):
    def list_projects(self, *, name: str | None = None) -> Pages[Project]:
        """The projects of the token by name; ``name``: only those that are called so."""
        return self._list(Project, "/v1/projects", query={"name": name})

    def create_project(self, body: ProjectRequest, *, key: str | None = None) -> Project:
        """Create a project; it can be used when the answer is there."""
        return self._write(Project, "POST", "/v1/projects", key=key, body=body)

    def read_project(self, project: str) -> Project:
        """A project with the numbers of its sources and live atoms."""
        return self._read(Project, "/v1/projects/{project}", at={"project": project})
