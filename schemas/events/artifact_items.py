"""What insights, epics, features and tasks have besides statements, and what people changed."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part

InsightCategory = Literal["pattern", "gap", "risk", "opportunity", "conflict", "trend"]
Priority = Literal["must", "should", "could", "wont"]


class InsightFields(Part):
    """What an insight has besides its statements."""

    category: InsightCategory
    atom_ids: list[str]
    source_ids: list[str]
    confidence: float
    cross_source: bool


class EpicFields(Part):
    """``completed`` when the loop that made its features stopped by its own judgement."""

    prd_section_ids: list[str]
    atom_ids: list[str]
    feature_ids: list[str]
    completed: bool


FeatureStatus = Literal["proposed", "planned", "in_progress", "done", "dropped"]


class PriorityChoice(Part):
    """The priority that a person has decided on. ``reason`` is why, in their words or in those that
    were proposed to them; ``atom_ids`` are the atoms that speak for it.
    """

    priority: Priority
    decided_by: str
    reason: str = ""
    atom_ids: list[str] = []


class UserEditedFeature(Part):
    """What a person has changed in a feature, which no run overwrites; None: as the rules say.

    ``is_user_created``: a person made it, and no cluster of atoms is behind it. ``is_deleted``: it
    does not return, also when the same cluster comes again.
    """

    is_user_created: bool = False
    is_deleted: bool = False
    title: str | None = None
    priority: PriorityChoice | None = None
    effort_points: int | None = None
    status: FeatureStatus | None = None


class FeatureFields(Part):
    """What a feature has besides its statements. Dates are days, ``2026-01-31``.

    ``computed_priority`` is what the rules say, where a person has decided on ``priority``;
    ``user_edited`` is what a person has changed in it. A feature that will not be made (``wont``)
    has no dates and no tasks.
    """

    epic_id: str | None = None
    atom_ids: list[str]
    contradiction_ids_considered: list[str] = []
    priority: Priority
    priority_score: float
    effort_points: int
    required_skills: list[str] = []
    risk_atom_ids: list[str] = []
    start_date: str = ""
    end_date: str = ""
    depends_on: list[str] = []
    status: FeatureStatus = "proposed"
    computed_priority: Priority | None = None
    user_edited: UserEditedFeature | None = None


TaskStatus = Literal["todo", "in_progress", "in_review", "done", "blocked", "dropped"]


class UserEditedTask(Part):
    """What a person has changed in a task, which no run overwrites; None: as the rules say.

    ``is_user_created``: a person made it, and no cluster of atoms is behind it. ``is_deleted``: it
    does not return, also when the same cluster comes again. ``sprint_id`` is the sprint it was
    moved into; empty: the plan chooses again.
    """

    is_user_created: bool = False
    is_deleted: bool = False
    title: str | None = None
    feature_id: str | None = None
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: TaskStatus | None = None


class TaskFields(Part):
    """What a task has besides its statements.

    ``solutions`` is the technical approach, never empty while the task is there. ``feature_id`` is
    None for a task that stands alone. ``upstream_atom_ids`` are the atoms of the feature that the
    task is cut from. ``sprint_id`` and ``assignee_id`` are set by the plan. ``user_edited`` is what
    a person has changed in it.
    """

    feature_id: str | None = None
    upstream_title: str = ""
    upstream_atom_ids: list[str] = []
    atom_ids: list[str]
    risk_atom_ids: list[str] = []
    solutions: list[str] = []
    estimate_points: int
    required_skills: list[str] = []
    domain: str
    complexity: Literal["low", "medium", "high"]
    depends_on: list[str] = []
    assignee_id: str | None = None
    status: TaskStatus = "todo"
    sprint_id: str | None = None
    user_edited: UserEditedTask | None = None
