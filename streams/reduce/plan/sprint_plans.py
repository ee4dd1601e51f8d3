"""Sprints as artifacts: a goal, a line for each task, the risks, what is left out and why.

Every line cites the task it is about and the atoms the task is made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.events.artifact_items import TaskFields
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import PlanItem, SprintPlanFields, UnplannedTask
from schemas.events.artifact_sections import Citation, Section, Statement
from schemas.events.team import Team
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_id, sha256_hex
from schemas.shortening import shorten
from streams.reduce.artifacts.items import (
    PREFIXES,
    Settled,
    WrittenSections,
    blank,
    keep_words,
    section_of,
    text_of_section,
)
from streams.reduce.artifacts.section_text import EDITED
from streams.reduce.artifacts.states import DerivedState, derive_dependent_state
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.plan.commitments import commit
from streams.reduce.plan.forecast import assume_velocity
from streams.reduce.plan.sprint import Place, Plan, Sprint
from streams.reduce.plan.user_edited_sprints import find_edited_sprint, is_closed
from streams.reduce.texts.inputs import Grounds, SectionInput

MAX_GOALS = 3
MAX_RISKS = 5
MAX_CITED = 3
MAX_NAME = 60
LEFT = "It was not done when the sprint was closed."
TITLES = {"goal": "Goal", "items": "Tasks", "risks": "Risks"}


@dataclass(frozen=True, slots=True)
class SprintWriter:
    """Writes the sprints of one plan; ``tasks`` are those of the position, by id.

    ``known`` are the sprints as they were, with what people want of them and with the words of a
    model that are to be taken. ``closing`` is the number of the sprint that a person closes now.
    """

    project: str
    team: Team
    plan: Plan
    tasks: Mapping[str, ArtifactSnapshot]
    features: Sequence[ArtifactSnapshot]
    known: Mapping[str, ArtifactSnapshot]
    closing: int = 0

    def write(
        self, sprint: Sprint, grounds: Sequence[Grounds], at: Settled
    ) -> tuple[ArtifactSnapshot, DerivedState, WrittenSections]:
        """A sprint, its state, and what the validator objects to."""
        artifact_id = derive_artifact_id(self.project, "sprint_plan", str(sprint.number))
        tasks = [self.tasks[one.job.task_id] for one in sprint.places]
        before = self.known.get(artifact_id)
        goal = self._goal_section(artifact_id, tasks, before)
        lines = [self._line(artifact_id, one) for one in sprint.places]
        said = {"items": lines, "risks": _risks(artifact_id, tasks)}
        written = [write_lines(key, TITLES[key], lines) for key, lines in said.items() if lines]
        all_grounds = join_grounds(grounds, self._documents())
        sections = keep_words(before, [goal, *written], all_grounds, at.lane)
        text = " ".join(text_of_section(sections, "goal"))
        fresh = blank(artifact_id, "sprint_plan", f"Sprint {sprint.number}", at, sections)
        fresh = fresh.model_copy(
            update={
                "number": f"{PREFIXES['sprint_plan']}-{sprint.number:03d}",
                "sprint_plan": self._fields(sprint, text, tasks, before, at),
                "edited_by": before.edited_by if before else None,
                "upstream_artifact_ids": [task.artifact_id for task in tasks],
            }
        )
        by_rule = sections[1:] if goal.state == EDITED or is_closed(before) else sections
        found = errors(validate(by_rule, all_grounds, at.lane))
        state = derive_dependent_state(tasks)
        return fresh, state, WrittenSections(sections, [], found)

    def _documents(self) -> list[ArtifactSnapshot]:
        return [*self.tasks.values(), *self.features]

    def _goal_section(
        self,
        artifact_id: str,
        tasks: Sequence[ArtifactSnapshot],
        before: ArtifactSnapshot | None,
    ) -> Section:
        """As a person has put it, else as it was when the sprint was closed, else by rule."""
        user_edited = find_edited_sprint(before)
        if before and user_edited and user_edited.goal:
            said = [_tell_goal(artifact_id, user_edited.goal, before.edited_by)]
            state = {"state": EDITED, "edited_by": before.edited_by}
            return write_lines("goal", TITLES["goal"], said).model_copy(update=state)
        if before and is_closed(before):
            return next(section for section in before.sections if section.section_id == "goal")
        return write_lines("goal", TITLES["goal"], [self._goal(artifact_id, tasks)])

    def _goal(self, artifact_id: str, tasks: Sequence[ArtifactSnapshot]) -> Statement:
        """The features that most points of the sprint go to, else its first tasks."""
        names: dict[str, list[str]] = {}
        for task in tasks:
            fields = _fields_of(task)
            title = fields.upstream_title or shorten(task.title, MAX_NAME)
            names.setdefault(title, []).append(fields.feature_id or task.artifact_id)
        chosen = list(names)[:MAX_GOALS]
        more = ", and more" if len(names) > MAX_GOALS else ""
        text = f"Work on {join_names(chosen)}{more}."
        ids = list(dict.fromkeys(one for name in chosen for one in names[name]))
        return cite(artifact_id, "goal", text, tasks[:1], ids)

    def _line(self, artifact_id: str, place: Place) -> Statement:
        task = self.tasks[place.job.task_id]
        text = f"{task.title} ({place.job.points} points, {place.member.name})."
        return cite(artifact_id, "items", text, [task], [task.artifact_id])

    def _fields(
        self,
        sprint: Sprint,
        goal: str,
        tasks: Sequence[ArtifactSnapshot],
        before: ArtifactSnapshot | None,
        at: Settled,
    ) -> SprintPlanFields:
        """A closed sprint says nothing of what is planned after it but what it has left, and takes
        for granted what it did when it was closed.
        """
        closed = before.sprint_plan if before and is_closed(before) else None
        held, first = [task.artifact_id for task in tasks], sprint.first.isoformat()
        is_after = not closed and 0 < self.closing < sprint.number
        begun = commit(before, held, first, at, after_closing=is_after)
        fields = SprintPlanFields(
            sprint_number=sprint.number,
            goal=goal,
            start_date=first,
            end_date=sprint.last.isoformat(),
            capacity_points=sprint.capacity,
            planned_points=sprint.points,
            items=[
                PlanItem(
                    task_id=one.job.task_id,
                    assignee_id=one.member.member_id,
                    points=one.job.points,
                    order=order,
                    reason=one.reason,
                )
                for order, one in enumerate(sprint.places, 1)
            ],
            risk_atom_ids=sorted({it for task in tasks for it in _fields_of(task).risk_atom_ids}),
            unplanned=_list_left(closed, sprint) if closed else self._unplanned(sprint),
            assumptions=closed.assumptions if closed else assume(self.team),
            user_edited=find_edited_sprint(before),
        )
        return fields.model_copy(update=begun)

    def _unplanned(self, sprint: Sprint) -> list[UnplannedTask]:
        """The tasks that are in no sprint so far, with the sprint they are in or why in none."""
        left = []
        for task_id in self.tasks:
            place = self.plan.place_of(task_id)
            if place is None:
                left.append(UnplannedTask(task_id=task_id, reason=self.plan.reasons[task_id]))
            elif place.sprint > sprint.number:
                reason = f"It is planned for sprint {place.sprint}."
                left.append(UnplannedTask(task_id=task_id, reason=reason))
        return left


def _list_left(closed: SprintPlanFields, sprint: Sprint) -> list[UnplannedTask]:
    """What was in the sprint and not done when it was closed."""
    task_ids = [
        unplanned_task.task_id
        for unplanned_task in closed.unplanned
        if unplanned_task.reason == LEFT
    ]
    had = [*task_ids, *(item.task_id for item in closed.items)]
    done = {one.job.task_id for one in sprint.places}
    return [
        UnplannedTask(task_id=task_id, reason=LEFT)
        for task_id in dict.fromkeys(had)
        if task_id not in done
    ]


def _tell_goal(artifact_id: str, goal: str, editor: str | None) -> Statement:
    """In a person's words; nothing needs to be behind it."""
    return Statement(
        statement_id=derive_id("stm", artifact_id, "goal", goal),
        text=goal,
        citations=[],
        confidence=0.0,
        written_by=editor,
    )


def assume(team: Team) -> list[str]:
    """What the plan takes for granted."""
    said = [
        "Estimates are made by rule from how much there is to fulfil; nobody confirmed them.",
        assume_velocity(team)[1],
    ]
    if not team.plan_start:
        said.append("No start was set: the plan begins on the day the first artifacts were made.")
    return said


def write_lines(section_id: str, title: str, lines: list[Statement]) -> Section:
    """A section of statements that were not written from picks."""
    mark = sha256_hex("\n".join([section_id, *(line.model_dump_json() for line in lines)]))
    given = SectionInput(section_id=section_id)
    return section_of(given, lines, title).model_copy(update={"input_hash": mark})


def cite(
    artifact_id: str,
    section_id: str,
    text: str,
    items: Sequence[ArtifactSnapshot],
    artifact_ids: Sequence[str],
) -> Statement:
    """A line that rests on artifacts and on the first atoms of ``items``."""
    cited = {it.atom_id: it for item in items for it in _citations(item)[:MAX_CITED]}
    said = [it for item in items for section in item.sections for it in section.statements]
    return Statement(
        statement_id=derive_id("stm", artifact_id, section_id, text, *artifact_ids),
        text=text,
        citations=[cited[key] for key in sorted(cited)],
        provisional=bool(said) and all(statement.provisional for statement in said),
        confidence=max((statement.confidence for statement in said), default=0.0),
        contradiction_ids=sorted({it for statement in said for it in statement.contradiction_ids}),
        artifact_ids=list(artifact_ids),
    )


def text_of(item: ArtifactSnapshot) -> str:
    """All that an artifact says, for comparing a line with it."""
    own = item.own.model_dump_json() if item.own else ""
    texts = (statement.text for section in item.sections for statement in section.statements)
    return "\n".join([item.number, item.title, own, *texts])


def join_grounds(parts: Iterable[Grounds], documents: Iterable[ArtifactSnapshot]) -> Grounds:
    """All atoms of ``parts``, and the texts of ``documents``.

    Contradictions are left out: a line names a task, and the task names what is open in it.
    """
    atoms = {key: atom for part in parts for key, atom in part.atoms.items()}
    return Grounds(
        atoms.values(), (), {document.artifact_id: text_of(document) for document in documents}
    )


def join_names(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _risks(artifact_id: str, tasks: Sequence[ArtifactSnapshot]) -> list[Statement]:
    """The risks of the tasks as they state them, each once."""
    found: dict[str, Statement] = {}
    for task in tasks:
        for section in task.sections:
            for statement in section.statements if section.section_id == "risks" else ():
                ids = derive_id("stm", artifact_id, "risks", statement.text)
                moved = {"statement_id": ids, "artifact_ids": [task.artifact_id]}
                found.setdefault(statement.text, statement.model_copy(update=moved))
    return list(found.values())[:MAX_RISKS]


def _citations(item: ArtifactSnapshot) -> list[Citation]:
    """What its sentences rest on; a person's sentence may cite what no input holds any more."""
    said = (statement for section in item.sections for statement in section.statements)
    return [it for statement in said if statement.written_by is None for it in statement.citations]


def _fields_of(task: ArtifactSnapshot) -> TaskFields:
    assert task.task
    return task.task
