"""The assigner: how the planned work lies on the members of the team, by points and capacity."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from agents.project.desk import Desk
from agents.project.outputs import MemberLoad, WorkloadRebalanceResponse
from agents.project.state import AgentResult
from schemas.tasks import OVER

MOST, LEAST = 1.0, 0.5  # of a member's capacity
NO_MOVES = "I name no moves yet: who may take which task is not weighed so far."


async def look_at_workload(desk: Desk, began: datetime) -> AgentResult:
    """Who has more than they can do in the sprint that comes first, and who has room."""
    members = await desk.list_members()
    sprints = await desk.list_items("sprint_plan")
    ended = {
        one["artifact_id"]
        for one in await desk.list_items("task")
        if one["fields"].get("status") in OVER
    }
    load: Counter[str] = Counter()
    for item in sprints[0]["fields"]["items"] if sprints else ():
        if item["task_id"] not in ended:
            load[item["assignee_id"]] += item["points"]
    loads = [_load(one["member_id"], one["name"], load, one["capacity_points"]) for one in members]
    output = WorkloadRebalanceResponse(
        overloaded=[one for one in loads if one.ratio > MOST],
        underutilized=[one for one in loads if one.ratio < LEAST],
    )
    return await desk.finish(output, _render(output, loads, bool(sprints)), began)


def _load(member_id: str, name: str, load: Counter[str], capacity: int) -> MemberLoad:
    points = load[member_id]
    ratio = round(points / capacity, 2) if capacity else float(bool(points)) * 2
    return MemberLoad(member_id=member_id, name=name, load=points, capacity=capacity, ratio=ratio)


def _render(output: WorkloadRebalanceResponse, loads: list[MemberLoad], is_planned: bool) -> str:
    if not loads:
        return "The team has no members yet, so there is no workload to look at."
    if not is_planned:
        return "No sprint is planned yet, so nobody has work assigned."
    lines = [
        f"- {one.name}: {one.load} of {one.capacity} points ({one.ratio:.0%})" for one in loads
    ]
    over = ", ".join(one.name for one in output.overloaded) or "nobody"
    under = ", ".join(one.name for one in output.underutilized) or "nobody"
    return "\n".join(
        ["Workload of the first planned sprint:", *lines]
        + [f"Overloaded: {over}. With room: {under}.", NO_MOVES]
    )
