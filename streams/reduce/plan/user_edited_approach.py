"""The approach of a task that a person has made without one: what the ledger says of how.

It is told by decisions, requirements and claims that speak of the task, each cited; where there is
none, by an open question. When what it cites is withdrawn, the line goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from schemas.events.artifact_sections import Section, Statement
from schemas.events.change import EditedStatement
from schemas.events.ledger import LIVE, AtomRecord
from schemas.ids import sha256_hex
from schemas.worth import worth
from streams.reduce.artifacts.items import TITLES
from streams.reduce.artifacts.section_text import replace_statements
from streams.reduce.prd.edits import write_statement
from streams.reduce.texts.approach import adds_to_title, words_of
from streams.reduce.texts.inputs import Grounds, Pick
from streams.reduce.texts.means import OPEN_FOR_PERSON
from streams.reduce.texts.wording import statement_of

MAX_STEPS = 3
SHARED = 2  # words that an approach has in common with the task
_KINDS = ("decision", "requirement", "claim")
_SOLUTIONS = "solutions"


def find_approach(task_id: str, title: str, grounds: Grounds, editor: str) -> Section:
    """The section of the approach, for a task of this title."""
    picks = [Pick(atoms=[one]) for one in _find_telling(title, grounds)]
    statements = [statement_of(task_id, _SOLUTIONS, pick) for pick in picks]
    said = [statement for statement in statements if statement] or [_leave_open(task_id, editor)]
    section = Section(
        section_id=_SOLUTIONS,
        title=TITLES[_SOLUTIONS],
        state="generated",
        content_hash="",
        input_hash=sha256_hex(
            "\n".join([_SOLUTIONS, *(statement.statement_id for statement in said)])
        ),
    )
    return replace_statements(section, said)


def drop_withdrawn(
    task_id: str, sections: Sequence[Section], withdrawn: Collection[str], editor: str
) -> list[Section]:
    """The sections without the lines of an approach whose atoms are not live any more."""
    return [
        _drop(task_id, section, withdrawn, editor)
        if section.section_id == _SOLUTIONS and section.state == "generated"
        else section
        for section in sections
    ]


def _drop(task_id: str, section: Section, withdrawn: Collection[str], editor: str) -> Section:
    left = [
        statement
        for statement in section.statements
        if not any(it.atom_id in withdrawn for it in statement.citations)
    ]
    if left == section.statements:
        return section
    return replace_statements(section, left or [_leave_open(task_id, editor)])


def _leave_open(task_id: str, editor: str) -> Statement:
    """The person who has made the task has left it open."""
    open_one = EditedStatement(text=OPEN_FOR_PERSON)
    return write_statement(task_id, _SOLUTIONS, open_one, Grounds(()), editor)


def _find_telling(title: str, grounds: Grounds) -> list[AtomRecord]:
    """The atoms that speak of the task and say more than its title, the best first."""
    wanted = words_of(title)
    least = min(SHARED, len(wanted))
    ranked = [
        (
            -len(shared),
            _KINDS.index(atom_record.kind),
            -worth(atom_record),
            atom_record.atom_id,
            atom_record,
        )
        for atom_record in _usable(grounds)
        if len(shared := words_of(atom_record.statement) & wanted) >= least > 0
        and adds_to_title(atom_record.statement, title)
    ]
    return [one for *_, one in sorted(ranked, key=lambda it: it[:4])[:MAX_STEPS]]


def _usable(grounds: Grounds) -> Iterable[AtomRecord]:
    """Live atoms of the kinds that say how, and that no other contradicts."""
    for atom in grounds.atoms.values():
        fits = atom.kind in _KINDS and atom.status in LIVE and atom.ledger == "pkl"
        if fits and not grounds.contradictions_of([atom.atom_id]):
            yield atom
