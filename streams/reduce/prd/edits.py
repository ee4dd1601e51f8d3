"""The sections of a PRD as a request wants them: a person's edit, or what the gate has revised.

A person may write what nothing supports: it is kept, without citations, and marked where it is
shown. What a person wrote is theirs from then on: no run and no gate overwrites it
(``edited_sections.py``), and what would be added is a suggestion for them to accept or decline.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.events.artifact_parts import ArtifactSnapshot, EditRefusal
from schemas.events.artifact_sections import ReviewFinding, Section, Statement
from schemas.events.change import ChangeRequested, EditedStatement, SectionEdit
from schemas.ids import derive_id
from streams.reduce.artifacts.edited_sections import answer_suggestion, list_removed_atoms
from streams.reduce.artifacts.items import MODEL
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.artifacts.validator import Lane, errors, validate
from streams.reduce.prd.owner_words import describe_statement
from streams.reduce.texts.inputs import Grounds


class RefusedEdit(Exception):
    """Why nothing changes."""

    def __init__(self, refusal: EditRefusal, findings: Sequence[ReviewFinding] = ()) -> None:
        super().__init__(refusal)
        self.refusal: EditRefusal = refusal
        self.findings = list(findings)


def apply_edits(
    prd: ArtifactSnapshot, request: ChangeRequested, grounds: Grounds, lane: Lane
) -> list[Section]:
    """The sections after the request. Raises RefusedEdit."""
    if request.artifact_id != prd.artifact_id or not prd.version:
        raise RefusedEdit("unknown_artifact")
    if request.expected_version != prd.version:
        raise RefusedEdit("stale_version")
    edits = {section.section_id: section for section in request.sections}
    if edits.keys() - {section.section_id for section in prd.sections}:
        raise RefusedEdit("unknown_section")
    sections = [
        _apply(section, edits[section.section_id], prd.artifact_id, request, grounds)
        if section.section_id in edits
        else section
        for section in prd.sections
    ]
    if sections == prd.sections:
        raise RefusedEdit("no_change")
    if request.editor_kind == "quality_gate":
        _check(sections, grounds, lane)
    return sections


def _apply(
    section: Section,
    edit: SectionEdit,
    artifact_id: str,
    request: ChangeRequested,
    grounds: Grounds,
) -> Section:
    if edit.action != "write":
        return _answer_suggestion(section, accepts=edit.action == "accept_suggestion")
    by_person = request.editor_kind == "person"
    if section.state == EDITED and not by_person:
        raise RefusedEdit("edited_by_person")
    known = {statement.text: statement for statement in section.statements}
    writer = request.editor if by_person else None
    statements = [
        known.get(statement.text)
        or write_statement(artifact_id, section.section_id, statement, grounds, writer)
        for statement in edit.statements
    ]
    if statements == section.statements:
        return section
    if by_person:
        fields = {
            "state": EDITED,
            "edited_by": request.editor,
            "gap": "",
            "removed_atom_ids": list_removed_atoms(section, statements),
        }
        section = section.model_copy(update=fields)
    elif request.model and any(statement.text not in known for statement in edit.statements):
        section = section.model_copy(update=name_model(request))
    return replace_statements(section, statements)


def name_model(request: ChangeRequested) -> dict[str, str | None]:
    """What says of a section that these are the words of the request's model."""
    return {
        "engine": MODEL,
        "model": request.model,
        "prompt_version": request.prompt_version,
    }


def _answer_suggestion(section: Section, *, accepts: bool) -> Section:
    if section.suggestion is None:
        raise RefusedEdit("no_suggestion")
    return answer_suggestion(section, section.suggestion, accepts=accepts)


def write_statement(
    artifact_id: str,
    section_id: str,
    edited: EditedStatement,
    grounds: Grounds,
    writer: str | None,
) -> Statement:
    cited = [citation.atom_id for citation in edited.citations]
    statement = Statement(
        statement_id=derive_id(
            "stm", artifact_id, section_id, edited.text, *cited, *edited.artifact_ids
        ),
        text=edited.text,
        citations=edited.citations,
        artifact_ids=edited.artifact_ids,
        confidence=0.0,
        written_by=writer,
    )
    return describe_statement(statement, grounds)


def _check(sections: Sequence[Section], grounds: Grounds, lane: Lane) -> None:
    machine_made = [section for section in sections if section.state != EDITED]
    if found := errors(validate(machine_made, grounds, lane)):
        raise RefusedEdit("not_valid", found)
