# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Schedules."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Schedules(Connection):
    def list_schedules(
        self, project: str, *, include_finished: bool | None = None
    ) -> Pages[models.schedules.ScheduledWork]:
        """Schedules, oldest first; ``include_finished``: also removed ones, and work that
        webhooks asked for.
        """
        return self._list(
            models.schedules.ScheduledWork,
            "/v1/projects/{project}/schedules",
            at={"project": project},
            query={"include_finished": include_finished},
        )

    def schedule_work(
        self, project: str, body: models.schedules.ScheduleRequest, *, key: str | None = None
    ) -> models.schedules.ScheduledWork:
        """Have work done at times."""
        return self._write(
            models.schedules.ScheduledWork,
            "POST",
            "/v1/projects/{project}/schedules",
            at={"project": project},
            key=key,
            body=body,
        )

    def read_schedule(self, project: str, schedule_id: str) -> models.schedules.ScheduledWork:
        """A schedule, or what a delivery of a webhook has asked for."""
        return self._read(
            models.schedules.ScheduledWork,
            "/v1/projects/{project}/schedules/{schedule_id}",
            at={"project": project, "schedule_id": schedule_id},
        )

    def update_schedule(
        self,
        project: str,
        schedule_id: str,
        body: models.schedules.ScheduleUpdate,
        *,
        key: str | None = None,
    ) -> models.schedules.ScheduledWork:
        """Change a schedule."""
        return self._write(
            models.schedules.ScheduledWork,
            "PATCH",
            "/v1/projects/{project}/schedules/{schedule_id}",
            at={"project": project, "schedule_id": schedule_id},
            key=key,
            body=body,
        )

    def remove_schedule(self, project: str, schedule_id: str, *, key: str | None = None) -> None:
        """Remove a schedule; jobs that were begun go on."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/schedules/{schedule_id}",
            at={"project": project, "schedule_id": schedule_id},
            key=key,
        )

    def start_schedule(
        self, project: str, schedule_id: str, *, key: str | None = None
    ) -> models.shared.Job:
        """Do the work now, beside its own times and also in quiet hours; its times stay."""
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/schedules/{schedule_id}/run",
            at={"project": project, "schedule_id": schedule_id},
            key=key,
        )

    def read_project_settings(self, project: str) -> models.schedules.ProjectSettings:
        """The time zone and quiet hours of a project."""
        return self._read(
            models.schedules.ProjectSettings,
            "/v1/projects/{project}/settings",
            at={"project": project},
        )

    def set_project_settings(
        self, project: str, body: models.schedules.SettingsRequest, *, key: str | None = None
    ) -> models.schedules.ProjectSettings:
        """Set them; what is left out stays."""
        return self._write(
            models.schedules.ProjectSettings,
            "PUT",
            "/v1/projects/{project}/settings",
            at={"project": project},
            key=key,
            body=body,
        )
