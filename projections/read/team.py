"""Who works on a project, and what could be no task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from infra.platform.errors import Invalid, NotFound
from projections.read.session import Conn, ReadModel, rows

MEMBERS = """
    SELECT member_id, name, role, skills, capacity_points, availability FROM team_members
    WHERE project_id = %s AND active ORDER BY name, member_id
"""
PLAN = "SELECT start_day, velocity FROM team_plans WHERE project_id = %s"
NAMES = """
    SELECT member_id AS id, name FROM team_members WHERE project_id = %s AND name IS NOT NULL
    UNION ALL SELECT artifact_id, trim(number || ' ' || title) FROM artifacts
    WHERE project_id = %s AND artifact_type IN ('feature', 'task', 'sprint_plan') AND number <> ''
"""
# Whether the tables hold all that the answer of this id changed; no row as long as it is not there.
ANSWERED = """
    SELECT NOT EXISTS (
        SELECT FROM jsonb_array_elements(p.items) AS i(item)
        LEFT JOIN artifacts a ON a.artifact_id = i.item->>'artifact_id'
        WHERE i.item->>'outcome' <> 'rejected'
            AND coalesce(a.version, 0) < (i.item->>'version')::int) AS shown,
        EXISTS (
        SELECT FROM jsonb_array_elements(p.items) AS i(item)
        WHERE i.item->>'outcome' = 'rejected') AS refused,
        p.outcome = 'undecidable' AS given_up
    FROM artifact_positions p WHERE p.project_id = %s AND p.updated_from_event_id = %s
"""
# The dead letter of what the writer gave up has the place of the answer that it wrote instead.
WHY_GIVEN_UP = """
    SELECT d.error_class || ': ' || d.error AS why
    FROM event_places p JOIN dead_letters d ON d.origin_topic = p.topic
        AND d.origin_partition = p.partition AND d.origin_offset = p."offset"
    WHERE p.project_id = %s AND p.event_id = %s AND d.stage <> 'projector'
"""
LEFT_OUT = """
    SELECT gaps_remaining FROM generation_loops
    WHERE project_id = %s AND phase = 'task_breakdown' AND engine = 'heuristic'
    ORDER BY artifact_seq DESC LIMIT 1
"""


class Member(ReadModel):
    """``availability`` are the days on which a member has less time."""

    member_id: str
    name: str
    role: str
    skills: dict[str, int]
    capacity_points: int
    availability: list[dict[str, Any]]


class PlanSettings(ReadModel):
    start_day: str | None = None
    velocity: int | None = None


def read_names(connection: Conn, project_id: str) -> dict[str, str]:
    """What people call members, features, tasks and sprints, by id."""
    records = rows(connection, NAMES, project_id, project_id)
    return {row["id"]: row["name"] for row in records}


def list_members(connection: Conn, project_id: str) -> list[Member]:
    """The members of a project by name."""
    return [Member(**row) for row in rows(connection, MEMBERS, project_id)]


def read_member(connection: Conn, project_id: str, name_or_id: str) -> Member:
    """The member with this id, or the only one with this name. Raises Refusal otherwise."""
    return find_only_member(list_members(connection, project_id), name_or_id)


def find_only_member(members: Sequence[Member], name_or_id: str) -> Member:
    """The one of them with this id, or the only one with this name. Raises Refusal otherwise."""
    if not name_or_id.strip():
        raise Invalid("No member is named: give the name or id of one.", code="member_missing")
    matches = [member for member in members if name_or_id in (member.member_id, member.name)]
    if len(matches) != 1:
        several = f"{len(matches)} members are called" if matches else "There is no member"
        raise NotFound(f"{several} {name_or_id}.", code="unknown_member")
    return matches[0]


def read_plan(connection: Conn, project_id: str) -> PlanSettings:
    records = rows(connection, PLAN, project_id)
    return PlanSettings(**records[0]) if records else PlanSettings()


def list_left_out_tasks(connection: Conn, project_id: str) -> list[str]:
    """What became no task at the last position, each with the reason."""
    records = rows(connection, LEFT_OUT, project_id)
    return list(records[0]["gaps_remaining"]) if records else []


def answer_shown(
    connection: Conn, project_id: str, event_id: str
) -> Literal["shown", "refused", "given_up"] | None:
    """What became of a request whose answer has this id; None as long as the tables lack it."""
    records = rows(connection, ANSWERED, project_id, event_id)
    if not records or not records[0]["shown"]:
        return None
    if records[0]["given_up"]:
        return "given_up"
    return "refused" if records[0]["refused"] else "shown"


def why_given_up(connection: Conn, project_id: str, event_id: str) -> str | None:
    """The failure by which the writer gave up what it answered so; None while it is not there."""
    records = rows(connection, WHY_GIVEN_UP, project_id, event_id)
    return records[0]["why"] if records else None
