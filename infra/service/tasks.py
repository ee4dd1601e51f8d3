"""Make, change and delete tasks: what a person says of one no later run overwrites.

Each request is published, and the writer's answer is waited for. Raises NotFound, Conflict or
Invalid when it refuses. The same key again is the same request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from infra.errors import Conflict, Invalid, NotFound, Unavailable
from infra.service.edits import request_change
from infra.service.publishing import draw_key, make_request
from infra.service.reading import ask, wait_for
from infra.settings import Settings
from projections.read import artifact_list, artifacts, atoms, team
from projections.read.artifacts import Edit, Item
from projections.read.projects import project_of
from projections.read.session import Conn
from schemas.events.artifact_parts import Citation, TaskStatus
from schemas.events.change import ChangeOp, ChangeRequested, EditedStatement, SectionEdit, ToldTask
from schemas.ids import artifact_id as derive_artifact_id

VISIBLE_WITHIN_S = 30.0
LONGEST_TITLE, LONGEST_TEXT, MOST_POINTS = 200, 5_000, 100


@dataclass(frozen=True, slots=True)
class TaskText:
    """What is told of a task; None: as it is. ``sections`` are sentences by section id:
    ``description``, ``solutions`` and ``acceptance_criteria``. ``atom_ids`` are cited by all.
    """

    title: str | None = None
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    atom_ids: Sequence[str] = ()
    feature_id: str | None = None
    assignee_id: str | None = None
    estimate_points: int | None = None
    required_skills: Sequence[str] | None = None
    status: TaskStatus | None = None


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """``op`` is done with the task of this id; None: of a new one. ``expected_version`` is the one
    that whoever asks has seen.
    """

    project: str
    op: ChangeOp
    task_id: str | None = None
    expected_version: int = 0
    told: TaskText = TaskText()
    key: str = field(default_factory=draw_key)


async def create_task(
    settings: Settings,
    project: str,
    told: TaskText,
    *,
    actor: str,
    key: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """A new task in a person's words, as soon as the tables show it. Without an approach its title
    is one.
    """
    if not told.title:
        raise Invalid("A task has a title.", code="task_invalid")
    if not told.sections.get("solutions"):
        told = replace(told, sections={**told.sections, "solutions": [told.title]})
    request = TaskRequest(project, "create", told=told, key=key)
    return await change_task(settings, request, actor=actor, within_s=within_s)


async def change_task(
    settings: Settings, request: TaskRequest, *, actor: str, within_s: float = VISIBLE_WITHIN_S
) -> Item:
    """The task after the change, as soon as the tables show it; a deleted one has no number."""
    _check(request.told)
    project_id, sections = await ask(settings, lambda tables: _prepare(tables, request))
    task_id = request.task_id or derive_artifact_id(project_id, "task", f"person|{request.key}")
    event = ChangeRequested(
        artifact_id=task_id,
        op=request.op,
        sections=sections,
        expected_version=request.expected_version,
        editor=actor,
        task=_choose(request.told),
    )
    fact = make_request(event, project_id, actor, request.key)
    done = await request_change(settings, fact, what="task", within_s=within_s)
    return await _await_item(settings, project_id, done, within_s)


async def _await_item(settings: Settings, project_id: str, done: Edit, within_s: float) -> Item:
    def look(tables: Conn) -> Item | None:
        version = artifact_list.find_version(tables, project_id, done.artifact_id)
        if version is None or version < done.version:
            return None
        return artifacts.item(tables, project_id, done.artifact_id)

    shown = await wait_for(settings, look, timeout_s=within_s)
    if shown is None:
        raise Unavailable(
            f"The change is made, but the tables do not hold it after {within_s:.0f} s.",
            code="tables_behind",
        )
    return shown


def _prepare(tables: Conn, request: TaskRequest) -> tuple[str, list[SectionEdit]]:
    """The project, and the sections with what they cite. Raises NotFound for what is not there."""
    project_id, told = project_of(tables, request.project), request.told
    if not artifacts.has_artifact(tables, project_id, "prd"):
        raise Conflict(
            "Tasks can be changed once the first run of the project has ended.",
            code="nothing_written",
        )
    known = atoms.revisions(tables, project_id, told.atom_ids)
    if missing := [one for one in told.atom_ids if one not in known]:
        raise NotFound(f"There is no atom {missing[0]} in this project.", code="unknown_atom")
    if told.feature_id:
        _check_feature(tables, project_id, told.feature_id)
    if told.assignee_id:
        team.member_of(tables, project_id, told.assignee_id)
    cited = [Citation(atom_id=one, atom_revision=known[one]) for one in told.atom_ids]
    return project_id, [
        SectionEdit(
            section_id=section_id,
            statements=[EditedStatement(text=text, citations=cited) for text in texts],
        )
        for section_id, texts in told.sections.items()
    ]


def _check_feature(tables: Conn, project_id: str, feature_id: str) -> None:
    """Raises NotFound for what is no feature of the project, or is one no more."""
    known = artifact_list.whole_artifact(tables, project_id, feature_id)
    if known.artifact_type != "feature" or not known.number:
        raise NotFound(f"There is no feature {feature_id} in this project.", code="unknown_feature")


def _choose(told: TaskText) -> ToldTask:
    skills = None if told.required_skills is None else list(told.required_skills)
    return ToldTask(
        title=told.title,
        feature_id=told.feature_id,
        assignee_id=told.assignee_id,
        estimate_points=told.estimate_points,
        required_skills=skills,
        status=told.status,
    )


def _check(told: TaskText) -> None:
    """Raises Invalid for what no task can say."""
    texts = [text for section in told.sections.values() for text in section]
    if told.title is not None and not 0 < len(told.title.strip()) <= LONGEST_TITLE:
        raise Invalid(f"A title has 1 to {LONGEST_TITLE} characters.", code="task_invalid")
    if any(not text.strip() or len(text) > LONGEST_TEXT for text in texts):
        raise Invalid(f"A sentence has 1 to {LONGEST_TEXT:,} characters.", code="task_invalid")
    if told.estimate_points is not None and not 0 <= told.estimate_points <= MOST_POINTS:
        raise Invalid(f"An estimate is 0 to {MOST_POINTS} points.", code="task_invalid")
