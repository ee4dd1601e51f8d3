"""Lines of reports: what they say of tasks and of other artifacts, and what they cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.events.artifact_parts import (
    ArtifactSnapshot,
    ReportFields,
    Section,
    SprintPlanFields,
    SprintVelocity,
    Statement,
    TaskFields,
)
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
    artifact_id: str, section_id: str, item: ArtifactSnapshot, said: Iterable[Statement]
) -> list[Statement]:
    """Statements of another artifact as lines that cite it."""
    return [
        one.model_copy(
            update={
                "statement_id": derive_id("stm", artifact_id, section_id, one.text),
                "artifact_ids": [item.artifact_id],
            }
        )
        for one in said
    ]


def statements_in(item: ArtifactSnapshot) -> list[Statement]:
    return [it for one in item.sections for it in one.statements]


def tell_tasks(
    artifact_id: str, section_id: str, tasks: Iterable[ArtifactSnapshot]
) -> list[Statement]:
    """A line for each task, with its points."""
    return [say(artifact_id, section_id, _line_of(one), one) for one in tasks]


def _line_of(task: ArtifactSnapshot) -> str:
    return f"{task.title} ({task_of(task).estimate_points} points)."


def tell_risks(artifact_id: str, tasks: Iterable[ArtifactSnapshot]) -> list[Statement]:
    """The risks of tasks as they state them, each once."""
    found: dict[str, Statement] = {}
    for task in tasks:
        for section in task.sections:
            said = section.statements if section.section_id == "risks" else []
            for one in move(artifact_id, "risks", task, said):
                found.setdefault(one.text, one)
    return list(found.values())[:MAX_RISKS]


def tell_velocity(
    artifact_id: str, history: Sequence[SprintVelocity], items: Mapping[str, ArtifactSnapshot]
) -> list[Statement]:
    """A line for each closed sprint: its days, and the points that were done."""
    said = []
    for one in history:
        sprint = items[one.sprint_id]
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
    if not any(one.section_id == wanted for one in sections):
        sections = [*sections, write_lines(wanted, title, [])]
    return [
        one.model_copy(update={"gap": note}) if one.section_id == wanted else one
        for one in sections
    ]


def tell_counts(counts: Mapping[str, int], said: str = "Changes of the ledger") -> str:
    """How often what changed, for a note."""
    told = ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items()))
    return f"{said}: {told or 'none'}."


def retell(fields: ReportFields, sections: Sequence[Section]) -> ReportFields:
    """The fields of a report with what its sections say, whoever has worded them."""
    told: dict[str, object] = {
        "risks": text_of_section(sections, "risks"),
        "citations": list_all_cited(one for section in sections for one in section.statements),
    }
    if fields.standup:
        return fields.model_copy(update={"standup": fields.standup.model_copy(update=told)})
    if fields.sprint:
        told["goal"] = " ".join(text_of_section(sections, "goal"))
        return fields.model_copy(update={"sprint": fields.sprint.model_copy(update=told)})
    return fields


def list_artifacts(sections: Iterable[Section]) -> list[str]:
    """The artifacts that the lines cite, each once."""
    lines = (one for section in sections for one in section.statements)
    return list(dict.fromkeys(it for one in lines for it in one.artifact_ids))


def list_all_cited(lines: Iterable[Statement]) -> list[str]:
    """The artifacts and atoms of the lines, each once."""
    found = [
        it for one in lines for it in (*one.artifact_ids, *(at.atom_id for at in one.citations))
    ]
    return list(dict.fromkeys(found))


def task_of(item: ArtifactSnapshot) -> TaskFields:
    assert item.task
    return item.task


def plan_of(item: ArtifactSnapshot | None) -> SprintPlanFields:
    assert item and item.sprint_plan
    return item.sprint_plan
