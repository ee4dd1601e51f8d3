"""Make, change, rank and delete features; see ``item_changes`` for what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import VISIBLE_WITHIN_S
from infra.service.planning.item_changes import (
    MOST_POINTS,
    ItemChange,
    ItemRequest,
    Words,
    change_item,
    check_points,
)
from infra.service.planning.section_edits import find_revisions
from projections.read.artifacts import Item
from projections.read.session import Conn
from schemas.events.artifact_parts import Priority
from schemas.events.change import ToldFeature

LONGEST_REASON = 1_000
Progress = Literal["planned", "in_progress", "done"]


@dataclass(frozen=True, slots=True)
class FeatureText:
    """What is told of a feature; None: as it is. ``sections`` are sentences by section id:
    ``description`` and ``acceptance_criteria``, which cite ``atom_ids``.

    ``reason`` says why it has the priority, ``priority_atom_ids`` are the atoms that speak for it.
    ``status`` ``planned``: it has not begun.
    """

    title: str | None = None
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    atom_ids: Sequence[str] = ()
    priority: Priority | None = None
    reason: str = ""
    priority_atom_ids: Sequence[str] = ()
    effort_points: int | None = None
    status: Progress | None = None


async def create_feature(
    settings: Settings,
    project: str,
    told: FeatureText,
    *,
    actor: str,
    key: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """A new feature in a person's words, as soon as the tables show it. Without a description its
    title is one.
    """
    if not told.title:
        raise Invalid("A feature has a title.", code="feature_invalid")
    if not told.sections.get("description"):
        told = replace(told, sections={**told.sections, "description": [told.title]})
    request = ItemRequest(project, "create", told, key=key)
    return await change_feature(settings, request, actor=actor, within_s=within_s)


async def change_feature(
    settings: Settings,
    request: ItemRequest[FeatureText],
    *,
    actor: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """The feature after the change, as soon as the tables show it; a deleted one has no number."""
    told = request.told
    check_points(told.effort_points, MOST_POINTS, "An effort", "feature_invalid")
    _check_priority(told)

    def check(tables: Conn, project_id: str) -> None:
        find_revisions(tables, project_id, told.priority_atom_ids)

    change = ItemChange(
        request,
        _choose(told),
        words=Words(told.sections, told.atom_ids),
        check=check,
    )
    return await change_item(settings, change, actor=actor, within_s=within_s)


def _check_priority(told: FeatureText) -> None:
    """Raises Invalid for a reason that is too long, or that says why of nothing."""
    if len(told.reason) > LONGEST_REASON:
        raise Invalid(
            f"A reason has at most {LONGEST_REASON:,} characters.", code="feature_invalid"
        )
    if (told.reason or told.priority_atom_ids) and not told.priority:
        raise Invalid("A reason belongs to a priority: name that, too.", code="feature_invalid")


def _choose(told: FeatureText) -> ToldFeature:
    return ToldFeature(
        title=told.title,
        priority=told.priority,
        reason=told.reason,
        atom_ids=list(told.priority_atom_ids),
        effort_points=told.effort_points,
        status=told.status,
    )
