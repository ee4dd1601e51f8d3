"""Features that people make, change, rank and delete: what they say of one stands from then on.

A person's priority takes the place of the rules' one, which is kept beside it, and the plan follows
it. Of the rules' score a tenth remains: it tells apart what people rank alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.artifact_items import (
    FeatureFields,
    FeatureStatus,
    PriorityChoice,
    UserEditedFeature,
)
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.change import ChangeRequested, FeatureEdit
from schemas.features import DONE
from streams.reduce.artifacts.items import PREFIXES, Settled, blank
from streams.reduce.artifacts.section_text import EDITED
from streams.reduce.features.features import LEAST_EFFORT, NOT_ESTIMATED, URGENCY
from streams.reduce.features.planning import Work
from streams.reduce.features.user_edited import check_item, write_sections
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.texts.inputs import Grounds

WONT = "wont"
NOT_PLANNED: FeatureStatus = "proposed"
_BEGUN = ("in_progress", DONE)
_OF_PERSON, _OF_RULES = 0.9, 0.1  # shares of the score


@dataclass(frozen=True, slots=True)
class OwnFeature:
    """A feature that stands by a person's words alone; its other sections are gone."""

    feature: ArtifactSnapshot
    user_edited: UserEditedFeature
    sections: list[Section]

    @classmethod
    def of(cls, feature: ArtifactSnapshot) -> OwnFeature | None:
        """None where a person has written none of it: then it goes with its atoms."""
        user_edited = find_edited_feature(feature)
        own = [section for section in feature.sections if section.state == EDITED]
        if (
            user_edited is None
            or user_edited.is_deleted
            or not (own or user_edited.is_user_created)
        ):
            return None
        return cls(feature, user_edited, own)

    @property
    def fields(self) -> FeatureFields:
        return apply_user_edited_feature(
            _describe(self.user_edited, self.sections), self.user_edited
        )

    @property
    def key(self) -> str:
        return self.feature.artifact_id

    @property
    def work(self) -> Work:
        points = self.user_edited.effort_points
        points = LEAST_EFFORT if points is None else points
        return Work(self.key, points, self.fields.priority_score)

    def write(self, at: Settled, number: int, fields: FeatureFields) -> ArtifactSnapshot:
        """The feature at this position, as the plan dates it; its words are as they were."""
        item = self.feature
        return blank(item.artifact_id, "feature", item.title, at, self.sections).model_copy(
            update={
                "number": f"{PREFIXES['feature']}-{number:03d}",
                "feature": fields,
                "edited_by": item.edited_by,
            }
        )


def find_edited_feature(item: ArtifactSnapshot | None) -> UserEditedFeature | None:
    return item.feature.user_edited if item and item.feature else None


def apply_user_edited_feature(
    fields: FeatureFields, user_edited: UserEditedFeature | None
) -> FeatureFields:
    """The rules' fields with what a person has said instead."""
    if user_edited is None:
        return fields
    update: dict[str, object] = {"user_edited": user_edited}
    if user_edited.priority:
        chosen = user_edited.priority.priority
        score = _OF_PERSON * URGENCY[chosen] + _OF_RULES * fields.priority_score
        update |= {
            "priority": chosen,
            "priority_score": round(score, 4),
            "computed_priority": None if user_edited.is_user_created else fields.priority,
        }
    if user_edited.effort_points is not None:
        update["effort_points"] = user_edited.effort_points
    if user_edited.status:
        update["status"] = user_edited.status if user_edited.status in _BEGUN else NOT_PLANNED
    return fields.model_copy(update=update)


def is_ahead(fields: FeatureFields) -> bool:
    """Whether it is to be made."""
    return fields.status != DONE and fields.priority != WONT


def draft_feature(
    artifact_snapshot: ArtifactSnapshot | None,
    asked: ChangeRequested,
    grounds: Grounds,
    at: Settled,
) -> ArtifactSnapshot:
    """The feature as the person wants it, before it is planned. Raises RefusedEdit."""
    feature = asked.feature or FeatureEdit()
    artifact_snapshot = check_item(artifact_snapshot, asked)
    before = artifact_snapshot or _begin(asked, feature, at)
    assert before.feature
    was = before.feature.user_edited or UserEditedFeature()
    user_edited = _merge(was, feature, asked)
    sections = write_sections(before, asked, grounds)
    if not any(section.statements for section in sections):
        raise RefusedEdit("empty_text")
    if artifact_snapshot and user_edited == was and sections == before.sections:
        raise RefusedEdit("no_change")
    fields = before.feature.model_copy(update={"user_edited": user_edited})
    update = {
        "title": user_edited.title or before.title,
        "sections": sections,
        "feature": fields,
        "edited_by": asked.editor,
    }
    return before.model_copy(update=update)


def _begin(asked: ChangeRequested, told: FeatureEdit, at: Settled) -> ArtifactSnapshot:
    user_edited = UserEditedFeature(is_user_created=True)
    feature = blank(asked.artifact_id, "feature", told.title or "", at, [])
    return feature.model_copy(update={"feature": _describe(user_edited, [])})


def _merge(
    user_edited: UserEditedFeature, told: FeatureEdit, asked: ChangeRequested
) -> UserEditedFeature:
    said: dict[str, object] = told.model_dump(
        include={"title", "effort_points", "status"}, exclude_none=True
    )
    if told.priority:
        said["priority"] = PriorityChoice(
            priority=told.priority,
            decided_by=asked.editor,
            reason=told.reason,
            atom_ids=told.atom_ids,
        )
    return user_edited.model_copy(update=said | {"is_deleted": asked.op == "delete"})


def _describe(user_edited: UserEditedFeature, sections: list[Section]) -> FeatureFields:
    """What follows from the words of a person's own feature."""
    said = (statement for section in sections for statement in section.statements)
    return FeatureFields(
        atom_ids=sorted({it.atom_id for statement in said for it in statement.citations}),
        priority="should",
        priority_score=URGENCY["should"],
        effort_points=NOT_ESTIMATED,
        user_edited=user_edited,
    )
