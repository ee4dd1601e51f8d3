"""The assigner: how the planned work lies on the team, and which tasks others should do instead.

What it recommends is recorded as a proposal; no task moves by it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.project.outputs import MemberLoad, RecommendedMove, WorkloadRebalanceResponse
from agents.project.specialist import SpecialistContext
from agents.project.state import AgentResult
from agents.runs.effects import Json
from agents.tools.box import RANKS
from agents.tools.tool import ToolContext, ToolRole
from schemas.tasks import OVER

MOST, LEAST = 1.0, 0.5  # of a member's capacity
EVEN = 1.25  # the highest load over the mean one; up to that nothing is moved
MAY_PROPOSE: ToolRole = "member"

Propose = Callable[[ToolContext, Json], Awaitable[Json]]
"""Records a proposal; answers with the record. Raises ToolRefused."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A task of the sprint that is still to be done."""

    task_id: str
    member_id: str
    points: int


async def look_at_workload(
    specialist: SpecialistContext, began: datetime, propose: Propose
) -> AgentResult:
    """Who has more than they can do in the sprint that comes first, and which moves would help."""
    members = await specialist.list_members()
    sprint = await specialist.find_coming_sprint()
    planned = sprint["fields"]["items"] if sprint else ()
    ids = [task["task_id"] for task in planned]
    tasks = await specialist.list_tasks(ids)
    ended = {task["artifact_id"] for task in tasks if task["fields"].get("status") in OVER}
    left = [
        Assigned(task["task_id"], task["assignee_id"], task["points"])
        for task in planned
        if task["task_id"] not in ended
    ]
    loads = [
        _load(member["member_id"], member["name"], left, member["capacity_points"])
        for member in members
    ]
    output = WorkloadRebalanceResponse(
        overloaded=[load for load in loads if load.ratio > MOST],
        underutilized=[load for load in loads if load.ratio < LEAST],
    )
    if not loads or not sprint:
        return await specialist.finish(output, _say_why_not(bool(loads)), began)
    ranked = await specialist.rank_members(ids) if imbalance_of(loads) > EVEN else ()
    able = {ranking["task_id"]: ranking["member_ids"] for ranking in ranked}
    names = {ranking["task_id"]: ranking["task"] for ranking in ranked}
    moves, rebalance_id = find_moves(loads, left, able), None
    if RANKS[specialist.role] >= RANKS[MAY_PROPOSE] and specialist.is_asked(
        "propose_rebalance", {}
    ):
        proposal = {
            "sprint_id": sprint["artifact_id"],
            "imbalance": imbalance_of(loads),
            "moves": [move.model_dump() for move in moves],
        }

        async def make(context: ToolContext, args: Json) -> Json:
            return await propose(context, args)

        made = await specialist.change("propose_rebalance", proposal, make, needs=MAY_PROPOSE)
        rebalance_id = made["rebalance_id"]
    output = output.model_copy(update={"recommendations": moves, "rebalance_id": rebalance_id})
    return await specialist.finish(output, _render(output, loads, names), began)


def imbalance_of(loads: Sequence[MemberLoad]) -> float:
    """The highest load as a share of the member's capacity over the mean one; 1 is even."""
    ratios = [load.ratio for load in loads]
    mean = sum(ratios) / len(ratios) if ratios else 0.0
    return round(max(ratios) / mean, 4) if mean else 1.0


def find_moves(
    loads: Sequence[MemberLoad], left: Sequence[Assigned], able: Mapping[str, Sequence[str]]
) -> list[RecommendedMove]:
    """Tasks of who has too much, or much more than others, the largest first, for the best of
    ``able`` with room for them. Each one makes the load more even, or less than too much.
    """
    now = {load.member_id: load for load in loads}
    moves = []
    for task in sorted(left, key=lambda task: (-task.points, task.task_id)):
        giver = now.get(task.member_id)
        before = imbalance_of(list(now.values()))
        if giver is None or (giver.ratio <= MOST and not _is_far_above(giver, now)):
            continue
        others = (now[member_id] for member_id in able.get(task.task_id, ()) if member_id in now)
        taker = next((load for load in others if _has_room(load, giver, task)), None)
        if taker is None:
            continue
        after = now | {
            giver.member_id: _with_points(giver, -task.points),
            taker.member_id: _with_points(taker, task.points),
        }
        if giver.ratio <= MOST and imbalance_of(list(after.values())) >= before:
            continue
        now = after
        moves.append(
            RecommendedMove(
                task_id=task.task_id,
                from_member_id=giver.member_id,
                to_member_id=taker.member_id,
                points=task.points,
                reason=f"{giver.name} has {giver.load} of {giver.capacity} points; {taker.name} has"
                f" the skills, and {taker.load} of {taker.capacity}",
                score_delta=round(before - imbalance_of(list(now.values())), 4),
            )
        )
    return moves


def _is_far_above(load: MemberLoad, loads: Mapping[str, MemberLoad]) -> bool:
    mean = sum(load.ratio for load in loads.values()) / len(loads)
    return load.ratio > EVEN * mean


def _has_room(taker: MemberLoad, giver: MemberLoad, task: Assigned) -> bool:
    return taker.member_id != giver.member_id and taker.load + task.points <= taker.capacity


def _with_points(load: MemberLoad, points: int) -> MemberLoad:
    return _measure(load.member_id, load.name, load.load + points, load.capacity)


def _load(member_id: str, name: str, left: Sequence[Assigned], capacity: int) -> MemberLoad:
    points = sum(task.points for task in left if task.member_id == member_id)
    return _measure(member_id, name, points, capacity)


def _measure(member_id: str, name: str, points: int, capacity: int) -> MemberLoad:
    ratio = round(points / capacity, 2) if capacity else float(bool(points)) * 2
    return MemberLoad(member_id=member_id, name=name, load=points, capacity=capacity, ratio=ratio)


def _say_why_not(has_members: bool) -> str:
    if has_members:
        return "No sprint is planned yet, so nobody has work assigned."
    return "The team has no members yet, so there is no workload to look at."


def _render(
    output: WorkloadRebalanceResponse, loads: Sequence[MemberLoad], tasks: Mapping[str, str]
) -> str:
    who = {load.member_id: load.name for load in loads}
    lines = [
        f"- {load.name}: {load.load} of {load.capacity} points ({load.ratio:.0%})" for load in loads
    ]
    over = ", ".join(load.name for load in output.overloaded) or "nobody"
    under = ", ".join(load.name for load in output.underutilized) or "nobody"
    moves = [
        f"- {tasks[move.task_id]} from {who[move.from_member_id]} to {who[move.to_member_id]}:"
        f" {move.reason}."
        for move in output.recommendations
    ]
    advice = ["I would move:", *moves] if moves else ["No move of a task would help."]
    recorded = f"This is recorded as {output.rebalance_id}. " if output.rebalance_id else ""
    return "\n".join(
        ["Workload of the first planned sprint:", *lines]
        + [f"Overloaded: {over}. With room: {under}.", *advice]
        + [f"{recorded}No task has moved: a person decides."]
    )
