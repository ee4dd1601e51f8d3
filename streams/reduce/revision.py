"""The reviser by rule: it takes statements out of failing sections or changes their order.

It words nothing, because a rule cannot word a weak statement better than the rules that wrote it.
What is vague, repeats another or does not stand alone goes; what is evident comes before what is
not, also from what the section holds back. A draft that is clear stays: that little is sure is for
the gate to say, not for the reviser to hide.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schemas.events.artifact_parts import Section, Statement
from streams.reduce.gate import find_clear, is_evident
from streams.reduce.inputs import Grounds
from streams.reduce.items import replace_statements
from streams.reduce.sections import SHOWN


def revise(
    sections: Sequence[Section], failing: Collection[str], grounds: Grounds
) -> list[Section]:
    """``sections`` with better ones in the place of ``failing``; all others as they are."""
    said = [
        statement
        for section in sections
        if section.section_id not in failing
        for statement in section.statements[:SHOWN]
    ]
    revised: list[Section] = []
    for section in sections:
        if section.section_id in failing:
            section = _revise_section(section, said, grounds)
            said += section.statements[:SHOWN]
        revised.append(section)
    return revised


def _revise_section(section: Section, said: Sequence[Statement], grounds: Grounds) -> Section:
    """The section without what repeats ``said`` or is not clear; it keeps one statement at least.

    Of what stays, those chosen to be shown keep their order, and so do the others.
    """
    ranked = sorted(section.statements, key=lambda one: not is_evident(one, grounds))
    clear = find_clear([*said, *ranked])
    kept = [one for one in ranked if one.statement_id in clear] or ranked[:1]
    shown = {one.statement_id for one in kept[:SHOWN]}
    held = {one.statement_id for one in kept[SHOWN:]}
    statements = [one for one in section.statements if one.statement_id in shown]
    statements += [one for one in section.statements if one.statement_id in held]
    return section if statements == section.statements else replace_statements(section, statements)
