"""What is alike in all items that people make, change and delete: tasks, features and sprints.

What a person says of an item stands in every later plan; a deleted one does not come again.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.artifact_parts import (
    ArtifactChange,
    ArtifactSnapshot,
    OwnedFeature,
    OwnedSprint,
    OwnedTask,
    Section,
)
from schemas.events.change import ChangeRequested, SectionEdit
from schemas.ids import sha256_hex
from streams.reduce.artifacts.items import TITLES, Settled, is_withdrawn, withdraw
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.prd.edits import RefusedEdit, write_statement
from streams.reduce.texts.inputs import Grounds

DELETED = "A person has deleted it."
Owned = OwnedTask | OwnedFeature | OwnedSprint


def is_deleted(item: ArtifactSnapshot | None) -> bool:
    """Whether a person has deleted an item of any type."""
    owned: Owned | None = getattr(item.own if item else None, "owned", None)
    return bool(owned and owned.is_deleted)


def withdraw_deleted(item: ArtifactSnapshot, at: Settled) -> ArtifactChange:
    return withdraw(item, at, why=DELETED)


def check_item(known: ArtifactSnapshot | None, asked: ChangeRequested) -> ArtifactSnapshot | None:
    """The item that the request is about; None: it makes one. Raises RefusedEdit."""
    if asked.op == "create":
        if known is not None and (is_deleted(known) or not is_withdrawn(known)):
            raise RefusedEdit("nothing_changes")
        return None
    if known is None or known.artifact_type != asked.changed_type or is_withdrawn(known):
        raise RefusedEdit("unknown_artifact")
    if asked.expected_version != known.version:
        raise RefusedEdit("stale_version")
    return known


def write_sections(
    before: ArtifactSnapshot, asked: ChangeRequested, grounds: Grounds
) -> list[Section]:
    """The sections with the person's in their places, in the order of all items."""
    known = {one.section_id: one for one in before.sections}
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
    said = {one.text: one for one in section.statements} if section else {}
    statements = [
        said.get(one.text)
        or write_statement(asked.artifact_id, edit.section_id, one, grounds, asked.editor)
        for one in edit.statements
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
    owned = {"state": EDITED, "edited_by": asked.editor, "gap": ""}
    return replace_statements(begun.model_copy(update=owned), statements)
