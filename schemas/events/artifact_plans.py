"""What a sprint of a plan has besides its statements, and what people changed in it."""

from __future__ import annotations

from schemas.envelope import Part


class PlanItem(Part):
    """A task in a sprint; ``order`` counts from 1."""

    task_id: str
    assignee_id: str
    points: int
    order: int
    reason: str


class UnplannedTask(Part):
    task_id: str
    reason: str


class UserEditedSprint(Part):
    """What a person has changed in a sprint; None: as the plan says. Days are like ``2026-01-31``.

    ``is_user_created``: a person made it; it is there without tasks, too. ``is_closed``: it keeps
    what was done in it, and the rest is planned for later. ``is_deleted``: its number is not used
    again.
    """

    is_user_created: bool = False
    is_closed: bool = False
    is_deleted: bool = False
    goal: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    capacity_points: int | None = None


class SprintPlanFields(Part):
    """One sprint of a plan. Days are like ``2026-01-31``, both are in the sprint. ``user_edited``
    is what a person has changed in it.

    ``committed`` are the tasks that it began with, by id, ``committed_on`` is the day of that, and
    ``committed_seq`` the ledger's position; without a day the sprint has not begun.
    """

    sprint_number: int
    goal: str
    start_date: str
    end_date: str
    capacity_points: int
    planned_points: int
    items: list[PlanItem] = []
    risk_atom_ids: list[str] = []
    unplanned: list[UnplannedTask] = []
    assumptions: list[str] = []
    user_edited: UserEditedSprint | None = None
    committed: list[str] = []
    committed_on: str = ""
    committed_seq: int = 0
