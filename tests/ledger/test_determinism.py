"""The same facts give the same bytes in every process, and readers fold the same ledger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streams.ledger.turns.fold import LedgerView
from streams.ledger.writer import LEDGER
from streams.shell.store import open_tables
from streams.tables import MemoryTables
from tests.ledger.story import Story, facts_of, story
from tests.ledger.test_turns import both_lanes

HASH_OF_LOG = """
from hashlib import sha256
from tests.ledger.story import Story, facts_of, story
from tests.ledger.test_turns import both_lanes
told = story(*both_lanes("t1"), *both_lanes("t2"))
print(sha256(b"".join(told.bytes())).hexdigest())
"""


@pytest.mark.slow
def test_the_seed_of_the_interpreter_does_not_decide():
    hashes = {
        subprocess.run(
            [sys.executable, "-c", HASH_OF_LOG],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_a_store_on_disk_that_is_opened_again_decides_the_same(tmp_path: Path):
    facts = facts_of(*both_lanes("t1"), *both_lanes("t2"))
    quiet = Story().play(facts)
    told = Story()
    for at in range(0, len(facts), 5):
        tables = open_tables(tmp_path / "ledger.sqlite", {})
        told.state = LEDGER.open(tables)
        told.play(facts[at : at + 5])
        tables.commit({})
        tables.close()
    assert told.bytes() == quiet.bytes()


def test_a_reader_folds_the_same_ledger_as_the_writer_whatever_is_repeated():
    told = story(*both_lanes("t1"), *both_lanes("t2"))
    view = LedgerView(MemoryTables())
    accepted = [view.fold(record) for record in told.log for _ in range(2)]
    assert accepted.count(True) == len(told.log)
    assert dict(view.atoms) == dict(told.view.atoms)
    assert dict(view.evidence) == dict(told.view.evidence)
    assert dict(view.contradictions) == dict(told.view.contradictions)
    assert view.last_seq("prj_test") == len(told.log)


def test_the_figures_of_an_atom_are_those_of_its_rows():
    told = story(*both_lanes("t1"), *both_lanes("t2"))
    for atom in told.view.atoms.values():
        rows = told.view.evidence_of("prj_test", atom.atom_id)
        fresh = [row for row in rows if not row.stale]
        assert atom.evidence_count == len(rows)
        assert atom.stale_evidence_count == len(rows) - len(fresh)
        assert atom.direct_evidence_count == len(fresh)
        assert atom.source_count == len({row.source_id for row in fresh})


def test_a_gap_is_not_folded():
    told = story(*both_lanes("t1"))
    view = LedgerView(MemoryTables())
    assert not view.fold(told.log[1])
    assert view.fold(told.log[0])
    assert not view.fold(told.log[2])
