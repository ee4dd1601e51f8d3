"""The reviser by rule: it takes statements out of failing sections or changes their order.

It words nothing, because a rule cannot word a weak statement better than the rules that wrote it.
Repetitions go. What is sure comes before what is not and what is clear before what is vague, also
from what the section holds back; what is neither goes where nothing better takes its place among
those shown. A draft that is clear stays: that little is sure is for the gate to say, not for the
reviser to hide. Decided against: taking out all that is vague, which took a quarter of the
statements of real documents, some of them the only sure ones of their section.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schemas.events.artifact_quality import RemovalReason, RemovedStatement
from schemas.events.artifact_sections import Section, Statement
from streams.reduce.artifacts.items import MODEL
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.prd.gate import find_clear, find_repeats, is_evident
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import SHOWN

NO_GOOD = 3  # neither sure nor clear


def revise(
    sections: Sequence[Section], failing: Collection[str], grounds: Grounds
) -> list[Section]:
    """``sections`` with better ones in the place of ``failing``; all others as they are.

    So are those that a person has edited: they are theirs, and the writer would refuse the lot.
    """
    own = {section.section_id for section in sections if section.state == EDITED}
    failing = set(failing) - own
    statements = [
        statement
        for section in sections
        if section.section_id not in failing
        for statement in section.statements[:SHOWN]
    ]
    revised: list[Section] = []
    for section in sections:
        if section.section_id in failing:
            section = _revise_section(section, statements, grounds)
            statements += section.statements[:SHOWN]
        revised.append(section)
    return revised


def list_removals(before: Sequence[Section], after: Sequence[Section]) -> list[RemovedStatement]:
    """What the sections do not say any more, and why: the reasons are those of the revision."""
    said = [statement for section in after for statement in section.statements]
    removals: list[RemovedStatement] = []
    for old, new in zip(before, after, strict=True):
        kept = {statement.text for statement in new.statements}
        cited = {it.atom_id for statement in new.statements for it in statement.citations}
        for statement in old.statements:
            atom_ids = [citation.atom_id for citation in statement.citations]
            if statement.text not in kept and not cited.issuperset(atom_ids):
                reason = _find_reason(statement, new, said)
                removals.append(
                    RemovedStatement(
                        section_id=old.section_id,
                        text=statement.text,
                        atom_ids=atom_ids,
                        reason=reason,
                    )
                )
    return removals


def _find_reason(
    removed: Statement, section: Section, statements: Sequence[Statement]
) -> RemovalReason:
    if removed.statement_id in find_repeats([*statements, removed]):
        return "repeats_another"
    return "removed_by_model" if section.engine == MODEL else "draft_and_vague"


def _revise_section(section: Section, said: Sequence[Statement], grounds: Grounds) -> Section:
    """The section without what repeats ``said`` or is no good; it keeps one statement at least.

    Of what stays, those chosen to be shown keep their order, and so do the others.
    """
    best = _rank(section.statements, said, grounds) or section.statements[:1]
    shown = {one.statement_id for one in best[:SHOWN]}
    held = {one.statement_id for one in best[SHOWN:]}
    statements = [statement for statement in section.statements if statement.statement_id in shown]
    statements += [statement for statement in section.statements if statement.statement_id in held]
    return section if statements == section.statements else replace_statements(section, statements)


def _rank(
    statements: Sequence[Statement], said: Sequence[Statement], grounds: Grounds
) -> list[Statement]:
    """What may stay, best first: sure and clear, sure, clear, then what is only held back."""
    ranked = sorted(statements, key=lambda one: not is_evident(one, grounds))
    repeated, clear = find_repeats([*said, *ranked]), find_clear([*said, *ranked])

    def lacks(statement: Statement) -> int:
        return 2 * (not is_evident(statement, grounds)) + (statement.statement_id not in clear)

    left = sorted((one for one in ranked if one.statement_id not in repeated), key=lacks)
    good = [one for one in left if lacks(one) < NO_GOOD]
    return left if len(good) >= SHOWN else good
