"""Set up who works on a project: each change is a fact, and the plan follows it by itself.

A change raises Invalid for what no member can be, NotFound for a member that there is not, and
Unavailable when broker, database or projector do not answer. The same key again changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from projections.read import team as read
from projections.read.projects import find_project
from projections.read.session import Conn
from projections.read.team import Member as Member
from schemas import days
from schemas.events.team import MemberAdded, MemberRemoved, MemberUpdated, PlanSet, TeamFact
from schemas.ids import derive_id

MAX_PROFICIENCY = 5
MAX_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class MemberChange:
    """What is told about a member; None: as it is. An absence names ``first_day``, ``last_day``,
    ``kind`` and ``capacity_factor``.
    """

    name: str | None = None
    role: str | None = None
    skills: Mapping[str, int] | None = None
    capacity_points: int | None = None
    availability: Sequence[Mapping[str, Any]] | None = None


async def add_member(
    settings: Settings, project: str, told: MemberChange, *, actor: str, key: str
) -> Member:
    """Add a member to a project given by name or id, and return them when the tables show them."""
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    member_id = derive_id("mem", project_id, key)
    if told.name is None:
        raise Invalid("A member has a name.", code="member_invalid")
    fact = _make(MemberAdded, member_id, told)
    return await _change(settings, project_id, member_id, fact, actor, key)


async def update_member(
    settings: Settings, project: str, member: str, told: MemberChange, *, actor: str, key: str
) -> Member:
    """Change what is told of a member, given by name or id."""
    project_id, known = await _find(settings, project, member)
    fact = _make(MemberUpdated, known.member_id, told)
    return await _change(settings, project_id, known.member_id, fact, actor, key)


async def remove_member(
    settings: Settings, project: str, member: str, *, actor: str, key: str
) -> Member:
    """Remove a member; returns them as they were."""
    project_id, known = await _find(settings, project, member)
    fact = MemberRemoved(member_id=known.member_id)
    request = make_request(fact, project_id, actor, key)
    await publish(settings, [request])
    await wait_until_shown(settings, lambda tables: _is_gone(tables, project_id, known.member_id))
    return known


async def list_members(settings: Settings, project: str) -> list[Member]:
    return await ask(
        settings, lambda tables: read.list_members(tables, find_project(tables, project))
    )


async def set_plan(
    settings: Settings,
    project: str,
    *,
    start_day: str | None = None,
    velocity: int | None = None,
    actor: str,
    key: str,
) -> None:
    """Say from which day plans count, or how many points the team does in a sprint."""
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    if start_day is not None:
        check_day(start_day)
    try:
        fact = PlanSet(start_day=start_day, velocity=velocity)
    except ValidationError as error:
        raise Invalid("A velocity is a number of points above 0.", code="plan_invalid") from error
    await publish(settings, [make_request(fact, project_id, actor, key)])

    def shows(tables: Conn) -> bool | None:
        now = read.read_plan(tables, project_id)
        wanted = (start_day or now.start_day, velocity or now.velocity)
        return (now.start_day, now.velocity) == wanted or None

    await wait_until_shown(settings, shows)


def check_day(day: str) -> None:
    """Raises Invalid unless ``day`` is one, like 2026-01-31."""
    try:
        days.check_day(day)
    except ValueError:
        raise Invalid(f"{day!r} is no day: write it like 2026-01-31.", code="day_invalid") from None


async def _find(settings: Settings, project: str, member: str) -> tuple[str, Member]:
    def find(tables: Conn) -> tuple[str, Member]:
        project_id = find_project(tables, project)
        return project_id, read.read_member(tables, project_id, member)

    return await ask(settings, find)


def _make(
    kind: type[MemberAdded] | type[MemberUpdated], member_id: str, told: MemberChange
) -> MemberAdded | MemberUpdated:
    given = {
        name: value
        for name in ("name", "role", "skills", "capacity_points", "availability")
        if (value := getattr(told, name)) is not None
    }
    _check(given)
    try:
        return kind.model_validate({"member_id": member_id} | given)
    except ValidationError as error:
        what = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()
        )
        raise Invalid(f"No member can be like that: {what}.", code="member_invalid") from error


def _check(given: Mapping[str, Any]) -> None:
    from streams.hygiene.redaction.strings import redact_text

    texts = [given.get("name"), given.get("role"), *given.get("skills", {})]
    for text in texts:
        if text is not None and redact_text(text) != text:
            raise Invalid(
                "A name, role or skill looks like a secret or holds one: choose another.",
                code="member_holds_secret",
            )
        if text is not None and (not text.isprintable() or len(text) > MAX_TEXT_CHARS):
            raise Invalid(
                f"A name, role or skill has up to {MAX_TEXT_CHARS} printable characters.",
                code="member_invalid",
            )
    if "name" in given and not given["name"].strip():
        raise Invalid("A member has a name.", code="member_invalid")
    if any(not 0 <= level <= MAX_PROFICIENCY for level in given.get("skills", {}).values()):
        raise Invalid(
            f"A proficiency is a number from 0 to {MAX_PROFICIENCY}.", code="member_invalid"
        )
    for absence in given.get("availability", ()):
        for name in ("first_day", "last_day"):
            check_day(str(absence.get(name, "")))
        if absence["first_day"] > absence["last_day"]:
            raise Invalid("An absence ends before it begins.", code="member_invalid")


async def _change(
    settings: Settings, project_id: str, member_id: str, fact: TeamFact, actor: str, key: str
) -> Member:
    request = make_request(fact, project_id, actor, key)
    await publish(settings, [request])
    told = fact.model_dump(exclude_none=True)

    def shows(tables: Conn) -> Member | None:
        known = {one.member_id: one for one in read.list_members(tables, project_id)}
        now = known.get(member_id)
        return now if now and told.items() <= now.model_dump().items() else None

    return await wait_until_shown(settings, shows)


def _is_gone(tables: Conn, project_id: str, member_id: str) -> bool | None:
    return all(one.member_id != member_id for one in read.list_members(tables, project_id)) or None
