"""Two versions of a document beside each other, and what stood at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from infra.platform.errors import NotFound
from projections.read.artifact_list import WholeVersion, list_artifacts, read_version
from projections.read.artifacts import CitingSection, CitingStatement
from projections.read.ledger_position import LedgerPosition
from projections.read.page import take
from projections.read.past import PastContradiction, list_past_contradictions, read_past_version
from projections.read.past_coverage import PastCoverage, read_coverage_as_of
from projections.read.session import Conn


@dataclass(slots=True)
class SectionDifference:
    """``changed``: the same statement before and after, with other words or other citations."""

    section_id: str
    title: str
    came: list[CitingStatement] = field(default_factory=list)
    went: list[CitingStatement] = field(default_factory=list)
    changed: list[tuple[CitingStatement, CitingStatement]] = field(default_factory=list)
    kept: int = 0


@dataclass(frozen=True, slots=True)
class VersionDifference:
    before: WholeVersion
    after: WholeVersion
    sections: list[SectionDifference]


@dataclass(frozen=True, slots=True)
class Stood:
    """What there was after a change set; no PRD before its first version."""

    position: LedgerPosition
    coverage: PastCoverage
    prd: WholeVersion | None
    open_contradictions: list[PastContradiction]


def compare_versions(
    connection: Conn, project_id: str, artifact_id: str, before: int, after: int
) -> VersionDifference:
    """Statement by statement. Raises NotFound for what is no version."""
    old = read_version(connection, project_id, artifact_id, before)
    new = read_version(connection, project_id, artifact_id, after)
    return VersionDifference(old, new, compare_sections(old.sections, new.sections))


def compare_sections(
    before: Sequence[CitingSection], after: Sequence[CitingSection]
) -> list[SectionDifference]:
    """The sections of both in the order of the later one; those that are gone come last."""
    old = {each.section_id: each for each in before}
    new = {each.section_id: each for each in after}
    return [
        _compare(
            SectionDifference(section_id, (new.get(section_id) or old[section_id]).title),
            old[section_id].statements if section_id in old else [],
            new[section_id].statements if section_id in new else [],
        )
        for section_id in [*new, *(each for each in old if each not in new)]
    ]


def what_stood(
    connection: Conn, project_id: str, place: int | datetime, position: LedgerPosition
) -> Stood:
    """What a reader would have seen at a place; ``position`` is where the ledger was then."""
    seq = position.ledger_seq
    prd = None
    for each in list_artifacts(connection, project_id, artifact_type="prd", limit=1).items:
        with suppress(NotFound):  # it was not written yet
            prd = read_past_version(connection, project_id, each.artifact_id, place)
    disputes = take(partial(list_past_contradictions, connection, project_id, seq))
    return Stood(
        position,
        read_coverage_as_of(connection, project_id, seq),
        prd,
        list(disputes),
    )


def _compare(
    found: SectionDifference,
    before: Sequence[CitingStatement],
    after: Sequence[CitingStatement],
) -> SectionDifference:
    """Statements with the same words are one, then those with the same id."""
    left = list(before)
    rest: list[CitingStatement] = []
    for new in after:
        old = next((each for each in left if each.text == new.text), None)
        if old is None:
            rest.append(new)
            continue
        left.remove(old)
        if _cited(old) == _cited(new):
            found.kept += 1
        else:
            found.changed.append((old, new))
    for new in rest:
        old = next((each for each in left if each.statement_id == new.statement_id), None)
        if old is None:
            found.came.append(new)
        else:
            left.remove(old)
            found.changed.append((old, new))
    found.went = left
    return found


def _cited(statement: CitingStatement) -> set[tuple[str, int]]:
    return {(each.atom_id, each.atom_revision) for each in statement.citations}
