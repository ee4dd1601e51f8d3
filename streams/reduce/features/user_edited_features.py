"""Features that people make, change, rank and delete: what they say of one stands from then on.

A person's priority takes the place of the rules' one, which is kept beside it, and the plan follows
it. Of the rules' score two fifths remain: they tell apart what people rank alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.artifact_parts import (
    ArtifactSnapshot,
    FeatureFields,
    FeatureStatus,
    OwnedFeature,
    PriorityChoice,
    Section,
)
from schemas.events.change import ChangeRequested, ToldFeature
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
_OF_PERSON, _OF_RULES = 0.6, 0.4  # shares of the score


@dataclass(frozen=True, slots=True)
class OwnFeature:
    """A feature that stands by a person's words alone; its other sections are gone."""

    feature: ArtifactSnapshot
    owned: OwnedFeature
    sections: list[Section]

    @classmethod
    def of(cls, feature: ArtifactSnapshot) -> OwnFeature | None:
        """None where a person has written none of it: then it goes with its atoms."""
        owned = owned_feature(feature)
        own = [section for section in feature.sections if section.state == EDITED]
        if owned is None or owned.is_deleted or not (own or owned.is_own):
            return None
        return cls(feature, owned, own)

    @property
    def fields(self) -> FeatureFields:
        return apply_owned_feature(_describe(self.owned, self.sections), self.owned)

    @property
    def key(self) -> str:
        return self.feature.artifact_id

    @property
    def work(self) -> Work:
        points = self.owned.effort_points
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


def owned_feature(item: ArtifactSnapshot | None) -> OwnedFeature | None:
    return item.feature.owned if item and item.feature else None


def apply_owned_feature(fields: FeatureFields, owned: OwnedFeature | None) -> FeatureFields:
    """The rules' fields with what a person has said instead."""
    if owned is None:
        return fields
    update: dict[str, object] = {"owned": owned}
    if owned.priority:
        chosen = owned.priority.priority
        score = _OF_PERSON * URGENCY[chosen] + _OF_RULES * fields.priority_score
        update |= {
            "priority": chosen,
            "priority_score": round(score, 4),
            "ruled_priority": None if owned.is_own else fields.priority,
        }
    if owned.effort_points is not None:
        update["effort_points"] = owned.effort_points
    if owned.status:
        update["status"] = owned.status if owned.status in _BEGUN else NOT_PLANNED
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
    feature = asked.feature or ToldFeature()
    artifact_snapshot = check_item(artifact_snapshot, asked)
    before = artifact_snapshot or _begin(asked, feature, at)
    assert before.feature
    was = before.feature.owned or OwnedFeature()
    owned = _merge(was, feature, asked)
    sections = write_sections(before, asked, grounds)
    if not any(section.statements for section in sections):
        raise RefusedEdit("says_nothing")
    if artifact_snapshot and owned == was and sections == before.sections:
        raise RefusedEdit("nothing_changes")
    fields = before.feature.model_copy(update={"owned": owned})
    update = {
        "title": owned.title or before.title,
        "sections": sections,
        "feature": fields,
        "edited_by": asked.editor,
    }
    return before.model_copy(update=update)


def _begin(asked: ChangeRequested, told: ToldFeature, at: Settled) -> ArtifactSnapshot:
    owned = OwnedFeature(is_own=True)
    feature = blank(asked.artifact_id, "feature", told.title or "", at, [])
    return feature.model_copy(update={"feature": _describe(owned, [])})


def _merge(owned: OwnedFeature, told: ToldFeature, asked: ChangeRequested) -> OwnedFeature:
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
    return owned.model_copy(update=said | {"is_deleted": asked.op == "delete"})


def _describe(owned: OwnedFeature, sections: list[Section]) -> FeatureFields:
    """What follows from the words of a person's own feature."""
    said = (statement for section in sections for statement in section.statements)
    return FeatureFields(
        atom_ids=sorted({it.atom_id for section in said for it in section.citations}),
        priority="should",
        priority_score=URGENCY["should"],
        effort_points=NOT_ESTIMATED,
        owned=owned,
    )
