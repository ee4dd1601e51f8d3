# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Projects."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Projects(Connection):
    def list_projects(self, *, name: str | None = None) -> Pages[models.projects.Project]:
        """The projects of the token by name; ``name``: only those that are called so."""
        return self._list(models.projects.Project, "/v1/projects", query={"name": name})

    def create_project(
        self, body: models.projects.ProjectRequest, *, key: str | None = None
    ) -> models.projects.Project:
        """Create a project; it can be used when the answer is there."""
        return self._write(models.projects.Project, "POST", "/v1/projects", key=key, body=body)

    def rename_project(
        self, project: str, body: models.projects.ProjectRequest, *, key: str | None = None
    ) -> models.projects.Project:
        """Give a project another name; its id, and all that leads to it, stays."""
        return self._write(
            models.projects.Project,
            "PATCH",
            "/v1/projects/{project}",
            at={"project": project},
            key=key,
            body=body,
        )

    def delete_project(self, project: str, *, name: str, key: str | None = None) -> None:
        """Hide a project for good and erase its keys; owner only, and `name` has to be its name.

        Its jobs, runs, schedules and connectors end. From then on it answers as one that does not
        exist. Its facts stay on the log; what was encrypted of them can be read no more.
        """
        self._perform(
            "DELETE",
            "/v1/projects/{project}",
            at={"project": project},
            query={"name": name},
            key=key,
        )

    def read_project(self, project: str) -> models.projects.Project:
        """A project with the numbers of its sources and live atoms."""
        return self._read(
            models.projects.Project, "/v1/projects/{project}", at={"project": project}
        )
