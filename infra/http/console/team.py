"""Who works on a project and how much, what each sprint holds, and what is reported of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from starlette.responses import Response

from infra.http.access import LEADERS, READERS, WRITERS
from infra.http.console.charts import Chart, draw_lines
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Invalid, NotFound
from infra.service.planning import planning, team
from infra.service.planning.assignments import rank_members
from projections.read import artifact_list, artifacts, burndown, rebalances
from projections.read.artifacts import Item, PlanTask
from projections.read.burndown import Burndown, BurndownDay
from projections.read.page import LARGEST_PAGE
from projections.read.team import Member, list_members
from schemas.events.artifact_items import TaskFields, TaskStatus
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.team import AbsenceKind, ReportType
from schemas.ids import sha256_hex

pages = Pages()
STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
REPORTS: tuple[ReportType, ...] = get_args(ReportType)
KINDS: tuple[AbsenceKind, ...] = get_args(AbsenceKind)
REPORTS_SHOWN = 10
SUGGESTIONS_SHOWN = 10
ABSENCE = re.compile(
    r"(?P<first>\S+?)(?: to (?P<last>\S+?))?(?:, *(?P<kind>[a-z_]+))?(?:, *(?P<share>\d{1,3})%)?"
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A task of the sprint; ``assignee`` is None for who is no member any more."""

    task: PlanTask
    fields: TaskFields
    points: int
    assignee: Member | None


@dataclass(frozen=True, slots=True)
class Load:
    """What a member has in a sprint, of what they can do in one."""

    member: Member
    points: int
    absences: list[str]

    @property
    def is_over(self) -> bool:
        return self.points > self.member.capacity_points


@dataclass(frozen=True, slots=True)
class Burned:
    """How the work of a sprint went down; ``known`` are the days so far."""

    figures: Burndown
    chart: Chart | None

    @property
    def known(self) -> list[BurndownDay]:
        return [it for it in self.figures.days if it.remaining is not None]


@pages.show("/projects/{project}/team", *READERS)
async def show_team(visit: PageContext) -> Response:
    """Members with their load, the board of a sprint, reports, and what should lie elsewhere."""
    project = visit.project_id
    members = await visit.ask(list_members, project)
    page = await visit.ask(artifacts.list_items, project, "sprint_plan", limit=LARGEST_PAGE)
    sprints = [(it, SprintPlanFields.model_validate(it.fields)) for it in page.items]
    sprint, plan = _choose(sprints, visit.asked("sprint"))
    tasks = await visit.ask(artifacts.list_plan_tasks, project)
    by_id = {it.artifact_id: it for it in tasks}
    planned = _planned(plan, by_id, members) if plan else []
    reports = await visit.ask(
        artifact_list.list_artifacts, project, artifact_type="report", limit=LARGEST_PAGE
    )
    moved = await visit.ask(
        rebalances.list_rebalances, project, newest_first=True, limit=LARGEST_PAGE
    )
    free = [it for it in rank_members(tasks, members) if it.assignee_id is None]
    return visit.show(
        "team.html",
        loads=[_load(each, plan, planned) for each in members],
        sprints=sprints,
        sprint=sprint,
        plan=plan,
        burned=await read_burndown(visit, sprint.artifact_id) if sprint else None,
        board=[(name, [it for it in planned if it.fields.status == name]) for name in STATUSES],
        reports=sorted(reports.items, key=lambda it: it.updated_at, reverse=True)[:REPORTS_SHOWN],
        report_types=REPORTS,
        suggestions=free[:SUGGESTIONS_SHOWN],
        free=len(free),
        rebalances=moved.items,
        names={it.member_id: it.name for it in members},
        tasks=by_id,
        can_lead=visit.leads,
        can_write=visit.writes,
    )


@pages.act("/projects/{project}/team/members", *LEADERS, page=show_team)
async def add_member(visit: PageContext) -> Response:
    """Add somebody; plans follow by themselves."""
    told = team.MemberChange(
        name=visit.form.get("name", "").strip(),
        role=visit.form.get("role", "").strip() or None,
        skills=_skills(visit.form.get("skills", "")),
        capacity_points=visit.sent_points("capacity"),
    )
    added = await team.add_member(
        visit.api.settings,
        visit.project_id,
        told,
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return visit.go("projects", visit.project_id, "team", told=f"{added.name} is on the team.")


@pages.show("/projects/{project}/team/members/{member}", *LEADERS)
async def show_member(visit: PageContext) -> Response:
    """Somebody to change or to remove."""
    member = await _find_member(visit)
    return visit.show(
        "member.html",
        member=member,
        seen=_mark_of(member),
        skills=", ".join(f"{name} {level}" for name, level in member.skills.items()),
        absences="\n".join(_tell_absence(it) for it in member.availability),
        kinds=KINDS,
    )


@pages.act("/projects/{project}/team/members/{member}", *LEADERS, page=show_member)
async def change_member(visit: PageContext) -> Response:
    """Say who they are, what they can do and when; plans follow by themselves.

    Raises Conflict where they are not as the page has shown them.
    """
    told = team.MemberChange(
        name=visit.form.get("name", "").strip(),
        role=visit.form.get("role", "").strip(),
        skills=_skills(visit.form.get("skills", "")),
        capacity_points=visit.sent_points("capacity"),
        availability=_absences(visit.form.get("absences", "")),
    )
    now = await _find_member(visit)
    said = {name: value for name, value in asdict(told).items() if value is not None}
    if visit.form.get("seen") != _mark_of(now) and not said.items() <= now.model_dump().items():
        raise Conflict(
            f"{now.name} has been changed since you opened the page. Look at what is new, then save"
            " it again.",
            code="stale_version",
        )
    changed = await team.update_member(
        visit.api.settings,
        visit.project_id,
        now.member_id,
        told,
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return visit.go("projects", visit.project_id, "team", told=f"{changed.name} is changed.")


@pages.act("/projects/{project}/team/members/{member}/remove", *LEADERS, page=show_member)
async def remove_member(visit: PageContext) -> Response:
    """Remove somebody for a reason; what they were to do is planned anew."""
    visit.sent_reason()
    gone = await team.remove_member(
        visit.api.settings,
        visit.project_id,
        visit.part("member"),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    told = f"{gone.name} is no longer on the team."
    return visit.go("projects", visit.project_id, "team", told=told)


@pages.act("/projects/{project}/reports", *WRITERS)
async def request_report(visit: PageContext) -> Response:
    """Have a report of today made; it is a document."""
    wanted = visit.form.get("type", "")
    if wanted not in REPORTS:
        raise Invalid(f"{wanted} is no report.", code="invalid_request")
    made = await planning.request_report(
        visit.api.settings,
        visit.project_id,
        wanted,
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return visit.go("projects", visit.project_id, "documents", made.artifact_id)


async def read_burndown(visit: PageContext, sprint_id: str) -> Burned:
    """What was left of a sprint day by day, and the chart of it. Raises NotFound."""
    now = SystemClock().now()
    return draw_burndown(await visit.ask(burndown.read_burndown, visit.project_id, sprint_id, now))


def draw_burndown(found: Burndown) -> Burned:
    """The figures with a chart; none where there are no points."""
    left: list[float | None] = [None, *(it.remaining for it in found.days)]
    begun = next((place for place, points in enumerate(left) if points is not None), None)
    if begun:
        left[begun - 1] = found.committed
    ideal = [found.committed, *(it.ideal for it in found.days)]
    return Burned(found, draw_lines([it.day for it in found.days], {"ideal": ideal, "left": left}))


async def _find_member(visit: PageContext) -> Member:
    """Raises NotFound."""
    members: list[Member] = await visit.ask(list_members, visit.project_id)
    for each in members:
        if each.member_id == visit.part("member"):
            return each
    raise NotFound("There is no such member.", code="unknown_member")


def _choose(
    sprints: Sequence[tuple[Item, SprintPlanFields]], wanted: str | None
) -> tuple[Item | None, SprintPlanFields | None]:
    """The sprint that is asked for, else the first that is not closed."""
    for sprint, plan in sprints:
        if sprint.artifact_id == wanted:
            return sprint, plan
    still = [
        each for each in sprints if not (each[1].user_edited and each[1].user_edited.is_closed)
    ]
    return next(iter(still or sprints), (None, None))


def _planned(
    plan: SprintPlanFields, tasks: Mapping[str, PlanTask], members: Sequence[Member]
) -> list[Planned]:
    known = {it.member_id: it for it in members}
    return [
        Planned(
            tasks[it.task_id],
            TaskFields.model_validate(tasks[it.task_id].fields),
            it.points,
            known.get(it.assignee_id),
        )
        for it in sorted(plan.items, key=lambda it: it.order)
        if it.task_id in tasks
    ]


def _load(member: Member, plan: SprintPlanFields | None, planned: Sequence[Planned]) -> Load:
    away = [
        f"{it['kind']} from {it['first_day']} to {it['last_day']}"
        for it in member.availability
        if plan and it["first_day"] <= plan.end_date and it["last_day"] >= plan.start_date
    ]
    return Load(member, sum(it.points for it in planned if it.assignee == member), away)


def _mark_of(member: Member) -> str:
    """Of all that is known of them: members have no versions."""
    return sha256_hex(member.model_dump_json())


def _tell_absence(it: Mapping[str, Any]) -> str:
    return f"{it['first_day']} to {it['last_day']}, {it['kind']}, {it['capacity_factor']:.0%}"


def _absences(text: str) -> list[dict[str, Any]]:
    """One a line, such as ``2026-12-24 to 2026-12-31, vacation, 0%``; without more it is that.

    Raises Invalid.
    """
    found = []
    for line in filter(None, (it.strip() for it in text.split("\n"))):
        match = ABSENCE.fullmatch(line)
        if match is None or (match["kind"] or "vacation") not in KINDS:
            raise Invalid(
                "An absence is written like 2026-12-24 to 2026-12-31, vacation, 0%; it is one of"
                f" {', '.join(KINDS)}, and the share is what is left of the usual capacity.",
                code="member_invalid",
            )
        found.append(
            {
                "first_day": match["first"],
                "last_day": match["last"] or match["first"],
                "kind": match["kind"] or "vacation",
                "capacity_factor": int(match["share"] or 0) / 100,
            }
        )
    return found


def _skills(text: str) -> dict[str, int]:
    """Such as ``backend 4, sql 2``. Raises Invalid."""
    skills: dict[str, int] = {}
    for each in filter(None, (it.strip() for it in text.split(","))):
        name, _, level = each.rpartition(" ")
        if not name or not (level.isascii() and level.isdecimal() and len(level) == 1):
            raise Invalid(
                "Skills are written with a level from 0 to 5, such as backend 4, sql 2.",
                code="member_invalid",
            )
        skills[name.strip()] = int(level)
    return skills
