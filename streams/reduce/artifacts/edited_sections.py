"""Sections that a person has edited: their lines stay, the other lines follow the ledger.

A line in a person's words is frozen. A line that rules or a model wrote keeps its place as long as
an atom behind it is live: when the atom changes the line is written anew, and when the last one is
withdrawn the line goes, as in a section that nobody has edited. What the ledger would add is a
suggestion, in which the person's lines stand where they are. Lines that the person took out, and
suggestions that they declined, are not suggested again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.events.artifact_sections import Citation, Section, Statement, Suggestion
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.texts.inputs import Withdrawn

Gone = Mapping[str, Withdrawn]
"""Atoms that are no longer live, by id."""


def keep_edited(before: Section | None, written: Section, gone: Gone) -> Section:
    """The section at this position: ``written`` as it is, unless a person has edited the section.

    ``written`` is the same section again when its input is as it was.
    """
    if before is None or before.state != EDITED:
        return written
    fresh = [] if written.state == EDITED else written.statements
    removed = {
        _follow(removed_atom_id, gone) or removed_atom_id
        for removed_atom_id in before.removed_atom_ids
    }
    lines = _update_lines(before.statements, fresh, gone)
    merged = _add_lines(lines, fresh, removed)
    section = before.model_copy(update={"removed_atom_ids": sorted(removed), "suggestion": None})
    if lines != before.statements:
        gap = "" if lines else written.gap
        section = replace_statements(section.model_copy(update={"gap": gap}), lines)
    if merged == lines:
        return section.model_copy(update={"input_hash": written.input_hash})
    suggestion = Suggestion(statements=merged, input_hash=written.input_hash)
    return section.model_copy(update={"suggestion": suggestion})


def list_removed_atoms(before: Section, statements: Sequence[Statement]) -> list[str]:
    """The atoms of lines that a person has taken out of the section, now or earlier."""
    gone = list_cited_atoms(
        statement for statement in before.statements if statement not in statements
    )
    return sorted({*before.removed_atom_ids, *gone} - list_cited_atoms(statements))


def answer_suggestion(section: Section, suggestion: Suggestion, *, accepts: bool) -> Section:
    """Take the suggestion over, or keep what is there and do not suggest these lines again.

    Once no line is a person's and none was taken out, the section is nobody's again.
    """
    answered = {"input_hash": suggestion.input_hash, "suggestion": None}
    if accepts:
        statements = suggestion.statements
        is_owned = section.removed_atom_ids or any(statement.written_by for statement in statements)
        free = {} if is_owned else {"state": "generated", "edited_by": None}
        return replace_statements(
            section.model_copy(update=answered | {"gap": ""} | free), statements
        )
    added = [
        statement for statement in suggestion.statements if statement not in section.statements
    ]
    declined = list_cited_atoms(added) - list_cited_atoms(section.statements)
    removed = sorted({*section.removed_atom_ids, *declined})
    return section.model_copy(update=answered | {"removed_atom_ids": removed})


def list_cited_atoms(statements: Iterable[Statement]) -> set[str]:
    return {citation.atom_id for statement in statements for citation in statement.citations}


def _update_lines(
    lines: Iterable[Statement], fresh: Sequence[Statement], gone: Gone
) -> list[Statement]:
    by_lead = {
        statement.citations[0].atom_id: statement for statement in fresh if statement.citations
    }
    revisions = {
        cited.atom_id: cited.atom_revision for statement in fresh for cited in statement.citations
    }
    updated: list[Statement] = []
    for line in lines:
        now = [_follow(citation.atom_id, gone) for citation in line.citations]
        anew = next((by_lead[one] for one in now if one in by_lead), None)
        if _is_as_it_was(line, revisions, gone):
            updated.append(line)
        elif line.written_by is None and anew is not None:
            if anew not in updated:
                updated.append(anew)
        elif (kept := _keep_citations(line, gone)) or line.written_by or line.artifact_ids:
            backed = [one for one in line.backed_by if one not in gone]
            updated.append(line.model_copy(update={"citations": kept, "backed_by": backed}))
    return updated


def _is_as_it_was(line: Statement, revisions: Mapping[str, int], gone: Gone) -> bool:
    return not any(
        citation.atom_id in gone
        or (
            line.written_by is None
            and revisions.get(citation.atom_id, citation.atom_revision) != citation.atom_revision
        )
        for citation in line.citations
    )


def _keep_citations(line: Statement, gone: Gone) -> list[Citation]:
    """The citations of live atoms, and of those that a merge put in the place of another."""
    kept: dict[str, Citation] = {}
    for citation in line.citations:
        if citation.atom_id not in gone:
            kept.setdefault(citation.atom_id, citation)
        elif (by := gone[citation.atom_id]).is_merged and by.successor:
            kept.setdefault(by.successor.atom_id, by.successor)
    return list(kept.values())


def _add_lines(
    lines: Sequence[Statement], fresh: Iterable[Statement], removed: set[str]
) -> list[Statement]:
    """The lines with those of ``fresh`` that tell something else, each behind the one that it
    follows there.
    """
    covered = removed | list_cited_atoms(lines)
    merged, at = list(lines), len(lines)
    for statement in fresh:
        if statement in merged:
            at = merged.index(statement) + 1
        elif statement.citations and statement.citations[0].atom_id not in covered:
            merged.insert(at, statement)
            at += 1
    return merged


def _follow(atom_id: str, gone: Gone) -> str:
    """The live atom in the place of this one; "" when there is none."""
    if atom_id not in gone:
        return atom_id
    successor = gone[atom_id].successor
    return successor.atom_id if successor else ""
