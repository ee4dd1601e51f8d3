"""Counting a large project reads indexes, not its rows, and a rare filter reads what it shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import infra.postgres
from infra.evaluation.benches.console import fill_chunks
from infra.evaluation.benches.reads import PROJECT, fill
from projections.read.atoms import Atom, atoms
from projections.read.coverage import CHUNKS, coverage
from projections.read.page import Page
from projections.read.pipeline import count_pipeline
from projections.read.session import Conn
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
    with infra.postgres.connect(model.conninfo, autocommit=True) as connection:
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


def test_a_large_project_is_counted_and_filtered_without_reading_all_of_it(filled: Conn):
    assert count_atoms_read(filled, lambda: count_pipeline(filled, PROJECT)) == 0
    assert count_atoms_read(filled, lambda: coverage(filled, PROJECT)) == 0
    assert guess_groups(filled) < MANY / 4  # else all chunks are sorted

    def ask_rarely() -> Page[Atom]:
        return atoms(filled, PROJECT, kind="requirement", status="superseded", area="security")

    shown = len(ask_rarely().items)
    assert 0 < shown < 20
    assert count_atoms_read(filled, ask_rarely) <= shown
