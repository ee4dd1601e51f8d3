"""A model's words for sections that rules have written: whether they may take the rules' place.

A model is given the atoms and artifacts that the rules chose for a section, so its words may cite
these and no others, and they are good only for the input that the section still has. What is
refused changes nothing: the words of the rules stay. What is taken stays as long as the input of
its section does, as the words of the rules would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.change import ChangeRequested, SectionEdit
from schemas.fingerprint import norm_text
from streams.reduce.artifacts.loop import RULES
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.artifacts.states import list_cited
from streams.reduce.artifacts.validator import Lane, errors, validate
from streams.reduce.prd.edits import RefusedEdit, name_model, write_statement
from streams.reduce.texts.inputs import Grounds

TOLD_APART = frozenset({"insight", "feature"})  # by what they say; the others by their titles


def draft(
    artifact_snapshot: ArtifactSnapshot | None,
    request: ChangeRequested,
    grounds: Grounds,
    lane: Lane,
    others: Iterable[ArtifactSnapshot] = (),
) -> ArtifactSnapshot:
    """The artifact with the model's sections. ``others`` are all items there are.

    Raises RefusedEdit.
    """
    if artifact_snapshot is None or not artifact_snapshot.version:
        raise RefusedEdit("unknown_artifact")
    sections = draft_sections(artifact_snapshot.sections, request, grounds, lane)
    drafted = artifact_snapshot.model_copy(update={"sections": sections})
    if _says_what_another_says(drafted, others):
        raise RefusedEdit("repeats_another")
    return drafted


def draft_sections(
    before: Sequence[Section], request: ChangeRequested, grounds: Grounds, lane: Lane
) -> list[Section]:
    """The sections with those of the request in the model's words. Raises RefusedEdit."""
    edits = {section.section_id: section for section in request.sections}
    if edits.keys() - {section.section_id for section in before}:
        raise RefusedEdit("unknown_section")
    sections = [
        _draft_section(section, edits[section.section_id], request, grounds)
        if section.section_id in edits
        else section
        for section in before
    ]
    if sections == list(before):
        raise RefusedEdit("no_change")
    written = [section for section in sections if section.section_id in edits]
    if found := [*_find_foreign(before, written), *errors(validate(written, grounds, lane))]:
        raise RefusedEdit("not_valid", found)
    return sections


def _draft_section(
    section: Section,
    edit: SectionEdit,
    request: ChangeRequested,
    grounds: Grounds,
) -> Section:
    if section.state == EDITED:
        raise RefusedEdit("edited_by_person")
    if section.input_hash != edit.input_hash:
        raise RefusedEdit("stale_input")
    statements = {
        one.statement_id: one
        for statement in edit.statements
        for one in [
            write_statement(request.artifact_id, section.section_id, statement, grounds, None)
        ]
    }
    if not statements:
        empty = ReviewFinding(code="empty_section", section_id=section.section_id, statement_id="")
        raise RefusedEdit("not_valid", [empty])
    worded = section.model_copy(update=name_model(request))
    return replace_statements(worded, list(statements.values()))


def _find_foreign(before: Sequence[Section], written: Iterable[Section]) -> list[ReviewFinding]:
    """The atoms and artifacts that the rules have not chosen for the section in which a model
    cites them.
    """
    atoms = {section.section_id: set(list_cited([section])) for section in before}
    artifacts = {
        section.section_id: {
            it for statement in section.statements for it in statement.artifact_ids
        }
        for section in before
    }
    return [
        ReviewFinding(
            code=code,
            section_id=section.section_id,
            statement_id=statement.statement_id,
            detail=cited,
        )
        for section in written
        for statement in section.statements
        for code, chosen, named in (
            ("unknown_atom", atoms, [citation.atom_id for citation in statement.citations]),
            ("unknown_artifact", artifacts, statement.artifact_ids),
        )
        for cited in named
        if cited not in chosen[section.section_id]
    ]


def _says_what_another_says(item: ArtifactSnapshot, others: Iterable[ArtifactSnapshot]) -> bool:
    """Whether the loop of the item's list would take it for a repeat of another item."""
    if item.artifact_type not in TOLD_APART:
        return False
    texts = [
        _text_of(artifact_snapshot)
        for artifact_snapshot in others
        if artifact_snapshot.artifact_type == item.artifact_type
        and artifact_snapshot.artifact_id != item.artifact_id
    ]
    return RULES.repeats(_text_of(item), [text for text in texts if text])


def _text_of(item: ArtifactSnapshot) -> str:
    return norm_text(
        "\n".join(statement.text for section in item.sections for statement in section.statements)
    )
