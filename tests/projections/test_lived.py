"""A project that people and sources have changed for a while: its tables are what its log says."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from functools import cache, partial

import pytest

from projections.read.atoms import find_sequence_at, list_atoms_as_of
from projections.read.page import take
from schemas.events.ledger import LIVE, LedgerChanged
from streams.ledger.turns.fold import LedgerView
from streams.tables import MemoryTables
from tests.ledger.decisions import a_decision
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.whole.changing import Project, a_world, changed, files_of
from tests.whole.test_decisions import said
from tests.worlds import PROJECT

GATE = {
    "docs/gate.md": b"# Gate\n\nThe gate uses PostgreSQL as its database.\n\n"
    b"The gate must keep its records for ten years.\n\n"
    b"The **Gate** is the service that receives parcel events over HTTP.\n",
    "docs/notes.md": b"# Notes\n\nThe gate uses MySQL as its database.\n\n"
    b"The gate must keep its records for 10 years.\n",
}


@cache
def lived(seed: int) -> Project:
    """Three ingests of a changing world, people deciding after each."""
    chance = random.Random(seed)
    project, world = Project(), a_world(chance)
    for step in range(3):
        project.ingest(files_of(world) | GATE, accept_removals=True)
        for at in range(12):
            if event := a_decision(project.ledger, chance):
                project.given([said(event, f"{seed}|{step}|{at}")])
        world = changed(chance, world)
    return project


def stood(project: Project) -> dict[int, dict[str, tuple[str, float, int]]]:
    """What the log says of the live atoms after each change set, by its sequence."""
    view, found = LedgerView(MemoryTables()), {0: dict[str, tuple[str, float, int]]()}
    for record in project.driver.log.of("ledger.v1"):
        assert isinstance(record.envelope.event, LedgerChanged)
        view.fold(record)
        live = [atom for _, atom in view.atoms.items() if atom.status in LIVE]
        found[record.envelope.event.ledger_seq] = {
            atom.atom_id: (atom.status, atom.confidence, atom.revision) for atom in live
        }
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_ledger_as_of_any_change_set_is_what_stood_there(model: ReadModel, seed: int):
    project = lived(seed)
    model.fold(records_in(project.driver))
    assert any(each.turn is None for each in project.change_sets())  # a person's decision
    assert any(each.merge_ops for each in project.change_sets())
    for seq, atoms in stood(project).items():
        shown = {
            atom.atom_id: (atom.status, atom.confidence, atom.revision)
            for atom in take(partial(list_atoms_as_of, model.connection, PROJECT, seq))
        }
        assert shown == atoms


def test_a_time_between_two_change_sets_names_the_first(model: ReadModel):
    model.fold(records_in(lived(0).driver))
    times = model.rows("SELECT ledger_seq, recorded_at FROM ledger_change_sets ORDER BY 1")
    assert len(times) > 40
    for (seq, at), (_, later) in zip(times, times[1:], strict=False):
        middle = datetime.fromtimestamp((at.timestamp() + later.timestamp()) / 2, UTC)
        assert find_sequence_at(model.connection, PROJECT, at) == seq
        assert find_sequence_at(model.connection, PROJECT, middle) == seq


@pytest.mark.parametrize("seed", range(3))
def test_what_present_artifacts_depend_on_is_what_they_cite(model: ReadModel, seed: int):
    model.fold(records_in(lived(seed).driver))
    cited = model.rows(
        "SELECT DISTINCT c.artifact_id, c.section_id, c.atom_id, c.atom_revision"
        " FROM artifact_citations c JOIN artifacts a USING (artifact_id)"
        " WHERE c.version = a.version"
    )
    indexed = model.rows(
        "SELECT d.artifact_id, d.section_id, d.depends_on_id, d.revision"
        " FROM artifact_dependencies d JOIN artifacts a USING (artifact_id)"
        " WHERE d.version = a.version AND d.depends_on_type = 'atom'"
    )
    assert cited
    assert set(cited) == set(indexed)
    dead = model.rows(
        "SELECT i.number, l.status, l.title FROM artifact_citations c"
        " JOIN artifacts i USING (artifact_id) JOIN ledger_atoms l ON l.atom_id = c.atom_id"
        " WHERE c.version = i.version AND l.status NOT IN ('active', 'draft')"
    )
    assert dead == []
