"""The planner: features from what is known, their order, their tasks, and the plan of sprints.

The writer of artifacts makes the lists, one item after the other; the planner asks for them and
answers with what stands there then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from agents.project.outputs import (
    BreakdownResponse,
    BrokenDownTask,
    Factors,
    FeatureListResponse,
    PlannedFeature,
    PlannedTask,
    PrioritizationResponse,
    RankedFeature,
    Researched,
    SprintPlanResponse,
    UnplannedTask,
)
from agents.project.outside import TITLE, ask_outside, tell_findings
from agents.project.specialist import SpecialistContext, cite_slim
from agents.project.state import AgentResult
from agents.project.wording import word_summary
from agents.runs.effects import Json
from agents.tools.ports import ToolRefused
from agents.tools.tool import ToolContext
from schemas.inflection import count

BREAK_DOWN = re.compile(
    r"\bbreak(?:ing)?\b.*\bdown\b|\bbreakdown\b|\bsplit\b|\btasks? (?:for|of)\b"
)
PRIORITISE = re.compile(r"\bprioriti[sz]\w*|\brank\b|\border of the features\b")
SPRINTS = re.compile(r"\bsprints?\b|\broadmap\b")
NUMBER = re.compile(r"\b[a-z]+-0*(\d+)\b", re.IGNORECASE)
SHOWN = 10
AS_IT_IS = "This is how it stands; nothing was changed."
ORDERS = {
    "feature_generation": "generate the features",
    "task_breakdown": "break down feature 1",
    "sprint_planning": "plan the next sprint",
}
Done = tuple[Researched, str, Sequence[Json]]
"""What the planner answers, in which words, and the items that it cites."""
LARGEST_EFFORT, MOST_EVIDENCE = 13, 5  # where a factor is 1


async def plan(specialist: SpecialistContext, began: datetime) -> AgentResult:
    """Do what the request asks for: break down, prioritise, plan sprints, or derive features; where
    it asks for research, too, with what others say beside it.
    """
    findings = await ask_outside(specialist)
    output, text, cited = await _do(specialist)
    output = output.model_copy(update={"research": findings})
    if findings:
        outside = (f"- {finding}" for finding in tell_findings(findings))
        text = "\n".join([text, "", f"{TITLE}:", *outside])
    return await specialist.finish(output, text, began, citations=cite_slim(cited))


async def _do(specialist: SpecialistContext) -> Done:
    asked = specialist.request.lower()
    if BREAK_DOWN.search(asked):
        return await _break_down(specialist)
    if PRIORITISE.search(asked):
        return await _prioritise(specialist)
    if SPRINTS.search(asked):
        return await _plan_sprints(specialist)
    return await _derive_features(specialist)


async def _generate(specialist: SpecialistContext, phase: str) -> str:
    """Have the list written, where the user's own words ask for it; else what to say of that."""

    async def make(context: ToolContext, args: Json) -> Json:
        return await specialist.ports.request_generation(context, args["phase"])

    args = {"phase": phase}
    if not specialist.is_asked("request_generation", args):
        return f"{AS_IT_IS} Say '{ORDERS[phase]}' to have it written again."
    await specialist.change("request_generation", args, make)
    return ""


async def _derive_features(specialist: SpecialistContext) -> Done:
    note = await _generate(specialist, "feature_generation")
    listed = await specialist.count_items("feature")
    open_questions = await specialist.list_atoms("unknown", SHOWN)
    features, unknowns = listed.items, open_questions.items
    by_rule = (
        f"The list has {count(listed.total, 'feature')};"
        f" {count(open_questions.total, 'open question')} may still change it."
    )
    facts = [
        f"Feature {feature['number']}: {feature['text'] or feature['title']}"
        for feature in features
    ]
    facts += [f"Open: {unknown['title']}" for unknown in unknowns]
    output = FeatureListResponse(
        features=[_read_feature(feature) for feature in features],
        coverage_assessment=await word_summary(specialist, facts, by_rule),
        gaps_remaining=[unknown["title"] for unknown in unknowns],
    )
    lines = [f"{feature['number']} {feature['title']}" for feature in features]
    text = _render(output.coverage_assessment, lines, listed.total, note=note)
    return output, text, features[:SHOWN]


async def _prioritise(specialist: SpecialistContext) -> Done:
    listed = await specialist.count_items("feature", best=_read_score)
    best = listed.items
    if not best:
        raise ToolRefused("There are no features yet to put in order.", "nothing_to_prioritise")
    items = [_rank(feature, rank, best) for rank, feature in enumerate(best, start=1)]
    titles = {feature["artifact_id"]: f"{feature['number']} {feature['title']}" for feature in best}
    lines = [f"{titles[item.feature_id]}: {item.priority} ({item.rationale})" for item in items]
    text = _render(
        f"{count(listed.total, 'feature')}, the most important first:", lines, listed.total
    )
    output = PrioritizationResponse(items=items)
    return output, text, best[:SHOWN]


def _read_score(feature: Json) -> float:
    return float(feature["fields"]["priority_score"])


async def _break_down(specialist: SpecialistContext) -> Done:
    feature = await _find(specialist)
    note = await _generate(specialist, "task_breakdown")
    tasks = await specialist.list_items(
        "task", lambda task: task["fields"].get("feature_id") == feature["artifact_id"]
    )
    output = BreakdownResponse(
        feature_id=feature["artifact_id"],
        tasks=[_read_task(task) for task in tasks if task["fields"].get("solutions")],
    )
    text = _render(
        f"{feature['number']} {feature['title']} has {count(len(output.tasks), 'task')}:",
        [
            f"{task.number} {task.title} ({count(task.estimate_points, 'point')})"
            for task in output.tasks
        ],
        note=note,
    )
    return output, text, [feature, *tasks]


async def _plan_sprints(specialist: SpecialistContext) -> Done:
    note = await _generate(specialist, "sprint_planning")
    sprint = await specialist.find_coming_sprint()
    if sprint is None:
        raise ToolRefused(
            "No sprint can be planned: there are no tasks, or the team has no members.",
            "nothing_to_plan",
        )
    fields = sprint["fields"]
    tasks = await specialist.list_tasks(item["task_id"] for item in fields["items"])
    names = {task["artifact_id"]: f"{task['number']} {task['title']}" for task in tasks}
    output = SprintPlanResponse(
        sprint=sprint["artifact_id"],
        items=[PlannedTask.model_validate(item) for item in fields["items"]],
        unplanned=[UnplannedTask.model_validate(task) for task in fields["unplanned"]],
        risks=fields["risk_atom_ids"],
        assumptions=fields["assumptions"],
    )
    text = _render(
        f"{sprint['title']}, {fields['start_date']} to {fields['end_date']}:"
        f" {fields['planned_points']} of {fields['capacity_points']} points."
        f" {count(sprint['coming'], 'sprint is', 'sprints are')} planned.",
        [names.get(item.task_id, item.task_id) for item in output.items],
        note=note,
    )
    return output, text, [sprint, *tasks[:SHOWN]]


async def _find(specialist: SpecialistContext) -> Json:
    """The feature that the request names by number or title. Raises ToolRefused."""
    numbers, asked = set(NUMBER.findall(specialist.request)), specialist.request.lower()

    def is_named(feature: Json) -> bool:
        named = NUMBER.search(feature["number"])
        return bool(named and named[1] in numbers) or feature["title"].lower() in asked

    if items := await specialist.list_items("feature", is_named):
        return items[0]
    features = await specialist.list_items("feature")
    text = ", ".join(f"{feature['number']} {feature['title']}" for feature in features[:SHOWN])
    raise ToolRefused(f"Which feature? There are: {text or 'none yet'}.", "feature_unknown")


def _read_feature(item: Json) -> PlannedFeature:
    fields = {"start_date": "", "end_date": "", **item["fields"], **item["plan"]}
    names = ("epic_id", "priority", "priority_score", "effort_points", "start_date", "end_date")
    return PlannedFeature(
        feature_id=item["artifact_id"],
        number=item["number"],
        title=item["title"],
        depends_on=fields["depends_on"],
        atom_ids=fields["atom_ids"],
        **{name: fields[name] for name in names},
    )


def _read_task(item: Json) -> BrokenDownTask:
    names = ("estimate_points", "solutions", "depends_on", "atom_ids")
    return BrokenDownTask(
        task_id=item["artifact_id"],
        number=item["number"],
        title=item["title"],
        **{name: item["fields"][name] for name in names},
    )


def _rank(item: Json, rank: int, others: Sequence[Json]) -> RankedFeature:
    fields = item["fields"]
    largest = max(abs(_read_score(feature)) for feature in others) or 1.0
    factors = Factors(
        value=_share(_read_score(item), largest),
        effort=_share(fields["effort_points"], LARGEST_EFFORT),
        risk=_share(len(fields["risk_atom_ids"]), MOST_EVIDENCE),
        dependency=_share(len(fields["depends_on"]), MOST_EVIDENCE),
        evidence=_share(len(fields["atom_ids"]), MOST_EVIDENCE),
    )
    return RankedFeature(
        feature_id=item["artifact_id"],
        rank=rank,
        score=fields["priority_score"],
        priority=fields["priority"],
        rationale=_explain(fields),
        factors=factors,
    )


def _explain(fields: Json) -> str:
    parts = [count(fields["effort_points"], "point")]
    parts.append(f"{count(len(fields['atom_ids']), 'atom')} behind it")
    if fields["risk_atom_ids"]:
        parts.append(count(len(fields["risk_atom_ids"]), "risk"))
    if fields["depends_on"]:
        parts.append(f"depends on {count(len(fields['depends_on']), 'other')}")
    return ", ".join(parts)


def _share(value: float, whole: float) -> float:
    return round(min(1.0, max(0.0, value / whole)), 3)


def _render(first: str, lines: Sequence[str], total: int | None = None, note: str = "") -> str:
    """``total``: how many there are, where ``lines`` are the first ones of them."""
    total = len(lines) if total is None else total
    more = [f"- … and {total - SHOWN:,} more"] if total > SHOWN else []
    last = ["", note] if note else []
    return "\n".join([first, *(f"- {line}" for line in lines[:SHOWN]), *more, *last])
