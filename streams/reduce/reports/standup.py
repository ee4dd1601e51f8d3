"""The stand-up of a day: the tasks that each member has done, does, waits with or begins next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_reports import MemberStandup, ReportFields, StandupSummary
from schemas.events.artifact_sections import Statement
from schemas.events.team import Member
from schemas.tasks import OVER
from streams.reduce.plan.sprint import NO_MEMBER
from streams.reduce.reports.report_lines import list_all_cited, plan_of, say, task_of, tell_risks


def write_standup(
    artifact_id: str,
    as_of: str,
    sprint: ArtifactSnapshot | None,
    members: Sequence[Member],
    items: Mapping[str, ArtifactSnapshot],
) -> tuple[ReportFields, dict[str, list[Statement]]]:
    """The fields, and the lines by section."""
    names = {member.member_id: member.name for member in members}
    own: dict[str, list[ArtifactSnapshot]] = {member_id: [] for member_id in names}
    for item in plan_of(sprint).items if sprint else ():
        own.setdefault(item.assignee_id, []).append(items[item.task_id])
    tasks = [task for each in own.values() for task in each]
    stages = {task.artifact_id: _find_stage(task, items) for task in tasks}
    lines, next_up = [], []
    for who, each in own.items():
        for task in each:
            stage = stages[task.artifact_id]
            text = f"{names.get(who, NO_MEMBER)}, {stage}: {task.title}."
            lines.append(say(artifact_id, "members", text, task))
            if stage == "next":
                next_up.append(text)
    risks = tell_risks(artifact_id, tasks)
    summary = StandupSummary(
        date=as_of,
        per_member=[
            MemberStandup(
                member_id=who,
                done=[task_id for task_id in ids if stages[task_id] == "done"],
                doing=[task_id for task_id in ids if stages[task_id] == "doing"],
                blocked=[task_id for task_id in ids if stages[task_id] == "waiting"],
            )
            for who, each in own.items()
            for ids in [[task.artifact_id for task in each]]
        ],
        highlights=next_up,
        risks=[risk.text for risk in risks],
        citations=list_all_cited([*lines, *risks]),
    )
    fields = ReportFields(report_type="standup", as_of=as_of, standup=summary)
    return fields, {"Members": lines, "Risks": risks}


def _find_stage(task: ArtifactSnapshot, items: Mapping[str, ArtifactSnapshot]) -> str:
    """What becomes of a task in one word: done, doing, waiting for another, or next."""
    fields = task_of(task)
    if fields.status in OVER:
        return "done"
    if fields.status in ("in_progress", "in_review"):
        return "doing"
    needs = [items[one] for one in fields.depends_on if one in items]
    open_needs = any(task_of(need).status not in OVER for need in needs)
    return "waiting" if fields.status == "blocked" or open_needs else "next"
