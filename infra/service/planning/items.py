"""Make, change and delete an item of a plan: a task, feature or sprint. What a person says of one
no later run overwrites.

Each request is published, and the writer's answer is waited for. Raises NotFound, Conflict or
Invalid when it refuses. The same key again is the same request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from infra.platform.errors import Conflict, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import VISIBLE_WITHIN_S, ask, wait_until_shown
from infra.service.foundation.publishing import draw_key, make_request
from infra.service.planning.section_edits import find_revisions, request_change
from infra.service.planning.sprint_days import check_sprint_days, find_sprint_number
from infra.service.planning.team import check_day
from projections.read import artifact_list, artifacts, team
from projections.read.artifact_list import ArtifactDetail
from projections.read.artifacts import Edit, Item
from projections.read.projects import find_project
from projections.read.session import Conn
from schemas.events.artifact_sections import Citation
from schemas.events.change import (
    ChangedType,
    ChangeOp,
    ChangeRequested,
    EditedStatement,
    FeatureEdit,
    SectionEdit,
    SprintEdit,
    TaskEdit,
)
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_event_id

LONGEST_TITLE, LONGEST_TEXT, LONGEST_REASON = 200, 5_000, 1_000
Fields = Mapping[str, Any]
Progress = Literal["planned", "in_progress", "done"]  # of a feature; planned: it has not begun


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """``op`` is done with the item of this id; None: with a new one.

    ``fields`` are those of the event's `TaskEdit`, `FeatureEdit` or `SprintEdit`; what is missing
    or None stays as it is. ``sections`` are sentences by section id, which all cite ``atom_ids``.
    ``priority_atom_ids`` speak for the priority of a feature. ``expected_version`` is the one that
    whoever asks has seen.
    """

    project: str
    kind: ChangedType
    op: ChangeOp
    fields: Fields = field(default_factory=dict)
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    atom_ids: Sequence[str] = ()
    priority_atom_ids: Sequence[str] = ()
    item_id: str | None = None
    expected_version: int = 0
    key: str = field(default_factory=draw_key)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is different between tasks, features and sprints.

    ``title`` is the field that says what an item is, ``points`` that of its points, at most
    ``most_points``, called ``measure``. ``check`` raises a Refusal where the tables speak against
    a request; ``untitled`` is the refusal of a new item that says nothing of what it is.
    """

    name: str  # also the field of the event
    part: Callable[..., Any]
    title: str
    points: str
    measure: str
    most_points: int
    check: Callable[[Conn, str, ItemRequest], None]
    untitled: Callable[[], Invalid]


def _check_task(tables: Conn, project_id: str, request: ItemRequest) -> None:
    """Raises NotFound for a feature, member or sprint that there is not, Conflict for a sprint
    that is closed.
    """
    if feature_id := request.fields.get("feature_id"):
        find_item(tables, project_id, "feature", feature_id)
    if assignee_id := request.fields.get("assignee_id"):
        team.read_member(tables, project_id, assignee_id)
    if sprint_id := request.fields.get("sprint_id"):
        sprint = find_item(tables, project_id, "sprint_plan", sprint_id)
        if ((sprint.fields or {}).get("user_edited") or {}).get("is_closed"):
            raise Conflict(f"{sprint.title} is closed: name an open one.", code="closed")


def _check_feature(tables: Conn, project_id: str, request: ItemRequest) -> None:
    """Raises NotFound for atoms that there are not."""
    find_revisions(tables, project_id, request.priority_atom_ids)


def _check_sprint(tables: Conn, project_id: str, request: ItemRequest) -> None:
    """Raises NotFound for a sprint that there is not, Conflict and Invalid for its days."""
    number = request.fields.get("sprint_number")
    if request.op != "create":
        sprint = find_item(tables, project_id, "sprint_plan", request.item_id or "")
        number = (sprint.fields or {}).get("sprint_number")
    if request.op != "delete" and number:
        check_sprint_days(tables, project_id, number, request.fields)


KINDS: Mapping[ChangedType, Kind] = {
    "task": Kind(
        *("task", TaskEdit, "title", "estimate_points", "An estimate", 100),
        check=_check_task,
        untitled=lambda: Invalid("A task has a title.", code="task_invalid"),
    ),
    "feature": Kind(
        *("feature", FeatureEdit, "title", "effort_points", "An effort", 100),
        check=_check_feature,
        untitled=lambda: Invalid("A feature has a title.", code="feature_invalid"),
    ),
    "sprint_plan": Kind(
        *("sprint", SprintEdit, "goal", "capacity_points", "A capacity", 10_000),
        check=_check_sprint,
        untitled=lambda: Invalid("A sprint has a goal.", code="sprint_invalid"),
    ),
}


async def change_item(
    settings: Settings, request: ItemRequest, *, actor: str, within_s: float = VISIBLE_WITHIN_S
) -> Item:
    """The item after the change, as soon as the tables show it; a deleted one has no number.

    A new feature without a description has its title as one. A new task without an approach has
    what the ledger says of how, else an open question; an approach that says no more than the title
    is refused. A new sprint stands behind the last one, and begins when that ends.
    """
    kind = KINDS[request.kind]
    _check(kind, request)
    event, project_id = await ask(settings, lambda tables: _prepare(tables, kind, request, actor))
    fact = make_request(event, project_id, actor, request.key)
    done = await request_change(settings, fact, what=kind.name, within_s=within_s)
    return await _await_item(settings, project_id, done, within_s)


async def _await_item(settings: Settings, project_id: str, done: Edit, within_s: float) -> Item:
    def look(tables: Conn) -> Item | None:
        version = artifact_list.find_version(tables, project_id, done.artifact_id)
        if version is None or version < done.version:
            return None
        return artifacts.read_item(tables, project_id, done.artifact_id)

    return await wait_until_shown(settings, look, within_s=within_s)


def _prepare(
    tables: Conn, kind: Kind, request: ItemRequest, actor: str
) -> tuple[ChangeRequested, str]:
    """The event, and its project. Raises NotFound for what is not there."""
    project_id = find_project(tables, request.project)
    fields, item_id = dict(request.fields), request.item_id
    if request.op == "create":
        key = f"person|{request.key}"
        if request.kind == "sprint_plan":
            fields["sprint_number"] = find_sprint_number(tables, project_id)
            key = str(fields["sprint_number"])
        item_id = derive_artifact_id(project_id, request.kind, key)
    if not artifacts.has_artifact(tables, project_id, "prd"):
        raise Conflict(
            f"{kind.name.capitalize()}s can be changed once the first run of the project has"
            " ended.",
            code="nothing_written",
        )
    request_id = derive_event_id(ChangeRequested.type_name, project_id, request.key)
    if artifacts.find_edit(tables, str(request_id)) is None:  # else it would be held against itself
        kind.check(tables, project_id, replace(request, fields=fields))
    if request.kind == "feature":
        fields["atom_ids"] = list(request.priority_atom_ids)
    parts: dict[str, Any] = {kind.name: kind.part(**fields)}
    event = ChangeRequested(
        artifact_id=item_id or "",
        op=request.op,
        sections=_cite_sections(tables, project_id, request),
        expected_version=request.expected_version,
        editor=actor,
        changed_type=request.kind,
        **parts,
    )
    return event, project_id


def _cite_sections(tables: Conn, project_id: str, request: ItemRequest) -> list[SectionEdit]:
    """The sections with what they cite. Raises NotFound for atoms that there are not."""
    known = find_revisions(tables, project_id, request.atom_ids)
    citations = [Citation(atom_id=one, atom_revision=known[one]) for one in request.atom_ids]
    sections = dict(request.sections)
    if request.op == "create" and request.kind == "feature" and not sections.get("description"):
        sections["description"] = [request.fields["title"]]
    if request.op == "create" and request.kind == "task" and not sections.get("solutions"):
        sections.pop("solutions", None)
    return [
        SectionEdit(
            section_id=section_id,
            statements=[EditedStatement(text=text, citations=citations) for text in texts],
        )
        for section_id, texts in sections.items()
    ]


def find_item(tables: Conn, project_id: str, kind: ChangedType, item_id: str) -> ArtifactDetail:
    """The present item of the kind. Raises NotFound."""
    found = artifact_list.read_artifact(tables, project_id, item_id)
    if found.artifact_type != kind or not found.number:
        name = KINDS[kind].name
        raise NotFound(f"There is no {name} {item_id} in this project.", code=f"unknown_{name}")
    return found


def _check(kind: Kind, request: ItemRequest) -> None:
    """Raises Invalid for what no item can say, and where no item is named."""
    name, fields, code = kind.name, request.fields, f"{kind.name}_invalid"
    title, points = fields.get(kind.title), fields.get(kind.points)
    if request.op == "create" and not title:
        raise kind.untitled()
    if request.op != "create" and not request.item_id:
        raise Invalid(f"No {name} is named: give the id of one.", code=f"{name}_missing")
    if title is not None and not 0 < len(title.strip()) <= LONGEST_TITLE:
        raise Invalid(f"A {kind.title} has 1 to {LONGEST_TITLE} characters.", code=code)
    if points is not None and not 0 <= points <= kind.most_points:
        raise Invalid(f"{kind.measure} is 0 to {kind.most_points:,} points.", code=code)
    for day in (fields.get("start_date"), fields.get("end_date")):
        if day is not None:
            check_day(day)
    texts = [text for section in request.sections.values() for text in section]
    if any(not text.strip() or len(text) > LONGEST_TEXT for text in texts):
        raise Invalid(f"A sentence has 1 to {LONGEST_TEXT:,} characters.", code=code)
    reason = fields.get("reason") or ""
    if len(reason) > LONGEST_REASON:
        raise Invalid(f"A reason has at most {LONGEST_REASON:,} characters.", code=code)
    if (reason or request.priority_atom_ids) and not fields.get("priority"):
        raise Invalid("A reason belongs to a priority: name that, too.", code=code)
