"""A replay to the head differs in nothing; one to an earlier place names what came since."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from infra.platform.errors import Refusal
from projections.fold import PROJECTED_TOPICS
from projections.read.atoms import list_atoms_as_of, read_head
from projections.read.page import take
from projections.replay import SCHEMA, Difference, replay_from
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS
from tests.projections.parcel_log import records
from tests.projections.test_rebuild import LogInMemory
from tests.worlds import PROJECT

TOPICS = frozenset(PROJECTED_TOPICS)


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    return model.fold(records(TOPICS))


def replayed(ledger: ReadModel, seq: int) -> list[Difference]:
    log = LogInMemory(records(TOPICS))
    replayed = asyncio.run(replay_from(ledger.conninfo, log.stretch, PARTITIONS, PROJECT, seq))
    assert replayed.findings == []
    return replayed.differences


def test_at_its_head_the_ledger_is_what_the_log_says(ledger: ReadModel):
    assert replayed(ledger, read_head(ledger.connection, PROJECT)) == []


def test_a_table_that_was_tampered_with_is_found(ledger: ReadModel):
    ledger.connection.execute(
        "UPDATE ledger_atoms SET title = 'x' WHERE atom_id ="
        " (SELECT min(atom_id) FROM ledger_atoms)"
    )
    (found,) = replayed(ledger, read_head(ledger.connection, PROJECT))
    assert (found.table, found.since, found.columns) == ("ledger_atoms", "changed", ("title",))


def test_the_past_stands_in_a_schema_of_its_own(ledger: ReadModel):
    seq = read_head(ledger.connection, PROJECT) // 2
    came = {
        one.key
        for one in replayed(ledger, seq)
        if (one.table, one.since) == ("ledger_atoms", "came")
    }
    then = ledger.rows(f"SELECT atom_id FROM {SCHEMA}.ledger_atoms ORDER BY atom_id")
    past = take(partial(list_atoms_as_of, ledger.connection, PROJECT, seq, status="all"))
    assert [atom_id for (atom_id,) in then] == sorted(atom.atom_id for atom in past)
    now = {atom_id for (atom_id,) in ledger.rows("SELECT atom_id FROM ledger_atoms")}
    assert came == now - {atom_id for (atom_id,) in then}
    assert came


def test_a_sequence_that_is_not_there_is_refused_and_leaves_no_schema(ledger: ReadModel):
    with pytest.raises(Refusal, match="there is no sequence 999999"):
        replayed(ledger, 999_999)
    assert ledger.value(f"SELECT to_regnamespace('{SCHEMA}')") is None
