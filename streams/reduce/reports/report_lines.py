"""Lines of reports: what they say of tasks and of other artifacts, and what they cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.events.artifact_items import TaskFields
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.artifact_reports import ReportFields, SprintVelocity
from schemas.events.artifact_sections import Section, Statement
from schemas.ids import derive_id
from schemas.inflection import count
from streams.reduce.artifacts.items import text_of_section
from streams.reduce.plan.sprint_plans import cite, write_lines

MAX_RISKS = 5


def id_of(title: str) -> str:
    return title.lower().replace(" ", "_")


def say(artifact_id: str, section_id: str, text: str, item: ArtifactSnapshot) -> Statement:
    """A line about an artifact."""
    return cite(artifact_id, section_id, text, [item], [item.artifact_id])


def move(
    artifact_id: str, section_id: str, item: ArtifactSnapshot, statements: Iterable[Statement]
) -> list[Statement]:
    """Statements of another artifact as lines that cite it."""
    return [
        statement.model_copy(
            update={
                "statement_id": derive_id("stm", artifact_id, section_id, statement.text),
                "artifact_ids": [item.artifact_id],
            }
        )
        for statement in statements
    ]


def statements_in(item: ArtifactSnapshot) -> list[Statement]:
    return [it for section in item.sections for it in section.statements]


def tell_tasks(
    artifact_id: str, section_id: str, tasks: Iterable[ArtifactSnapshot]
) -> list[Statement]:
    """A line for each task, with its points."""
    return [say(artifact_id, section_id, _line_of(task), task) for task in tasks]


def _line_of(task: ArtifactSnapshot) -> str:
    return f"{task.title} ({task_of(task).estimate_points} points)."


def tell_risks(artifact_id: str, tasks: Iterable[ArtifactSnapshot]) -> list[Statement]:
    """The risks of tasks as they state them, each once."""
    found: dict[str, Statement] = {}
    for task in tasks:
        for section in task.sections:
            statements = section.statements if section.section_id == "risks" else []
            for statement in move(artifact_id, "risks", task, statements):
                found.setdefault(statement.text, statement)
    return list(found.values())[:MAX_RISKS]


def tell_velocity(
    artifact_id: str, history: Sequence[SprintVelocity], items: Mapping[str, ArtifactSnapshot]
) -> list[Statement]:
    """A line for each closed sprint: its days, and the points that were done."""
    said = []
    for sprint_velocity in history:
        sprint = items[sprint_velocity.sprint_id]
        plan = plan_of(sprint)
        done = count(plan.planned_points, "point")
        text = f"{sprint.title}, {plan.start_date} to {plan.end_date}: {done} done."
        said.append(say(artifact_id, "velocity", text, sprint))
    return said


def add_note(sections: Sequence[Section], title: str, note: str) -> list[Section]:
    """The sections with a note below the lines of one, which is made where it is not there."""
    if not note:
        return list(sections)
    wanted = id_of(title)
    if not any(section.section_id == wanted for section in sections):
        sections = [*sections, write_lines(wanted, title, [])]
    return [
        section.model_copy(update={"gap": note}) if section.section_id == wanted else section
        for section in sections
    ]


def tell_counts(counts: Mapping[str, int], text: str = "Changes of the ledger") -> str:
    """How often what changed, for a note."""
    told = ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items()))
    return f"{text}: {told or 'none'}."


def retell(fields: ReportFields, sections: Sequence[Section]) -> ReportFields:
    """The fields of a report with what its sections say, whoever has worded them."""
    told: dict[str, object] = {
        "risks": text_of_section(sections, "risks"),
        "citations": list_all_cited(
            statement for section in sections for statement in section.statements
        ),
    }
    if fields.standup:
        return fields.model_copy(update={"standup": fields.standup.model_copy(update=told)})
    if fields.sprint:
        told["goal"] = " ".join(text_of_section(sections, "goal"))
        return fields.model_copy(update={"sprint": fields.sprint.model_copy(update=told)})
    return fields


def list_artifacts(sections: Iterable[Section]) -> list[str]:
    """The artifacts that the lines cite, each once."""
    lines = (statement for section in sections for statement in section.statements)
    return list(dict.fromkeys(it for line in lines for it in line.artifact_ids))


def list_all_cited(lines: Iterable[Statement]) -> list[str]:
    """The artifacts and atoms of the lines, each once."""
    found = [
        it for line in lines for it in (*line.artifact_ids, *(at.atom_id for at in line.citations))
    ]
    return list(dict.fromkeys(found))


def task_of(item: ArtifactSnapshot) -> TaskFields:
    assert item.task
    return item.task


def plan_of(item: ArtifactSnapshot | None) -> SprintPlanFields:
    assert item and item.sprint_plan
    return item.sprint_plan
