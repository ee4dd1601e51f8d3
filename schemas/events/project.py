"""Facts about a project itself."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event
from schemas.events.schedule import QuietHours


class ProjectCreated(Event):
    """A project exists. Its id derives from the idempotency key, which is also the natural key."""

    type_name: ClassVar[str] = "project.created"
    topic: ClassVar[str] = "project.v1"

    name: str
    description: str = ""
    vision: str = ""
    timezone: str = "UTC"

    @property
    def aggregate_id(self) -> str:
        return self.name


class SettingsChanged(Event):
    """A project keeps other hours. What is None stays as it is; natural key: the request's key.

    ``timezone`` is a name like ``Europe/Berlin``; ``has_no_quiet_hours`` takes them away.
    """

    type_name: ClassVar[str] = "project.settings_changed"
    topic: ClassVar[str] = "project.v1"

    timezone: str | None = None
    quiet_hours: QuietHours | None = None
    has_no_quiet_hours: bool = False

    @property
    def aggregate_id(self) -> str:
        return "settings"
