"""Tasks, features and sprints as people make and change them, with their burndown, and the tools by
which agents do.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import EVERYONE, LEADERS, OBSERVERS, WRITERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Day, Id, Project, Seen, Sentences, Title, Version
from infra.platform.clock import SystemClock
from infra.service.asking import agent_tools
from infra.service.asking.agent_tools import AgentTool
from infra.service.planning.items import KINDS, ItemRequest, Progress, change_item
from infra.store.tokens import ApiRole
from projections.read import burndown
from projections.read.artifacts import Item
from projections.read.burndown import Burndown
from schemas.events.artifact_items import Priority, TaskStatus
from schemas.events.change import ChangedType

tasks, features, sprints = (
    APIRouter(route_class=Guarded, tags=[tag]) for tag in ("Tasks", "Features", "Sprints")
)

Handler = Callable[..., Any]
OWN = ("sections", "atom_ids", "priority_atom_ids", "expected_version")  # of a request, no fields


class Choices(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TaskChoices(Choices):
    """``sections`` are sentences by section id: ``description``, ``solutions``,
    ``acceptance_criteria``. All of them cite ``atom_ids``. ``sprint_id`` is the sprint to move it
    into; empty: the plan chooses again. What is left out stays.
    """

    sections: Annotated[dict[Id, Sentences], Field(max_length=3)] = {}
    atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    assignee_id: Id | None = None
    sprint_id: Id | None = None
    estimate_points: Annotated[int, Field(ge=0, le=100)] | None = None
    required_skills: Annotated[list[Title], Field(max_length=10)] | None = None
    status: TaskStatus | None = None


class NewTask(TaskChoices):
    title: Title
    feature_id: Id | None = None


class TaskUpdate(TaskChoices):
    """``expected_version`` is the one that you have seen."""

    title: Title | None = None
    expected_version: Version


class FeatureChoices(Choices):
    """``sections`` are sentences by section id: ``description``, ``acceptance_criteria``. All of
    them cite ``atom_ids``. ``reason`` and ``priority_atom_ids`` say why the feature has its
    priority; one that is ``wont`` has no dates and no tasks. What is left out stays.
    """

    sections: Annotated[dict[Id, Sentences], Field(max_length=2)] = {}
    atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    priority: Priority | None = None
    reason: Annotated[str, Field(max_length=1_000)] = ""
    priority_atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    effort_points: Annotated[int, Field(ge=0, le=100)] | None = None
    status: Progress | None = None


class NewFeature(FeatureChoices):
    title: Title


class FeatureUpdate(FeatureChoices):
    """``expected_version`` is the one that you have seen."""

    title: Title | None = None
    expected_version: Version


class SprintChoices(Choices):
    """Both days are in the sprint; ``capacity_points`` is what the team can do in it. What is left
    out follows the plan.
    """

    start_date: Day | None = None
    end_date: Day | None = None
    capacity_points: Annotated[int, Field(ge=0, le=10_000)] | None = None


class NewSprint(SprintChoices):
    goal: Title


class SprintUpdate(SprintChoices):
    """``is_closed``: what is done stays in it, the rest goes to later sprints; false opens it
    again. ``expected_version`` is the one that you have seen.
    """

    goal: Title | None = None
    is_closed: bool | None = None
    expected_version: Version


@tasks.get("/v1/agents/tools", responses=OF_ANY)
@allow(*EVERYONE)
async def list_agent_tools(api: ApiDep) -> list[AgentTool]:
    """The tools of the assistant, with the arguments that each one takes."""
    return await agent_tools.list_agent_tools(api.settings)


def _add_routes(
    router: APIRouter,
    kind: ChangedType,
    roles: tuple[ApiRole, ...],
    new: type[Choices],
    changed: type[Choices],
    *said: str,
) -> None:
    """Routes that make, change and delete such items; ``said``: what each of them does."""
    name = KINDS[kind].name
    of_all = f"/v1/projects/{{project}}/{name}s"
    of_one = f"{of_all}/{{{name}_id}}"
    create, update, delete = _handlers(kind, roles, new, changed)
    routes = (
        ("POST", of_all, create, 201),
        ("PATCH", of_one, update, 200),
        ("DELETE", of_one, delete, 204),
    )
    for (method, path, route, status), words in zip(routes, said, strict=True):
        router.add_api_route(
            path,
            route,
            methods=[method],
            name=f"{route.__name__}_{name}",
            description=words,
            status_code=status,
            responses=OF_ANY,
        )


def _handlers(
    kind: ChangedType, roles: tuple[ApiRole, ...], new: type[Choices], changed: type[Choices]
) -> tuple[Handler, Handler, Handler]:
    """What makes, what changes and what deletes such an item."""
    name = KINDS[kind].name
    item_path = Path(alias=f"{name}_id", title=f"{name.capitalize()} Id", max_length=100)

    @allow(*roles, writes=True)
    async def create(
        api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: Choices
    ) -> Item:
        request = ItemRequest(project, kind, "create", key=write.key, **_read(body))
        return await change_item(api.settings, request, actor=caller.name)

    @allow(*roles, writes=True)
    async def update(
        api: ApiDep,
        caller: CallerDep,
        write: WriteDep,
        project: Project,
        item_id: Annotated[str, item_path],
        body: Choices,
    ) -> Item:
        named = {"item_id": item_id, **_read(body)}
        request = ItemRequest(project, kind, "update", key=write.key, **named)
        return await change_item(api.settings, request, actor=caller.name)

    @allow(*roles, writes=True)
    async def delete(
        api: ApiDep,
        caller: CallerDep,
        write: WriteDep,
        project: Project,
        item_id: Annotated[str, item_path],
        expected_version: Seen,
    ) -> None:
        named: dict[str, Any] = {"item_id": item_id, "expected_version": expected_version}
        request = ItemRequest(project, kind, "delete", key=write.key, **named)
        await change_item(api.settings, request, actor=caller.name)

    create.__annotations__["body"], update.__annotations__["body"] = new, changed
    return create, update, delete


def _read(body: Choices) -> dict[str, Any]:
    """What a request has of its own, and all other values as fields of the item."""
    said = body.model_dump()
    own = {name: said.pop(name) for name in OWN if name in said}
    return own | {"fields": said}


_add_routes(
    tasks,
    "task",
    WRITERS,
    NewTask,
    TaskUpdate,
    "Make a task in your own words; plans follow, and no later run overwrites it.",
    "Change a task, also one that rules have made; what is left out follows the rules.",
    "Delete a task; it does not come again.",
)
_add_routes(
    features,
    "feature",
    LEADERS,
    NewFeature,
    FeatureUpdate,
    "Make a feature in your own words; plans follow, and no later run overwrites it.",
    "Change a feature or its priority; what is left out follows the rules.",
    "Delete a feature with the tasks that were cut from it; it does not come again.",
)
_add_routes(
    sprints,
    "sprint_plan",
    LEADERS,
    NewSprint,
    SprintUpdate,
    "Make a sprint behind the last one; the plan fills it.",
    "Change or close a sprint; tasks are moved by changing the task.",
    "Delete a sprint; its tasks go to other sprints.",
)


@sprints.get("/v1/projects/{project}/sprints/{sprint_id}/burndown", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_burndown(
    api: ApiDep, project: Project, sprint_id: Annotated[str, Path(max_length=100)]
) -> Burndown:
    """What was left of a sprint at the end of each day, and what came and went meanwhile."""
    return await api.tables.ask(burndown.read_burndown, project, sprint_id, SystemClock().now())
