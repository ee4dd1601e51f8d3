"""The tasks of one position as artifacts, in an order in which they can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date

from schemas.events.artifact_items import TaskFields
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import UserEditedSprint
from schemas.events.artifact_sections import ReviewFinding
from schemas.events.team import Team
from schemas.ids import artifact_id as derive_artifact_id
from streams.reduce.artifacts.items import (
    PREFIXES,
    WrittenSections,
    blank,
    is_withdrawn,
    item_change,
    next_version,
    reject,
)
from streams.reduce.artifacts.loop import run_loop
from streams.reduce.artifacts.making import Made
from streams.reduce.artifacts.states import DerivedState, derive_lane, derive_task_state
from streams.reduce.artifacts.validator import Lane
from streams.reduce.features.lists import Lists
from streams.reduce.features.user_edited import is_deleted
from streams.reduce.features.user_edited_features import WONT, find_edited_feature, is_ahead
from streams.reduce.plan.sprint import Job, Plan, plan_sprints
from streams.reduce.plan.sprint_plans import SprintWriter
from streams.reduce.plan.tasks import TaskMaker, comes_before, task_fields
from streams.reduce.plan.user_edited_sprints import find_edited_sprints, is_closed
from streams.reduce.plan.user_edited_tasks import OwnTask, apply_user_edited, find_edited_task
from streams.reduce.texts.inputs import Grounds, ItemInput, ListInput

MAX_NEEDS = 3
NO_SOLUTIONS = ReviewFinding(code="no_solutions", section_id="solutions", statement_id="")


@dataclass(slots=True)
class Task:
    """A task that the loop let through, with its feature and the tasks that come before it."""

    made: Made
    feature: ArtifactSnapshot | None
    fields: TaskFields
    needs: list[str] = field(default_factory=list)

    @property
    def task_id(self) -> str:
        return self.made.artifact_id

    @property
    def job(self) -> Job:
        rank = self.feature.feature.priority if self.feature and self.feature.feature else ""
        user_edited = self.fields.user_edited
        return Job(
            self.task_id,
            self.title,
            self.fields.estimate_points,
            tuple(self.fields.required_skills),
            tuple(self.needs),
            rank,
            (user_edited and user_edited.assignee_id) or "",
        )

    @property
    def title(self) -> str:
        user_edited = self.fields.user_edited
        return (user_edited and user_edited.title) or self.made.item.title


@dataclass(slots=True)
class Backlog(Lists):
    """The lists of a position with what is to be done; see ``Lists``."""

    def plan(self, given: ListInput, team: Team, start: date) -> None:
        """The tasks, and the sprints from ``start`` in which the team does them."""
        tasks = self._list_tasks(given)
        own = self._list_own({task.task_id for task in tasks})
        drafted = self._drafted
        sprints = find_edited_sprints(drafted.values())
        planned: list[Task | OwnTask] = [*tasks, *own]
        jobs = [self._settle_job(one.job, one.fields, sprints) for one in planned]
        plan = plan_sprints(jobs, team, start, sprints) if team.members or sprints else Plan()
        for number, task in enumerate(tasks, 1):
            self._take_task(task, number, plan)
        for number, one in enumerate(own, len(tasks) + 1):
            self._take_own(one, number, plan)
        self._withdraw_deleted("task")
        self._withdraw("task")
        features = [one.feature for one in planned if one.feature]
        written = {job.task_id: self._as_it_stands(job.task_id) for job in jobs}
        closing = self._closing()
        writer = SprintWriter(self.project, team, plan, written, features, drafted, closing)
        grounds = [task.made.grounds for task in tasks]
        for sprint in plan.sprints:
            told = sprints.get(sprint.number, UserEditedSprint())
            if sprint.places or told.goal or told.is_closed:
                self.take_written(writer.write(sprint, grounds, self.at))
        self._withdraw_deleted("sprint_plan")
        self._withdraw("sprint_plan")

    def _closing(self) -> int:
        """The number of the sprint that a person closes now; 0: none."""
        closed = (
            one.sprint_plan.sprint_number
            for key, one in self.drafts.items()
            if one.sprint_plan and is_closed(one) and not is_closed(self.known.get(key))
        )
        return next(closed, 0)

    def _settle_job(
        self, job: Job, fields: TaskFields, sprints: Mapping[int, UserEditedSprint]
    ) -> Job:
        """The job with the sprint that a person has moved it into, or in which it was done.

        What was dropped is in none.
        """
        if fields.status == "dropped":
            return replace(job, is_dropped=True)
        before = self.known.get(job.task_id)
        was = before.task if before else None
        if was and fields.status == "done":
            number = self._sprint_number(was.sprint_id)
            edited = sprints.get(number, UserEditedSprint())
            if edited.is_closed and not edited.is_deleted:
                return replace(job, done_in=number, done_by=was.assignee_id or "")
        number = self._sprint_number(fields.user_edited.sprint_id if fields.user_edited else None)
        edited = sprints.get(number, UserEditedSprint())
        return job if edited.is_closed or edited.is_deleted else replace(job, sprint=number)

    def _sprint_number(self, sprint_id: str | None) -> int:
        """0: there is no such sprint."""
        sprint = self.known.get(sprint_id or "")
        return sprint.sprint_plan.sprint_number if sprint and sprint.sprint_plan else 0

    def _list_tasks(self, given: ListInput) -> list[Task]:
        """In the order of their features, those that stand alone last."""
        features = {
            artifact_snapshot.artifact_id: self._as_it_stands(artifact_snapshot.artifact_id)
            for artifact_snapshot in self._made
            if artifact_snapshot.feature and is_ahead(artifact_snapshot.feature)
        }
        order = {artifact_id: place for place, artifact_id in enumerate(features)}
        wanted = [
            item
            for item in given.items
            if (not item.category or self._feature_id(item) in order)
            and not is_deleted(self._before(self._task_id(item)))
        ]
        wanted.sort(key=lambda one: order.get(self._feature_id(one), len(order)))
        made = self._run(given.model_copy(update={"items": wanted}))
        tasks = []
        for one in made:
            feature = features.get(self._feature_id(one.item))
            user_edited = find_edited_task(self._before(one.artifact_id))
            fields = apply_user_edited(task_fields(one, feature), user_edited)
            tasks.append(Task(one, feature, fields))
        return order_tasks(tasks)

    def _list_own(self, made: Set[str]) -> list[OwnTask]:
        """The tasks of which people have said something and that no cluster is behind, by id.

        What was cut from a feature goes with it when a person deletes it or rules it out.
        """
        drafted = self._drafted
        features = {
            artifact_snapshot.artifact_id: artifact_snapshot
            for artifact_snapshot in self._made
            if artifact_snapshot.feature
        }
        found = (
            drafted[key]
            for key in sorted(drafted)
            if key not in made and find_edited_task(drafted[key])
        )
        left = (one for one in found if not is_deleted(one) and not is_withdrawn(one))
        own = (OwnTask.of(one, features) for one in left)
        return [one for one in own if not (one.cut_from and self._is_unwanted(one.cut_from))]

    def _is_unwanted(self, feature_id: str) -> bool:
        """Whether a person has deleted the feature, or decided that it will not be made."""
        feature = self._before(feature_id)
        user_edited = find_edited_feature(feature)
        choice = user_edited.priority if user_edited else None
        return is_deleted(feature) or bool(choice and choice.priority == WONT)

    def _run(self, given: ListInput) -> list[Made]:
        def refuse(made: Made) -> None:
            fresh = blank(made.artifact_id, "task", made.item.title, self.at, [])
            change = reject(fresh, self.known.get(made.artifact_id), self.at, made.attempt)
            told = {"findings": change.findings or [NO_SOLUTIONS]}
            self._note(change.model_copy(update=told))

        loop = run_loop("task_breakdown", TaskMaker(given, self._task_id, self._attempt, refuse))
        made: list[Made] = []
        while True:
            try:
                made.append(next(loop))
            except StopIteration as ended:
                record: LoopRecord = ended.value
                gaps = [f"{title}: {why}" for title, why in given.left_out.items()]
                told = {"gaps_remaining": [*record.gaps_remaining, *gaps]}
                self.loops.append(record.model_copy(update=told))
                return made

    def _task_id(self, item: ItemInput) -> str:
        return derive_artifact_id(self.project, "task", item.key)

    def _feature_id(self, item: ItemInput) -> str:
        return derive_artifact_id(self.project, "feature", f"|{item.category}")

    def _as_it_stands(self, artifact_id: str) -> ArtifactSnapshot:
        """The item after this position, with its state."""
        changed = [it.snapshot for it in self.changes if it.snapshot.artifact_id == artifact_id]
        return changed[-1] if changed else self.known[artifact_id]

    def _take_task(self, task: Task, number: int, plan: Plan) -> None:
        before = self._before(task.task_id)
        update: dict[str, object] = {"depends_on": task.needs, **self._place(task.task_id, plan)}
        fresh = blank(
            task.task_id, "task", task.title, self.at, task.made.attempt.sections
        ).model_copy(
            update={
                "number": f"{PREFIXES['task']}-{number:03d}",
                "task": task.fields.model_copy(update=update),
                "upstream_artifact_ids": [task.feature.artifact_id] if task.feature else [],
                "edited_by": before.edited_by if before else None,
            }
        )
        lane = self._lane_of(fresh)
        state = derive_task_state(fresh, task.feature, task.made.grounds, lane)
        self._put(fresh, state, task.made.attempt.objections)

    def _take_own(self, task: OwnTask, number: int, plan: Plan) -> None:
        fresh = task.write(self.at, number, self._place(task.task_id, plan), self.withdrawn)
        state = derive_task_state(fresh, task.feature, Grounds(()), self._lane_of(fresh))
        self._put(fresh, state, [])

    def _place(self, task_id: str, plan: Plan) -> dict[str, object]:
        """Who does the task in which sprint, as far as the plan says."""
        if not (place := plan.place_of(task_id)):
            return {}
        sprint_id = derive_artifact_id(self.project, "sprint_plan", str(place.sprint))
        return {"assignee_id": place.member.member_id, "sprint_id": sprint_id}

    def take_written(self, written: tuple[ArtifactSnapshot, DerivedState, WrittenSections]) -> None:
        """A sprint or report, or its refusal."""
        fresh, state, sections = written
        if sections.findings:
            self._note(reject(fresh, self.known.get(fresh.artifact_id), self.at, sections))
        else:
            self._put(fresh, state, [])

    def _lane_of(self, fresh: ArtifactSnapshot) -> Lane:
        before = self.known.get(fresh.artifact_id)
        return derive_lane(self.at.lane, before, next_version(fresh, before))

    def _put(
        self, fresh: ArtifactSnapshot, state: DerivedState, objections: list[ReviewFinding]
    ) -> None:
        self._made.append(fresh)
        before = self.known.get(fresh.artifact_id)
        self._note(item_change(fresh, before, self.at, state, objections))


def order_tasks(tasks: Sequence[Task]) -> list[Task]:
    """The tasks with their needs, each after what it needs; otherwise as they come.

    A task needs the parts of its feature that it builds on, else the tasks of the features that its
    own one needs.
    """
    by_feature: dict[str, list[Task]] = {}
    for task in tasks:
        if task.feature:
            by_feature.setdefault(task.feature.artifact_id, []).append(task)
    done: dict[str, Task] = {}
    for task in tasks:
        _place(task, tasks, by_feature, done, [])
    return list(done.values())


def _place(
    one: Task,
    tasks: Sequence[Task],
    by_feature: dict[str, list[Task]],
    done: dict[str, Task],
    way: list[str],
) -> None:
    if one.task_id in done:
        return
    way.append(one.task_id)
    needs = [other for other in tasks if comes_before(other.made.item, one.made.item)]
    if not needs and one.feature and one.feature.feature:
        needs = [it for on in one.feature.feature.depends_on for it in by_feature.get(on, ())]
    for other in needs:
        if other.task_id not in way:
            _place(other, tasks, by_feature, done, way)
    way.pop()
    one.needs = [it.task_id for it in needs if it.task_id in done][:MAX_NEEDS]
    done[one.task_id] = one
