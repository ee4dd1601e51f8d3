"""What a model answers, as a schema, and what its numbers stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.synthesis.order import CitedArtifact, Order
from schemas.events.artifact_sections import Citation, ReviewFinding, Section
from schemas.events.change import EditedStatement, SectionEdit
from schemas.events.ledger import AtomRecord
from schemas.ids import derive_id

MOST_STATEMENTS = 25
LONGEST_TEXT = 600  # characters of a statement
_MARKS = re.compile(r"\s*\[(?:\d+(?:\s*,\s*\d+)*|\[?atm_[0-9a-f]+\]?)\]")
_BULLET = re.compile(r"^(?:[-*+•]|\d+[.)])\s+")
_BRACKETS = re.compile(r"\[{2,}|\]{2,}")

_STATEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "atoms": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    },
    "required": ["text", "atoms"],
    "additionalProperties": False,
}


def schema_of(order: Order) -> dict[str, Any]:
    """The JSON Schema of the answer: a list of statements for each section."""
    statements = {"type": "array", "items": _STATEMENT, "maxItems": MOST_STATEMENTS}
    names = [section.section_id for section in order.sections]
    return {
        "type": "object",
        "properties": {name: statements for name in names},
        "required": names,
        "additionalProperties": False,
    }


def read_answer(order: Order, data: Any) -> tuple[list[SectionEdit], list[ReviewFinding]]:
    """The sections as the answer words them, and the numbers it names that there are not."""
    edits, findings = [], []
    for section in order.sections:
        allowed = set(order.numbers_of(section))
        section_statements = list(_read_statements(data, section))
        findings += [
            ReviewFinding(
                code="unknown_number",
                section_id=section.section_id,
                statement_id=derive_id("stm", order.artifact_id, section.section_id, text),
                detail=f"{number}: {text[:80]}",
            )
            for text, numbers in section_statements
            for number in numbers
            if number not in allowed
        ]
        statements = [_cite(order, text, numbers) for text, numbers in section_statements]
        edits.append(
            SectionEdit(
                section_id=section.section_id,
                statements=statements,
                input_hash=section.input_hash,
            )
        )
    return edits, findings


def clean(text: str) -> str:
    """One line without marks of citation or of a list: what is cited stands beside it."""
    bare = _BRACKETS.sub(lambda marks: marks.group()[0], _MARKS.sub("", " ".join(text.split())))
    return _BULLET.sub("", bare)[:LONGEST_TEXT].strip()


def _read_statements(data: Any, section: Section) -> Iterator[tuple[str, list[int]]]:
    for statement in data.get(section.section_id, ())[:MOST_STATEMENTS]:
        yield clean(statement["text"]), list(dict.fromkeys(statement["atoms"]))


def _cite(order: Order, text: str, numbers: list[int]) -> EditedStatement:
    numbered = order.numbered
    cited = [numbered[number] for number in numbers if number in numbered]
    atoms = [record for record in cited if isinstance(record, AtomRecord)]
    return EditedStatement(
        text=text,
        citations=[Citation(atom_id=atom.atom_id, atom_revision=atom.revision) for atom in atoms],
        artifact_ids=[record.artifact_id for record in cited if isinstance(record, CitedArtifact)],
    )
