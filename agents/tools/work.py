"""Tools about the project as a whole: status, search, the team, jobs, and what to do first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from agents.tools.items import TYPES, cite_items, find_item
from agents.tools.ledger import MOST_ATOMS
from agents.tools.members import find_member
from agents.tools.ports import Json, Ports
from agents.tools.show import (
    answer,
    cite_atom,
    cite_item,
    cut,
    name_of,
    show_list,
    show_page,
    take_page,
)
from agents.tools.tool import Paging, Tool, ToolArguments, ToolContext, ToolResult
from schemas.inflection import count
from schemas.tasks import OVER

_WORD = re.compile(r"[^\W_]{3,}")
_GRAVEST = ("critical", "high", "medium", "low")
MOST_JOBS = 200
MOST_SPEAKING = 3  # atoms that are named for a priority by rule


class Nothing(ToolArguments):
    """No arguments."""


class SearchProject(Paging):
    """``query``: words; what holds most of them comes first. ``limit``: how many at most, 1 to 100.
    ``offset``: how many to leave out at the start, for the rest of a long list.
    """

    query: str = Field(min_length=1, max_length=500)


class OfMember(ToolArguments):
    """``member``: a name or an id such as `mem_…`; empty: everybody."""

    member: str = Field(default="", max_length=200)


class ListJobs(Paging):
    """``status``: only jobs that have it, such as `queued`, `running`, `succeeded` or `dead`;
    without it all. ``limit``: how many at most, 1 to 100. ``offset``: how many to leave out at the
    start.
    """

    status: str | None = Field(default=None, max_length=40)


class OfTask(Paging):
    """``task``: an id, a number such as `task-003`, or the title; empty: all that are to be done.
    ``limit``: how many at most, 1 to 100. ``offset``: how many to leave out at the start.
    """

    task: str = Field(default="", max_length=300)


def team_tools(ports: Ports) -> list[Tool]:
    """Who is in the team, and what each has to do."""

    async def list_members(context: ToolContext, wanted: Nothing) -> ToolResult:
        members = await ports.list_members(context.project_id)
        lines = [
            f"{member['name']} ({member['role'] or 'no role'},"
            f" {count(member['capacity_points'], 'point')} a sprint;"
            f" {', '.join(member['skills']) or 'no skills told'}) [{member['member_id']}]"
            for member in members
        ]
        return answer(show_list("Members", lines), {"members": list(members)})

    async def get_member_workload(context: ToolContext, wanted: OfMember) -> ToolResult:
        named = await ports.list_members(context.project_id)
        if wanted.member:
            named = [find_member(named, wanted.member)]
        tasks = await ports.list_items(context.project_id, "task")
        loads = [_load_of(member, tasks) for member in named]
        lines = [
            f"{load['name']}: {count(load['points'], 'point')} in"
            f" {count(len(load['tasks']), 'open task')}, {load['capacity_points']} a sprint"
            for load in loads
        ]
        theirs = [task for load in loads for task in load["tasks"]]
        return answer(show_list("Workload", lines), {"members": loads}, cite_items(theirs))

    return [
        Tool(
            "list_members",
            "List the team: role, skills, and story points that each member has in a sprint.",
            Nothing,
            list_members,
            space="team",
        ),
        Tool(
            "get_member_workload",
            "Show the open tasks and story points of one member or of all.",
            OfMember,
            get_member_workload,
            space="team",
        ),
    ]


def search_tools(ports: Ports) -> list[Tool]:
    """What there is in the project, and how it is."""

    async def search_project(context: ToolContext, wanted: SearchProject) -> ToolResult:
        kinds = {artifact_type: kind for kind, (_, artifact_type) in TYPES.items()}
        words = sorted(set(_WORD.findall(wanted.query.lower())))
        matches = await ports.search_items(
            context.project_id, list(kinds), words, offset=wanted.offset, limit=wanted.limit
        )
        items, total = [match["item"] for match in matches["items"]], matches["total"]
        lines = [
            f"{kinds[match['artifact_type']]} {name_of(item)} [{item['artifact_id']}]"
            for match, item in zip(matches["items"], items, strict=True)
        ]
        data = {"artifacts": items, "total": total}
        return answer(show_page("Found", lines, wanted, total), data, cite_items(items))

    async def get_project_status(context: ToolContext, wanted: Nothing) -> ToolResult:
        status = await ports.read_status(context.project_id)
        kinds = ", ".join(count(n, kind) for kind, n in status["atoms_by_kind"].items())
        artifacts = ", ".join(
            f"{artifact['n']} {artifact['artifact_type']} ({artifact['artifact_state']})"
            for artifact in status["artifacts"]
        )
        lines = [
            f"{status['name']}: {count(status['sources'], 'source')}, {kinds or 'no atoms'}.",
            f"Artifacts: {artifacts or 'none yet'}.",
            f"{count(status['open_contradictions'], 'open contradiction')}."
            f" {count(status['waiting'], 'decision waits', 'decisions wait')} for a person.",
            f"Runs: {status['runs'] or 'none'}."
            + (f" The last is {status['last_run']}." if status["last_run"] else ""),
        ]
        return answer(lines, status)

    return [
        Tool(
            "search_project",
            "Search tasks, features, sprints and epics by words; for facts search the ledger.",
            SearchProject,
            search_project,
            space="search",
        ),
        Tool(
            "get_project_status",
            "Show how the project is: sources, atoms, artifacts, runs, what waits for a person.",
            Nothing,
            get_project_status,
            space="search",
        ),
    ]


def analysis_tools(ports: Ports) -> list[Tool]:
    """What endangers the plan, and who could do what is open."""

    async def analyze_risks(context: ToolContext, wanted: Paging) -> ToolResult:
        atoms = await ports.list_atoms(context.project_id, "risk", MOST_ATOMS)
        risks = take_page(sorted(atoms, key=_gravity), wanted)
        conflicts = await ports.list_contradictions(context.project_id)
        tasks = await ports.list_items(context.project_id, "task")
        touched = {risk for task in tasks for risk in task["fields"].get("risk_atom_ids", ())}
        lines = [
            f"{risk['title']} ({risk['severity'] or 'severity not told'}"
            f"{'' if risk['atom_id'] in touched else '; no task deals with it'})"
            f" [{risk['atom_id']}]"
            for risk in risks
        ]
        open_ones = count(len(conflicts), "open contradiction")
        more = [f"{open_ones} may change the plan."] if conflicts else []
        data = {"risks": risks, "total": len(atoms), "open_contradictions": len(conflicts)}
        shown = show_page("Risks", lines, wanted, len(atoms))
        return answer([*shown, *more], data, map(cite_atom, risks))

    async def suggest_assignments(context: ToolContext, wanted: OfTask) -> ToolResult:
        ranked = list(await ports.rank_members(context.project_id))
        if wanted.task:
            task = await find_item(ports, context.project_id, "task", wanted.task)
            ranked = [ranking for ranking in ranked if ranking["task_id"] == task["artifact_id"]]
        page = take_page(ranked, wanted)
        lines = [
            f"{ranking['task']} [{ranking['task_id']}]: {_show_ranking(ranking['ranking'])}"
            for ranking in page
        ]
        cited = [{"artifact_id": ranking["task_id"], "title": ranking["task"]} for ranking in page]
        shown = show_page("Suggestions", lines, wanted, len(ranked))
        return answer(shown, {"assignments": page, "total": len(ranked)}, cite_items(cited))

    return [
        Tool(
            "analyze_risks",
            "List the risks, the gravest first, and which of them no task deals with.",
            Paging,
            analyze_risks,
            space="analysis",
        ),
        Tool(
            "suggest_assignments",
            "Rank who could do each open task, by skills and free points; it assigns nothing.",
            OfTask,
            suggest_assignments,
            space="analysis",
        ),
    ]


def priority_tools(ports: Ports) -> list[Tool]:
    """What to do first."""

    async def prioritize_features(context: ToolContext, wanted: Paging) -> ToolResult:
        features = sorted(
            await ports.list_items(context.project_id, "feature"),
            key=lambda feature: -float(feature["fields"].get("priority_score") or 0),
        )
        page = take_page(features, wanted)
        items = [
            _rank_feature(rank, feature) for rank, feature in enumerate(page, wanted.offset + 1)
        ]
        lines = [
            f"{item['rank']}. {item['title']} [{item['feature_id']}]: {item['rationale']}"
            for item in items
        ]
        shown = show_page("Features by priority", lines, wanted, len(features))
        cited = [it for feature in page for it in cite_item(feature)]
        return answer(shown, {"items": items, "total": len(features)}, cited)

    return [
        Tool(
            "prioritize_features",
            "List the features in their order of priority: what rules have computed or a person has"
            " decided, why, and the atoms behind it. To propose another priority, call"
            " update_feature with a reason and atom_ids.",
            Paging,
            prioritize_features,
            space="ai",
        ),
    ]


def operation_tools(ports: Ports) -> list[Tool]:
    """What the work of the machine has cost, and the jobs it does."""

    async def get_cost_report(context: ToolContext, wanted: Nothing) -> ToolResult:
        costs = await ports.read_costs(context.project_id)
        lines = [_show_cost(line) for line in costs["lines"]]
        return answer([_show_cost(costs["total"]), *show_list("By agent", lines)], costs)

    async def list_jobs(context: ToolContext, wanted: ListJobs) -> ToolResult:
        jobs = await ports.list_jobs(context.project_id, wanted.status, MOST_JOBS)
        page = take_page(jobs, wanted)
        lines = [
            f"{job['job_type']} {job['status']}, asked for at {job['created_at']}"
            f"{': ' + cut(job['last_error']) if job['last_error'] else ''} [{job['job_id']}]"
            for job in page
        ]
        title = f"Jobs (the newest {MOST_JOBS})" if len(jobs) == MOST_JOBS else "Jobs"
        shown = show_page(title, lines, wanted, len(jobs))
        return answer(shown, {"jobs": page, "total": len(jobs)})

    return [
        Tool(
            "get_cost_report",
            "Show what calls of language models have cost, in US dollars, by agent.",
            Nothing,
            get_cost_report,
            space="operations",
        ),
        Tool(
            "list_jobs",
            "List the background jobs of the project, newest first, with their errors.",
            ListJobs,
            list_jobs,
            space="operations",
        ),
    ]


def _show_cost(line: Json) -> str:
    unknown = line["calls_without_price"]
    more = f"; {count(unknown, 'call')} of unknown price" if unknown else ""
    return f"{line['key']}: {line['cost_usd']:.4f} USD in {count(line['calls'], 'call')}{more}"


def _load_of(member: Json, tasks: Sequence[Json]) -> dict[str, Any]:
    """A member with what is planned for them and not done."""
    theirs = [
        task
        for task in tasks
        if task["plan"].get("assignee_id") == member["member_id"]
        and task["fields"].get("status") not in OVER
    ]
    points = sum(int(task["fields"].get("estimate_points") or 0) for task in theirs)
    return {**member, "points": points, "tasks": theirs}


def _gravity(atom: Json) -> int:
    severity = atom.get("severity")
    return _GRAVEST.index(severity) if severity in _GRAVEST else len(_GRAVEST)


def _show_ranking(ranking: Sequence[Json]) -> str:
    reasons = [f"{member['name']} ({member['rationale']})" for member in ranking[:3]]
    return "; ".join(reasons) or "nobody has the skills it asks for"


def _rank_feature(rank: int, feature: Json) -> dict[str, Any]:
    fields = feature["fields"]
    factors = {
        "effort": fields.get("effort_points", 0),
        "risk": len(fields.get("risk_atom_ids", ())),
        "dependency": len(feature["plan"].get("depends_on", ())),
        "evidence": len(fields.get("atom_ids", ())),
    }
    decided = (fields.get("user_edited") or {}).get("priority") or {}
    atom_ids = decided.get("atom_ids") or fields.get("atom_ids", ())[:MOST_SPEAKING]
    text = f"{fields.get('priority', '')} {_explain_priority(fields, decided)}"
    counted = (
        f"{factors['effort']} story points, {count(factors['risk'], 'risk')}, depends on"
        f" {factors['dependency']}, {count(factors['evidence'], 'atom')} behind it"
    )
    marks = "".join(f" [{atom_id}]" for atom_id in atom_ids)
    return {
        "feature_id": feature["artifact_id"],
        "title": name_of(feature),
        "rank": rank,
        "score": fields.get("priority_score", 0),
        "priority": fields.get("priority", ""),
        "computed_priority": fields.get("computed_priority") or fields.get("priority", ""),
        "decided_by": decided.get("decided_by"),
        "reason": decided.get("reason", ""),
        "atom_ids": list(atom_ids),
        "factors": factors,
        "rationale": f"{text}; {counted}{marks}",
    }


def _explain_priority(fields: Json, decided: Json) -> str:
    """Who has set it, and why."""
    if not decided:
        return f"by rule, score {fields.get('priority_score', 0):.2f}"
    why = f": {cut(decided['reason'])}" if decided["reason"] else ""
    ruled = fields.get("computed_priority")
    return f"by {decided['decided_by']}{why}{f' (by rule {ruled})' if ruled else ''}"
