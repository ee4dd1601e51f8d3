"""Edit sections of the PRD: each request is published, and the writer's answer is waited for.

Raises NotFound, Conflict or Invalid when the writer refuses (the code is its reason), and
Unavailable when nobody answers in time. The same key again is the same request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from infra.platform.errors import Conflict, Invalid, NotFound, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_for
from infra.service.foundation.publishing import draw_key, make_request, publish
from infra.service.planning.edited_sources import publish_edited_sources
from projections.read import artifacts, atoms, projects
from projections.read.artifacts import Artifact, Edit
from projections.read.session import Conn
from schemas.envelope import Envelope
from schemas.events.artifact_sections import Citation
from schemas.events.change import ChangeRequested, EditAction, EditedStatement, SectionEdit

ANSWERED_WITHIN_S = 30.0
UNANSWERED = "edit_unanswered"  # recorded, and done once somebody answers
LONGEST_TEXT = 100_000  # characters of a section
_MARK = re.compile(r"\[\[(atm_[0-9a-f]+)\]\]")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SHOWN = re.compile(r"\s*\((?:provisional|confirmed|uncited)\)\s*$")

# What the writer's reasons mean, by the kind of error that each one is.
REASONS: Mapping[str, tuple[type[Refusal], str]] = {
    "stale_version": (Conflict, "it is at version {version} by now, not at {expected_version}"),
    "unknown_artifact": (NotFound, "it is not there"),
    "unknown_section": (NotFound, "it has no such section"),
    "no_suggestion": (Conflict, "the section has no suggestion"),
    "not_valid": (Invalid, "what it should say is not supported by what it cites"),
    "edited_by_person": (Conflict, "a person has edited the section"),
    "no_change": (Conflict, "it says that already"),
    "stale_input": (Conflict, "it is made from other atoms by now"),
    "repeats_another": (Conflict, "another item says that already"),
    "no_solutions": (Invalid, "a task says how it will be done, and more than its title does"),
    "empty_text": (Invalid, "it would say nothing"),
    "unknown_feature": (NotFound, "the feature is not there"),
    "unknown_sprint": (NotFound, "the sprint is not there"),
    "closed": (Conflict, "it is closed; open it again first"),
    "undecidable": (Invalid, "the writer could not do it; the dead letters say why"),
}


@dataclass(frozen=True, slots=True)
class PrdEdit:
    """An edit of one section. ``text``: a statement a line, with ``[[atm_…]]`` behind it for each
    atom that it cites; None answers the section's suggestion by ``action``.

    ``expected_version`` is the one that the editor has seen; None: the present one.
    """

    project: str
    section_id: str
    text: str | None = None
    action: EditAction = "write"
    expected_version: int | None = None
    key: str = field(default_factory=draw_key)


async def edit_prd_section(settings: Settings, edit: PrdEdit, *, editor: str) -> Edit:
    """Write a section anew, or answer its suggestion; no later run overwrites what was written.

    What was written is read as a source: the sentences cite the atoms that came out of them, when
    the run that reads them has ended.
    """

    def read(tables: Conn) -> tuple[str, Artifact, list[EditedStatement]]:
        project_id = projects.find_project(tables, edit.project)
        prd = artifacts.read_only_artifact(tables, project_id, "prd")
        return project_id, prd, _read_statements(tables, project_id, prd, edit)

    project_id, prd, statements = await ask(settings, read)
    change = SectionEdit(section_id=edit.section_id, action=edit.action, statements=statements)
    version = prd.version if edit.expected_version is None else edit.expected_version
    event = ChangeRequested(
        artifact_id=prd.artifact_id, sections=[change], expected_version=version, editor=editor
    )
    done = await request_change(settings, make_request(event, project_id, editor, edit.key))
    if edit.action == "write":
        await publish_edited_sources(settings, project_id, done)
    return done


async def request_change(
    settings: Settings, fact: Envelope, *, what: str = "PRD", within_s: float = ANSWERED_WITHIN_S
) -> Edit:
    """Publish a request to change an artifact and wait for the answer. Raises what it refuses.

    What was answered before is not asked again.
    """
    find_answer = partial(artifacts.find_edit, request_event_id=str(fact.event_id))
    answer = await ask(settings, find_answer)
    if answer is None:
        await publish(settings, [fact])
        answer = await wait_for(settings, find_answer, timeout_s=within_s)
    if answer is None:
        raise Unavailable(
            f"The edit is recorded, but nobody has answered within {within_s:.0f} s.",
            code=UNANSWERED,
        )
    if answer.refusal:
        kind, reason = REASONS[answer.refusal]
        because = reason.format(version=answer.version, expected_version=answer.expected_version)
        raise kind(
            f"The {what} was not changed: {because}.",
            code=answer.refusal,
            detail={"edit": answer.model_dump(mode="json")},
        )
    return answer


def _read_statements(
    tables: Conn, project_id: str, prd: Artifact, edit: PrdEdit
) -> list[EditedStatement]:
    if edit.text is None:
        return []
    if len(edit.text) > LONGEST_TEXT:
        raise Invalid(f"A section has at most {LONGEST_TEXT:,} characters.", code="text_too_long")
    known = {
        statement.text: statement.citations
        for section in prd.sections
        if section.section_id == edit.section_id
        for statement in section.statements
    }
    lines = [line for line in edit.text.splitlines() if line.strip(" #-*")]
    parsed = [_parse(line) for line in lines if not line.lstrip().startswith("#")]
    revisions = find_revisions(tables, project_id, [one for _, ids in parsed for one in ids])
    return [
        EditedStatement(
            text=text,
            citations=[Citation(atom_id=one, atom_revision=revisions[one]) for one in ids]
            or [Citation(**one.model_dump(exclude={"places"})) for one in known.get(text, [])],
        )
        for text, ids in parsed
    ]


def _parse(line: str) -> tuple[str, list[str]]:
    """The statement of a line, and the atoms it cites."""
    bare = _BULLET.sub("", _MARK.sub("", line)).strip()
    return _SHOWN.sub("", bare), list(dict.fromkeys(_MARK.findall(line)))


def find_revisions(tables: Conn, project_id: str, atom_ids: Sequence[str]) -> dict[str, int]:
    found = atoms.read_revisions(tables, project_id, atom_ids)
    if missing := [one for one in atom_ids if one not in found]:
        raise NotFound(f"There is no atom {missing[0]} in this project.", code="unknown_atom")
    return found
