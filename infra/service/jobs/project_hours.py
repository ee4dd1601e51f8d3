"""What times mean in a project: its clocks, its quiet hours and the days of its sprints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from agents.project.scheduling import Sprint, next_run
from projections.read import schedules
from projections.read.session import Conn
from schemas.events.schedule import QuietHours, Recurrence


@dataclass(frozen=True, slots=True)
class ProjectHours:
    project_id: str
    zone: ZoneInfo
    quiet_hours: QuietHours | None
    sprints: tuple[Sprint, ...]

    def next_run(self, recurrence: Recurrence, after: datetime) -> datetime | None:
        """The first moment later than ``after`` at which work is due, in UTC; None: never."""
        return next_run(recurrence, after, self.zone, self.sprints)


def read_hours(tables: Conn, project_id: str) -> ProjectHours:
    """The hours of a project as the tables hold them. Raises NotFound."""
    known = schedules.read_project_settings(tables, project_id)
    days = schedules.list_sprint_days(tables, project_id)
    sprints = tuple(Sprint(each.first_day, each.last_day) for each in days)
    return ProjectHours(project_id, ZoneInfo(known.timezone), known.quiet_hours, sprints)
