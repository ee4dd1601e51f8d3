"""Counting a large project reads indexes, not its rows, and a rare filter reads what it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from infra.measure.benches.console import fill_chunks
from infra.measure.benches.reads import PROJECT, fill
from infra.platform import postgres
from projections.read.atoms import Atom, list_atoms
from projections.read.coverage import CHUNKS, read_coverage
from projections.read.page import Page
from projections.read.pipeline import count_pipeline
from projections.read.search import Filters, search_ledger
from projections.read.search_atoms import MOST_RANKED
from projections.read.session import Conn
from schemas.events.ledger import AtomStatus
from tests.projections.conftest import ReadModel

MANY = 3_000
ROWS_READ = """
    SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
    WHERE schemaname = current_schema AND relname = 'ledger_atoms'
"""


@pytest.fixture
def filled(model: ReadModel) -> Conn:
    fill(model.conninfo, MANY)
    fill_chunks(model.conninfo, MANY)
    with postgres.connect(model.conninfo, autocommit=True) as connection:
        connection.execute("VACUUM (FREEZE, ANALYZE)")
    return model.connection


def count_atoms_read(connection: Conn, question: Callable[[], object]) -> int:
    """What the session has counted of earlier transactions may still be in its counter."""

    def read_counter() -> int:
        (read,) = connection.execute(ROWS_READ.encode()).fetchone() or (0,)
        return int(read)

    with connection.transaction():
        before = read_counter()
        question()
        return read_counter() - before


def guess_groups(connection: Conn) -> int:
    """How many groups of chunks PostgreSQL expects."""
    asked = f"EXPLAIN (FORMAT JSON) {CHUNKS}".encode()
    (plans,) = connection.execute(asked, (PROJECT,)).fetchone() or ([],)
    return int(plans[0]["Plan"]["Plan Rows"])


def atoms_holding(connection: Conn, word: str) -> set[str]:
    query = """SELECT atom_id FROM ledger_atoms WHERE search @@ %(word)s::tsquery
        UNION SELECT atom_id FROM ledger_evidence WHERE search @@ %(word)s::tsquery"""
    return {row[0] for row in connection.execute(query.encode(), {"word": word})}


def test_a_search_behind_a_filter_that_lets_much_through_finds_rare_words(filled: Conn):
    assert MANY > MOST_RANKED
    everything = Filters(statuses=get_args(AtomStatus))
    held = {word: atoms_holding(filled, word) for word in map("w{}".format, range(4000, 4100))}
    rare, holding = next((word, those) for word, those in held.items() if 2 < len(those) < 9)
    found = search_ledger(filled, PROJECT, f"w0 {rare}", everything).hits
    assert {hit.atom_id for hit in found} == holding
    both = atoms_holding(filled, "'w0' & 'w1'")
    common = search_ledger(filled, PROJECT, "w0 w1", everything).hits
    assert len(common) == 10
    assert {hit.atom_id for hit in common} <= both


def test_a_large_project_is_counted_and_filtered_without_reading_all_of_it(filled: Conn):
    assert count_atoms_read(filled, lambda: count_pipeline(filled, PROJECT)) == 0
    assert count_atoms_read(filled, lambda: read_coverage(filled, PROJECT)) == 0
    assert guess_groups(filled) < MANY / 4  # else all chunks are sorted

    def ask_rarely() -> Page[Atom]:
        return list_atoms(filled, PROJECT, kind="requirement", status="superseded", area="security")

    shown = len(ask_rarely().items)
    assert 0 < shown < 20
    assert count_atoms_read(filled, ask_rarely) <= shown
