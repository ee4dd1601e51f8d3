"""Facts about a project itself."""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

from pydantic import Field

from schemas.envelope import Event
from schemas.events.schedule import QuietHours

BudgetScope = Literal["project_day", "project_month", "run", "agent"]
BUDGET_SCOPES: tuple[BudgetScope, ...] = get_args(BudgetScope)


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


class ProjectRenamed(Event):
    """A project is called ``name`` from now on; its id stays. Natural key: the request's key."""

    type_name: ClassVar[str] = "project.renamed"
    topic: ClassVar[str] = "project.v1"

    name: str

    @property
    def aggregate_id(self) -> str:
        return "name"


class ProjectDeleted(Event):
    """A project is hidden and its keys are erased; its facts stay on the log.

    ``name`` is what it was called, which the person has typed. Natural key: the request's key.
    """

    type_name: ClassVar[str] = "project.deleted"
    topic: ClassVar[str] = "project.v1"

    name: str

    @property
    def aggregate_id(self) -> str:
        return "deleted"


class BudgetSet(Event):
    """What models may cost at most, from now on; the last one for a scope and agent counts.

    ``project_day`` and ``project_month`` are days and months of UTC, ``run`` is each run with all
    that it starts, ``agent`` what ``agent`` (empty: each one by itself) spends in a month. A limit
    that is None is none. At ``warn_at`` of a limit people are warned; a ``hard`` one is never
    passed.
    """

    type_name: ClassVar[str] = "project.budget_set"
    topic: ClassVar[str] = "project.v1"

    scope: BudgetScope
    agent: str = ""
    limit_usd: float | None = Field(default=None, ge=0)
    limit_tokens: int | None = Field(default=None, ge=0)
    warn_at: float = Field(default=0.8, gt=0, le=1)
    hard: bool = True

    @property
    def aggregate_id(self) -> str:
        return f"{self.scope}|{self.agent}"


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
