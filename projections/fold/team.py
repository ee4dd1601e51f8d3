"""Teams: members as the last fact left them, and the settings of plans."""

from __future__ import annotations

from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.team import (
    MemberAdded,
    MemberRemoved,
    MemberUpdated,
    PlanSet,
    RebalanceProposed,
)


def member_added(rows: Rows, fact: Envelope, event: MemberAdded) -> None:
    rows.add(fact, "team_members", event.model_dump() | {"active": True})


def member_updated(rows: Rows, fact: Envelope, event: MemberUpdated) -> None:
    """The columns that the fact names; one about nobody known makes a member that is not active."""
    rows.add(fact, "team_members", event.model_dump(exclude_none=True))


def member_removed(rows: Rows, fact: Envelope, event: MemberRemoved) -> None:
    rows.add(fact, "team_members", {"member_id": event.member_id, "active": False})


def plan_set(rows: Rows, fact: Envelope, event: PlanSet) -> None:
    if fields := event.model_dump(exclude_none=True):
        rows.add(fact, "team_plans", fields)


def rebalance_proposed(rows: Rows, fact: Envelope, event: RebalanceProposed) -> None:
    proposed = {
        "state": "proposed",
        "proposed_by": fact.actor.id,
        "proposed_at": fact.occurred_at,
    }
    rows.add(fact, "rebalance_proposals", event.model_dump() | proposed)


FOLDS: dict[type[Event], Any] = {
    MemberAdded: member_added,
    MemberUpdated: member_updated,
    MemberRemoved: member_removed,
    PlanSet: plan_set,
    RebalanceProposed: rebalance_proposed,
}
