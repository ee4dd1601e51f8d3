"""Whose turn it is to be decided for: projects take turns, and keep their place while they wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from schemas.codec import encode
from streams.due import DueProjects
from streams.ledger.writer import LEDGER
from streams.reduce.writer import REDUCE
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Record, Writer
from streams.tables import MemoryTables
from tests.ledger.story import STARTED_AT, Chunk, a_run, facts_of, judged
from tests.reduce import ledgers
from tests.run_control import play

OTHER = "prj_zzz"  # the last by name, whatever the tests' own is called


def decided_for(writer: Writer[Any], inputs: Iterable[Record]) -> list[str]:
    """The projects of all decisions in their order, after the inputs of one and of another."""
    state = writer.open(MemoryTables())
    known = list(inputs)
    for record in (*known, *map(of_other, known)):
        writer.evolve(state, record)
    projects: list[str] = []
    while decision := writer.decide(state):
        marker = decision.commit_record.recorded(STARTED_AT)
        record = Record(writer.output, 0, len(projects), encode(marker), marker)
        projects.append(marker.project_id)
        writer.evolve(state, record)
    return projects


def of_other(record: Record) -> Record:
    return replace(record, envelope=replace(record.envelope, project_id=OTHER))


def in_turns(projects: list[str]) -> bool:
    return len(projects) >= 4 and all(a != b for a, b in zip(projects, projects[1:], strict=False))


def test_the_ledger_decides_for_projects_in_turn() -> None:
    chunks = [Chunk(name, [judged(f"Orders are kept by {name}")]) for name in ("a", "b", "c")]
    assert in_turns(decided_for(LEDGER, facts_of(a_run(*chunks))))


def test_run_control_decides_for_projects_in_turn() -> None:
    asked = play.Play().asked(play.a_source("README.md", tier=1), play.a_source("a.py"))
    inputs = [Record("t", 0, 0, play.NO_BYTES, envelope) for envelope in asked.inputs]
    assert in_turns(decided_for(RUN_CONTROL, inputs))


def test_artifacts_are_written_for_projects_in_turn() -> None:
    told = ledgers.Play().given(ledgers.ENOUGH[:3], commits=False)
    told.end_run()
    told.given(ledgers.ENOUGH[3:], commits=False)
    told.end_run()
    assert in_turns(decided_for(REDUCE, told.ledger))


def test_a_newcomer_stands_behind_whoever_waits_already() -> None:
    due = DueProjects({"b", "a"})
    turns = []
    for _ in range(5):
        project = due.first()
        assert project
        turns.append(project)
        due.had_its_turn(project)
        due.add("a")
        due.add("c")
    assert turns == ["a", "b", "a", "c", "b"], "c came when a was waiting again"


def test_who_has_nothing_to_decide_is_passed_over_until_it_is_added_again() -> None:
    due = DueProjects(["a", "b"])
    due.discard("a")
    due.discard("unknown")
    assert due.first() == "b"
    due.discard("b")
    assert due.first() is None
    due.add("a")
    assert due.first() == "a"
