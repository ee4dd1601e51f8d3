"""Migrations run once, in order, whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from infra.platform import postgres
from infra.platform.errors import DatabaseUnavailable, MigrationRefused
from infra.platform.settings import Settings
from tests.databases import MIGRATIONS

pytestmark = pytest.mark.broker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_one.sql").write_text("CREATE TABLE one (n int); CREATE TABLE two (n int);")
    return tmp_path


def tables(settings: Settings) -> set[str]:
    with postgres.connect(settings.conninfo) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'cairn'")
        return {str(name) for (name,) in rows} - {"migrations"}


def test_every_file_is_applied_once(bare: Settings, folder: Path):
    assert postgres.migrate(bare.conninfo, folder) == ["0001_one.sql"]
    (folder / "0002_three.sql").write_text("CREATE TABLE three (n int)")
    assert postgres.migrate(bare.conninfo, folder) == ["0002_three.sql"]
    assert postgres.migrate(bare.conninfo, folder) == []
    assert tables(bare) == {"one", "two", "three"}


def test_a_failing_file_changes_nothing_and_is_named(bare: Settings, folder: Path):
    (folder / "0002_bad.sql").write_text("CREATE TABLE three (n int); CREATE TABLE one (n int)")
    with pytest.raises(MigrationRefused, match=r"0002_bad\.sql"):
        postgres.migrate(bare.conninfo, folder)
    assert tables(bare) == {"one", "two"}


def test_an_edited_file_is_refused(bare: Settings, folder: Path):
    postgres.migrate(bare.conninfo, folder)
    (folder / "0001_one.sql").write_text("CREATE TABLE other (n int)")
    with pytest.raises(MigrationRefused, match="was edited"):
        postgres.migrate(bare.conninfo, folder)


def test_two_runners_at_once_apply_each_file_once(bare: Settings, folder: Path):
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(postgres.migrate, bare.conninfo, folder) for _ in range(2)]
    assert sorted(len(run.result()) for run in runs) == [0, 1]


def test_the_vault_table_is_there_after_the_first_migration(bare: Settings, folder: Path):
    (folder / "0001_one.sql").write_text((MIGRATIONS / "0001_operational.sql").read_text())
    postgres.migrate(bare.conninfo, folder)
    with postgres.connect(bare.conninfo) as connection:
        assert connection.execute("SELECT count(*) FROM cairn.vault_keys").fetchone() == (0,)


def test_a_database_that_is_not_there_is_unavailable_and_a_refusal_stays_one(bare: Settings):
    import psycopg

    assert not postgres.answers("postgresql://cairn@127.0.0.1:1/cairn")
    with (
        pytest.raises(DatabaseUnavailable, match="does not answer"),
        postgres.connect(bare.conninfo) as connection,
    ):
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    with (
        pytest.raises(psycopg.errors.UndefinedTable),
        postgres.connect(bare.conninfo) as connection,
    ):
        connection.execute("SELECT * FROM nowhere")
