"""What is alike in all items that people make, change and delete: tasks, features and sprints.

What a person says of an item stands in every later plan; a deleted one does not come again.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.artifact_items import UserEditedFeature, UserEditedTask
from schemas.events.artifact_parts import ArtifactChange, ArtifactSnapshot
from schemas.events.artifact_plans import UserEditedSprint
from schemas.events.artifact_sections import Section
from schemas.events.change import ChangeRequested, SectionEdit
from schemas.ids import sha256_hex
from streams.reduce.artifacts.items import TITLES, Settled, is_withdrawn, withdraw
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.prd.edits import RefusedEdit, write_statement
from streams.reduce.texts.inputs import Grounds

DELETED = "A person has deleted it."
UserEdited = UserEditedTask | UserEditedFeature | UserEditedSprint


def is_deleted(item: ArtifactSnapshot | None) -> bool:
    """Whether a person has deleted an item of any type."""
    user_edited: UserEdited | None = getattr(item.own if item else None, "user_edited", None)
    return bool(user_edited and user_edited.is_deleted)


def withdraw_deleted(item: ArtifactSnapshot, at: Settled) -> ArtifactChange:
    return withdraw(item, at, why=DELETED)


def check_item(
    artifact_snapshot: ArtifactSnapshot | None, asked: ChangeRequested
) -> ArtifactSnapshot | None:
    """The item that the request is about; None: it makes one. Raises RefusedEdit."""
    if asked.op == "create":
        if artifact_snapshot is not None and (
            is_deleted(artifact_snapshot) or not is_withdrawn(artifact_snapshot)
        ):
            raise RefusedEdit("no_change")
        return None
    if (
        artifact_snapshot is None
        or artifact_snapshot.artifact_type != asked.changed_type
        or is_withdrawn(artifact_snapshot)
    ):
        raise RefusedEdit("unknown_artifact")
    if asked.expected_version != artifact_snapshot.version:
        raise RefusedEdit("stale_version")
    return artifact_snapshot


def write_sections(
    before: ArtifactSnapshot, asked: ChangeRequested, grounds: Grounds
) -> list[Section]:
    """The sections with the person's in their places, in the order of all items."""
    known = {section.section_id: section for section in before.sections}
    for edit in asked.sections:
        if edit.section_id not in TITLES:
            raise RefusedEdit("unknown_section")
        known[edit.section_id] = _write(known.get(edit.section_id), edit, asked, grounds)
    return sort_sections(known.values())


def sort_sections(sections: Iterable[Section]) -> list[Section]:
    """In the order of all items."""
    order = list(TITLES)
    return sorted(sections, key=lambda one: order.index(one.section_id))


def _write(
    section: Section | None, edit: SectionEdit, asked: ChangeRequested, grounds: Grounds
) -> Section:
    said = {statement.text: statement for statement in section.statements} if section else {}
    statements = [
        said.get(statement.text)
        or write_statement(asked.artifact_id, edit.section_id, statement, grounds, asked.editor)
        for statement in edit.statements
    ]
    if section and statements == section.statements:
        return section
    begun = section or Section(
        section_id=edit.section_id,
        title=TITLES[edit.section_id],
        state="edited",
        content_hash="",
        input_hash=sha256_hex(edit.section_id),
    )
    user_edited = {"state": EDITED, "edited_by": asked.editor, "gap": ""}
    return replace_statements(begun.model_copy(update=user_edited), statements)
