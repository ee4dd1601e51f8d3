"""`cairn members`, `cairn plan`: who works on a project, and from when its plans count."""

from __future__ import annotations

import re
from typing import Any

import typer

from infra.cli.calls import Cairn, told
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.output import as_lines, cell, table
from infra.client.models.planning import Member, MemberUpdate, NewMember, Plan
from infra.platform.errors import Invalid, NotFound

USUAL_PROFICIENCY = 3
SKILLS = (
    "design, architecture, data modelling, integration, security, performance, operations, testing,"
    " release management, engineering"
)
NAME = typer.Argument(help="Name of the member.")
WHO = typer.Argument(help="Name or id of the member.")
ROLE = typer.Option(None, "--role", help="What they are, e.g. developer.")
SKILL = typer.Option(
    None,
    "--skill",
    metavar="SKILL[:0-5]",
    help=f"What they can do, and how well (default 3); again for more. Tasks ask for: {SKILLS}.",
)
CAPACITY = typer.Option(None, "--capacity", min=0, max=1000, help="Points in a sprint.")
AWAY = typer.Option(
    None,
    "--away",
    metavar="FIRST..LAST[=SHARE]",
    help="Days with less time, e.g. 2026-12-20..2027-01-03, or =0.5 for half the time.",
)
START = typer.Option(None, "--start", metavar="DAY", help="First day of the first sprint.")
VELOCITY = typer.Option(None, "--velocity", min=1, max=10_000, help="Points done in a sprint.")
_AWAY = re.compile(r"(?P<first>[\d-]+)\.\.(?P<last>[\d-]+)(?:=(?P<share>[\d.]+))?")

members = typer.Typer(help="Set up the team of a project.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(members, name="members")
    app.command()(plan)


@members.command()
def add(
    name: str = NAME,
    project: str = PROJECT_OPTION,
    role: str | None = ROLE,
    skill: list[str] | None = SKILL,
    capacity: int | None = CAPACITY,
    away: list[str] | None = AWAY,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Add a member, and print their id."""
    body = NewMember.model_validate(_told(name, role, skill, capacity, away))
    cairn = connect()
    with asking(idempotency_key) as key:
        added = cairn.add_member(cairn.project_of(project), body, key=key)
    _show(added, as_json=as_json)


@members.command()
def update(
    member: str = WHO,
    project: str = PROJECT_OPTION,
    name: str | None = typer.Option(None, "--name", help="Another name."),
    role: str | None = ROLE,
    skill: list[str] | None = SKILL,
    capacity: int | None = CAPACITY,
    away: list[str] | None = AWAY,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Change what is told of a member; --skill and --away replace all there were."""
    body = MemberUpdate.model_validate(_told(name, role, skill, capacity, away))
    cairn = connect()
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        one = _find(cairn, known, member)
        changed = cairn.update_member(known, one.member_id, body, key=key)
    _show(changed, as_json=as_json)


@members.command()
def remove(
    member: str = WHO,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Remove a member; their tasks go to others."""
    cairn = connect()
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        gone = _find(cairn, known, member)
        cairn.remove_member(known, gone.member_id, key=key)
    _show(gone, as_json=as_json)


@members.command("list")
def list_members(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
    """Show the members with their skills and capacity."""
    cairn = connect()
    found = cairn.list_members(cairn.project_of(project))
    if as_json:
        as_lines(one.model_dump() for one in found)
        return
    columns = ("name", "role", "skills", "points", "away", "member id")
    table(columns, map(_row_of, found), "There are no members yet.")


def plan(
    project: str = PROJECT_OPTION,
    start: str | None = START,
    velocity: int | None = VELOCITY,
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Say when the first sprint begins, and how fast the team is."""
    if start is None and velocity is None:
        raise typer.BadParameter("give --start, --velocity or both")
    cairn, body = connect(), Plan(start_day=start, velocity=velocity)
    with asking(idempotency_key) as key:
        cairn.set_plan(cairn.project_of(project), body, key=key)


def _find(cairn: Cairn, project_id: str, name_or_id: str) -> Member:
    """The member with this id, or the only one with this name. Raises Invalid, NotFound."""
    if not name_or_id.strip():
        raise Invalid("No member is named: give the name or id of one.", code="member_missing")
    known = cairn.list_members(project_id)
    found = [one for one in known if name_or_id in (one.member_id, one.name)]
    if len(found) != 1:
        several = f"{len(found)} members are called" if found else "There is no member"
        raise NotFound(f"{several} {name_or_id}.", code="unknown_member")
    return found[0]


def _told(
    name: str | None,
    role: str | None,
    skills: list[str] | None,
    capacity: int | None,
    away: list[str] | None,
) -> dict[str, Any]:
    """What was said of a member."""
    return told(
        name=name,
        role=role,
        skills=dict(map(_skill_of, skills)) if skills else None,
        capacity_points=capacity,
        availability=[_absence_of(one) for one in away] if away else None,
    )


def _skill_of(told: str) -> tuple[str, int]:
    name, sign, level = told.rpartition(":")
    if not sign:
        return told.strip(), USUAL_PROFICIENCY
    if not level.isdigit():
        raise typer.BadParameter(f"{told!r}: write a skill like security:4")
    return name.strip(), int(level)


def _absence_of(told: str) -> dict[str, Any]:
    found = _AWAY.fullmatch(told)
    if not found:
        raise typer.BadParameter(f"{told!r}: write days like 2026-12-20..2027-01-03")
    share = float(found["share"] or 0)
    kind = "part_time" if share else "vacation"
    days = {"first_day": found["first"], "last_day": found["last"]}
    return days | {"kind": kind, "capacity_factor": share}


def _row_of(member: Member) -> tuple[object, ...]:
    skills = ", ".join(f"{name} {level}" for name, level in member.skills.items())
    away = ", ".join(f"{one['first_day']}..{one['last_day']}" for one in member.availability)
    points = member.capacity_points
    return cell(member.name), cell(member.role), cell(skills), points, away, member.member_id


def _show(member: Member, *, as_json: bool) -> None:
    if as_json:
        as_lines([member.model_dump()])
    else:
        print(member.member_id)
