"""Facts about a project itself."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


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
