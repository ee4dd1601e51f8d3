"""Sprints, features and tasks as people make, change, close and delete them.

A form shows what there is; only what differs from it is said, so that all else still follows the
plan and the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from starlette.responses import Response

from infra.http.access import LEADERS, WRITERS
from infra.http.console.documents import list_documents
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.spans import visible
from infra.http.console.team import read_burndown, show_team
from infra.platform.errors import Invalid
from infra.service.planning.items import (
    LONGEST_TITLE,
    ItemRequest,
    Progress,
    change_item,
    find_item,
)
from projections.read.artifact_list import ArtifactDetail
from projections.read.artifacts import Item, list_items
from projections.read.page import LARGEST_PAGE
from projections.read.team import list_members
from schemas.events.artifact_items import (
    FeatureFields,
    Priority,
    TaskFields,
    TaskStatus,
    UserEditedTask,
)
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.change import ChangedType, ChangeOp

pages = Pages()
ROOT = "/projects/{project}"
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
PROGRESS: tuple[Progress, ...] = get_args(Progress)
STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
TASK_SECTIONS = ("description", "solutions", "acceptance_criteria")
FEATURE_SECTIONS = ("description", "acceptance_criteria")
MOST_SKILLS = 10


@pages.act(ROOT + "/sprints", *LEADERS, page=show_team)
async def create_sprint(visit: PageContext) -> Response:
    """Make a sprint behind the last one; the plan fills it."""
    said = {
        "goal": _line(visit, "goal"),
        "start_date": _line(visit, "start_date") or None,
        "end_date": _line(visit, "end_date") or None,
        "capacity_points": visit.sent_number("capacity_points"),
    }
    made = await _create(visit, "sprint_plan", said)
    return _show_sprint(visit, made.artifact_id, f"{made.title} is made.")


@pages.show(ROOT + "/sprints/{item}", *LEADERS)
async def show_sprint(visit: PageContext) -> Response:
    """A sprint to change, close or delete."""
    item = await _find(visit, "sprint_plan")
    return visit.show(
        "sprint.html",
        item=item,
        plan=SprintPlanFields.model_validate(item.fields),
        burned=await read_burndown(visit, item.artifact_id),
    )


@pages.act(ROOT + "/sprints/{item}", *LEADERS, page=show_sprint)
async def change_sprint(visit: PageContext) -> Response:
    """Say its goal, its days, or what the team can do in it."""
    item = await _find(visit, "sprint_plan")
    now = SprintPlanFields.model_validate(item.fields)
    names = ("goal", "start_date", "end_date")
    said = _differing(visit, {name: getattr(now, name) for name in names}, _line)
    said["capacity_points"] = _number(visit, "capacity_points", now)
    done = await _change(visit, "sprint_plan", said)
    return _show_sprint(visit, done.artifact_id, f"{done.title} is changed.")


@pages.act(ROOT + "/sprints/{item}/state", *LEADERS, page=show_sprint)
async def close_sprint(visit: PageContext) -> Response:
    """Close a sprint, whose rest goes to later ones, or open it again."""
    state = visit.form.get("state")
    if state not in ("closed", "open"):
        raise Invalid("A sprint is closed or open.", code="invalid_request")
    done = await _change(visit, "sprint_plan", {"is_closed": state == "closed"})
    return _show_sprint(visit, done.artifact_id, f"{done.title} is {state}.")


@pages.act(ROOT + "/sprints/{item}/delete", *LEADERS, page=show_sprint)
async def delete_sprint(visit: PageContext) -> Response:
    """Delete a sprint for a reason; its tasks go to other ones."""
    gone = await _delete(visit, "sprint_plan")
    return _show_sprint(visit, None, f"{gone.title} is deleted.")


@pages.act(ROOT + "/features", *LEADERS, page=list_documents)
async def create_feature(visit: PageContext) -> Response:
    """Make a feature in a person's words."""
    sections = _read_sections(visit, FEATURE_SECTIONS)
    made = await _create(visit, "feature", {"title": _line(visit, "title")}, sections=sections)
    return _show_item(visit, made.artifact_id, f"{made.number} is made.")


@pages.show(ROOT + "/features/{item}", *LEADERS)
async def show_feature(visit: PageContext) -> Response:
    """A feature to change, rank or delete."""
    item = await _find(visit, "feature")
    return visit.show(
        "feature.html",
        item=item,
        fields=FeatureFields.model_validate(item.fields),
        texts=_texts(item, FEATURE_SECTIONS),
        priorities=PRIORITIES,
        progress=PROGRESS,
    )


@pages.act(ROOT + "/features/{item}", *LEADERS, page=show_feature)
async def change_feature(visit: PageContext) -> Response:
    """Say it in other words, rank it, or say how far it is."""
    item = await _find(visit, "feature")
    now = FeatureFields.model_validate(item.fields)
    known = {"title": item.title, "priority": now.priority, "status": now.status}
    said = _differing(visit, known, _line)
    _check_choice(said, "priority", PRIORITIES)
    _check_choice(said, "status", PROGRESS)
    said["reason"] = _line(visit, "why") if "priority" in said else ""
    said["effort_points"] = _number(visit, "effort_points", now)
    sections = _changed_sections(visit, item, FEATURE_SECTIONS)
    done = await _change(visit, "feature", said, sections=sections)
    return _show_item(visit, done.artifact_id, f"{done.number} is changed.")


@pages.act(ROOT + "/features/{item}/delete", *LEADERS, page=show_feature)
async def delete_feature(visit: PageContext) -> Response:
    """Delete a feature for a reason, with the tasks that were cut from it."""
    gone = await _delete(visit, "feature")
    return _show_list(visit, "feature", f"{gone.title} is deleted.")


@pages.act(ROOT + "/tasks", *WRITERS, page=list_documents)
async def create_task(visit: PageContext) -> Response:
    """Make a task in a person's words."""
    sections = _read_sections(visit, TASK_SECTIONS)
    made = await _create(visit, "task", {"title": _line(visit, "title")}, sections=sections)
    return _show_item(visit, made.artifact_id, f"{made.number} is made.")


@pages.show(ROOT + "/tasks/{item}", *WRITERS)
async def show_task(visit: PageContext) -> Response:
    """A task to change, give to somebody, move or delete."""
    item = await _find(visit, "task")
    listed = await visit.ask(list_items, visit.project_id, "sprint_plan", limit=LARGEST_PAGE)
    fields = TaskFields.model_validate(item.fields)
    return visit.show(
        "task.html",
        item=item,
        fields=fields,
        user_edited=fields.user_edited or UserEditedTask(),
        texts=_texts(item, TASK_SECTIONS),
        members=await visit.ask(list_members, visit.project_id),
        sprints=[(it, SprintPlanFields.model_validate(it.fields)) for it in listed.items],
        statuses=STATUSES,
    )


@pages.act(ROOT + "/tasks/{item}", *WRITERS, page=show_task)
async def change_task(visit: PageContext) -> Response:
    """Say it in other words, give it to somebody, move it, or say how far it is.

    Nobody chosen, or no sprint: the plan chooses.
    """
    item = await _find(visit, "task")
    now = TaskFields.model_validate(item.fields)
    user_edited = now.user_edited or UserEditedTask()
    said = _differing(visit, {"title": item.title, "status": now.status}, _line)
    _check_choice(said, "status", STATUSES)
    chosen = {
        "assignee_id": user_edited.assignee_id or "",
        "sprint_id": user_edited.sprint_id or "",
    }
    said |= _differing(visit, chosen, lambda visit, name: visit.form[name])
    said |= _differing(visit, {"required_skills": now.required_skills}, _skills)
    said["estimate_points"] = _number(visit, "estimate_points", now)
    sections = _changed_sections(visit, item, TASK_SECTIONS)
    done = await _change(visit, "task", said, sections=sections)
    return _show_item(visit, done.artifact_id, f"{done.number} is changed.")


@pages.act(ROOT + "/tasks/{item}/status", *WRITERS, page=show_team)
async def move_task(visit: PageContext) -> Response:
    """Put a task into another column of the board."""
    status = visit.form.get("status", "")
    _check_choice({"status": status}, "status", STATUSES)
    done = await _change(visit, "task", {"status": status})
    told = f"{done.title} is {status.replace('_', ' ')}."
    return _show_sprint(visit, visit.form.get("sprint") or None, told)


@pages.act(ROOT + "/tasks/{item}/assign", *WRITERS, page=show_team)
async def assign_task(visit: PageContext) -> Response:
    """Give a task to a member that was suggested. Raises Invalid where nobody is chosen."""
    chosen = visit.form.get("assignee_id", "")
    if not chosen:
        raise Invalid("Choose an assignee.", code="member_missing")
    done = await _change(visit, "task", {"assignee_id": chosen})
    return visit.go("projects", visit.project_id, "team", told=f"{done.title} is assigned.")


@pages.act(ROOT + "/tasks/{item}/delete", *WRITERS, page=show_task)
async def delete_task(visit: PageContext) -> Response:
    """Delete a task for a reason; it does not come again."""
    gone = await _delete(visit, "task")
    return _show_list(visit, "task", f"{gone.title} is deleted.")


async def _create(
    visit: PageContext, kind: ChangedType, said: Mapping[str, Any], **more: Any
) -> Item:
    key = visit.form["key"]
    request = ItemRequest(visit.project_id, kind, "create", said, key=key, **more)
    return await change_item(visit.api.settings, request, actor=visit.caller.name)


async def _change(
    visit: PageContext,
    kind: ChangedType,
    said: Mapping[str, Any],
    op: ChangeOp = "update",
    **more: Any,
) -> Item:
    """Do it with the item of the address, as the page has shown it."""
    request = ItemRequest(
        visit.project_id,
        kind,
        op,
        said,
        atom_ids=visit.form.get("atoms", "").split(),
        item_id=visit.part("item"),
        expected_version=visit.sent_number("version") or 0,
        key=visit.form["key"],
        **more,
    )
    return await change_item(visit.api.settings, request, actor=visit.caller.name)


async def _delete(visit: PageContext, kind: ChangedType) -> Item:
    visit.sent_reason()
    return await _change(visit, kind, {}, "delete")


async def _find(visit: PageContext, kind: ChangedType) -> ArtifactDetail:
    """Raises NotFound for what is of another type, or is deleted."""
    found: ArtifactDetail = await visit.ask(find_item, visit.project_id, kind, visit.part("item"))
    return found


def _texts(item: ArtifactDetail, names: tuple[str, ...]) -> dict[str, str]:
    """The sentences of each section, one a line."""
    said = {one.section_id: one.statements for one in item.sections}
    return {name: "\n".join(visible(it.text) for it in said.get(name, ())) for name in names}


def _changed_sections(
    visit: PageContext, item: ArtifactDetail, names: tuple[str, ...]
) -> dict[str, list[str]]:
    """What the form says otherwise; a line that stays as it is keeps what it cites."""
    shown = _texts(item, names)
    known = {visible(it.text).strip(): it.text for one in item.sections for it in one.statements}
    return {
        name: [known.get(line, line) for line in lines]
        for name, lines in _read_sections(visit, names).items()
        if visit.form[name].strip() != shown[name].strip()
    }


def _read_sections(visit: PageContext, names: tuple[str, ...]) -> dict[str, list[str]]:
    lines = {name: visit.form[name].split("\n") for name in names if name in visit.form}
    return {name: [it.strip() for it in many if it.strip()] for name, many in lines.items()}


def _differing(
    visit: PageContext, now: Mapping[str, Any], read: Callable[[PageContext, str], Any]
) -> dict[str, Any]:
    """The fields of the form that say something else than there is."""
    return {
        name: said
        for name, known in now.items()
        if name in visit.form and (said := read(visit, name)) != known
    }


def _line(visit: PageContext, name: str) -> str:
    return visit.form.get(name, "").strip()


def _number(visit: PageContext, name: str, now: object) -> int | None:
    """Points, where the form says other ones than there are. Raises Invalid for an empty field."""
    if name not in visit.form:
        return None
    said = visit.sent_points(name)
    return None if said == getattr(now, name) else said


def _skills(visit: PageContext, name: str) -> list[str]:
    """Raises Invalid."""
    skills = [it.strip() for it in visit.form[name].split(",") if it.strip()]
    if len(skills) > MOST_SKILLS or any(len(it) > LONGEST_TITLE for it in skills):
        raise Invalid(f"A task asks for at most {MOST_SKILLS} skills.", code="task_invalid")
    return skills


def _check_choice(said: Mapping[str, Any], name: str, known: tuple[str, ...]) -> None:
    """Raises Invalid."""
    if name in said and said[name] not in known:
        raise Invalid(f"A {name} is one of {', '.join(known)}.", code="invalid_request")


def _show_sprint(visit: PageContext, sprint_id: str | None, told: str) -> Response:
    return visit.go("projects", visit.project_id, "team", told=told, sprint=sprint_id)


def _show_item(visit: PageContext, item_id: str, told: str) -> Response:
    return visit.go("projects", visit.project_id, "documents", item_id, told=told)


def _show_list(visit: PageContext, kind: str, told: str) -> Response:
    return visit.go("projects", visit.project_id, "documents", told=told, type=kind)
