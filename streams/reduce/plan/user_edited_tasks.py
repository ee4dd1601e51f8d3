"""Tasks that people make, change and delete: what they say of one stands in every later plan.

A task that a person has made rests on their own words; they may cite atoms. Of a task that rules
have made, what a person has said takes the place of what the rules say, and the rest follows the
ledger. A task that a person has changed stays when nothing in the ledger is behind it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.events.artifact_items import TaskFields, UserEditedTask
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.change import ChangeRequested, TaskEdit
from streams.reduce.artifacts.items import PREFIXES, Settled, blank, is_withdrawn
from streams.reduce.features.user_edited import check_item, sort_sections, write_sections
from streams.reduce.plan.sprint import Job
from streams.reduce.plan.tasks import rate_complexity, solutions_of
from streams.reduce.plan.user_edited_approach import drop_withdrawn, find_approach
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.texts.approach import repeats_title
from streams.reduce.texts.inputs import Grounds

USUAL_POINTS = 2
_CHOICES = ("estimate_points", "required_skills", "status")  # that take the rules' place


@dataclass(frozen=True, slots=True)
class OwnTask:
    """A task that stands by a person's words alone, with its feature if it has one."""

    task: ArtifactSnapshot
    fields: TaskFields
    feature: ArtifactSnapshot | None

    @classmethod
    def of(cls, task: ArtifactSnapshot, features: Mapping[str, ArtifactSnapshot]) -> OwnTask:
        assert task.task
        fields = task.task
        feature = features.get(
            (fields.user_edited and fields.user_edited.feature_id) or fields.feature_id or ""
        )
        named = {
            "feature_id": feature.artifact_id if feature else None,
            "upstream_title": feature.title if feature else "",
        }
        return cls(task, fields.model_copy(update=named), feature)

    @property
    def task_id(self) -> str:
        return self.task.artifact_id

    @property
    def cut_from(self) -> str | None:
        """The feature that rules have cut it from, which may be gone."""
        assert self.task.task
        user_edited = self.fields.user_edited
        return None if user_edited and user_edited.is_user_created else self.task.task.feature_id

    @property
    def job(self) -> Job:
        user_edited = self.fields.user_edited
        return Job(
            self.task_id,
            self.task.title,
            self.fields.estimate_points,
            tuple(self.fields.required_skills),
            assignee_id=(user_edited and user_edited.assignee_id) or "",
        )

    def write(
        self,
        at: Settled,
        number: int,
        place: Mapping[str, Any],
        withdrawn: Collection[str] = (),
    ) -> ArtifactSnapshot:
        """The task at this position, as the plan places it; its words are as they were.

        A line of its approach that was found in the ledger goes with its atoms.
        """
        user_edited, editor = self.fields.user_edited, self.task.edited_by or ""
        sections = drop_withdrawn(self.task_id, self.task.sections, withdrawn, editor)
        said = {} if sections == self.task.sections else {"solutions": solutions_of(sections)}
        free: dict[str, object] = {
            "assignee_id": user_edited and user_edited.assignee_id,
            "sprint_id": None,
            "depends_on": [],
        }
        return blank(self.task_id, "task", self.task.title, at, sections).model_copy(
            update={
                "number": f"{PREFIXES['task']}-{number:03d}",
                "task": self.fields.model_copy(update=free | said | dict(place)),
                "upstream_artifact_ids": [self.feature.artifact_id] if self.feature else [],
                "edited_by": self.task.edited_by,
            }
        )


def find_edited_task(task: ArtifactSnapshot | None) -> UserEditedTask | None:
    return task.task.user_edited if task and task.task else None


def apply_user_edited(fields: TaskFields, user_edited: UserEditedTask | None) -> TaskFields:
    """The rules' fields with what a person has said instead."""
    if user_edited is None:
        return fields
    said = {name: value for name in _CHOICES if (value := getattr(user_edited, name)) is not None}
    assignee = {"assignee_id": user_edited.assignee_id} if user_edited.assignee_id else {}
    return fields.model_copy(update=said | assignee | {"user_edited": user_edited})


def draft_task(
    items: Mapping[str, ArtifactSnapshot], asked: ChangeRequested, grounds: Grounds, at: Settled
) -> ArtifactSnapshot:
    """The task as the person wants it, before it is planned. ``items`` are all that there are, by
    id. Raises RefusedEdit.
    """
    task = asked.task or TaskEdit()
    item = check_item(items.get(asked.artifact_id), asked)
    _check_named(task, items)
    before = item or _begin(asked, task, at)
    assert before.task
    was = before.task.user_edited or UserEditedTask()
    user_edited = _merge(was, task, is_deleted=asked.op == "delete")
    sections = write_sections(before, asked, grounds)
    title = user_edited.title or before.title
    if asked.op == "create" and not any(it.section_id == "solutions" for it in asked.sections):
        approach = find_approach(asked.artifact_id, title, grounds, asked.editor)
        sections = sort_sections([*sections, approach])
    _check_approach(asked, title, sections)
    if item and user_edited == was and sections == before.sections:
        raise RefusedEdit("no_change")
    fields = apply_user_edited(before.task, user_edited)
    if user_edited.is_user_created:
        fields = _describe(fields, user_edited, sections)
    update = {"title": title, "sections": sections, "task": fields, "edited_by": asked.editor}
    return before.model_copy(update=update)


def _check_approach(asked: ChangeRequested, title: str, sections: Sequence[Section]) -> None:
    """Raises RefusedEdit for an approach that a person has put and that says no more than the
    title.
    """
    solutions = solutions_of(sections)
    is_new = (
        asked.task
        and asked.task.title
        or any(section.section_id == "solutions" for section in asked.sections)
    )
    if not solutions or (is_new and all(repeats_title(solution, title) for solution in solutions)):
        raise RefusedEdit("no_solutions")


def _check_named(told: TaskEdit, items: Mapping[str, ArtifactSnapshot]) -> None:
    """Raises RefusedEdit for a feature or sprint that is not there."""
    feature, sprint = items.get(told.feature_id or ""), items.get(told.sprint_id or "")
    if told.feature_id and not (feature and feature.feature and not is_withdrawn(feature)):
        raise RefusedEdit("unknown_feature")
    if told.sprint_id and not (sprint and sprint.sprint_plan and not is_withdrawn(sprint)):
        raise RefusedEdit("unknown_sprint")


def _begin(asked: ChangeRequested, told: TaskEdit, at: Settled) -> ArtifactSnapshot:
    fields = TaskFields(
        atom_ids=[],
        estimate_points=USUAL_POINTS,
        domain="",
        complexity=rate_complexity(USUAL_POINTS, severe=False),
        user_edited=UserEditedTask(is_user_created=True),
    )
    task = blank(asked.artifact_id, "task", told.title or "", at, [])
    return task.model_copy(update={"task": fields})


def _merge(user_edited: UserEditedTask, told: TaskEdit, *, is_deleted: bool) -> UserEditedTask:
    said = told.model_dump(exclude_none=True)
    return user_edited.model_copy(update=said | {"is_deleted": is_deleted})


def _describe(
    fields: TaskFields, user_edited: UserEditedTask, sections: list[Section]
) -> TaskFields:
    """What follows from the words of a person's own task."""
    said = (statement for section in sections for statement in section.statements)
    cited = sorted({it.atom_id for statement in said for it in statement.citations})
    return fields.model_copy(
        update={
            "atom_ids": cited,
            "solutions": solutions_of(sections),
            "feature_id": user_edited.feature_id,
            "complexity": rate_complexity(fields.estimate_points, severe=False),
        }
    )
