"""What `check-cluster` tells of a database with TLS, whose owner is no superuser."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.platform import postgres
from infra.store.database_check import Told, check_database
from tests.certificates import Authority
from tests.cluster.database import Database, binaries
from tests.databases import MIGRATIONS

MOST_SECONDS_APART = 5.0

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parts() -> Iterator[tuple[Database, Path]]:
    if binaries() is None:
        pytest.skip("no PostgreSQL of the distribution is installed (Debian: postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    database = Database(folder, Authority(folder))
    try:
        database.start()
        yield database, folder
    finally:
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


def unfit(address: str) -> list[Told]:
    return [each for each in check_database(address, MOST_SECONDS_APART) if each[1] != "ok"]


def test_a_fit_database_is_told_fit_before_and_after_its_tables_are_made(
    parts: tuple[Database, Path],
) -> None:
    database, _ = parts
    assert unfit(database.address) == []
    with postgres.connect(database.address) as connection:
        query = "SELECT to_regnamespace('cairn') IS NULL"
        assert connection.execute(query).fetchone() == (True,)  # nothing was written
    assert postgres.migrate(database.address, MIGRATIONS)
    assert unfit(database.address) == []


def test_each_wrong_way_is_told_with_what_to_do(parts: tuple[Database, Path]) -> None:
    database, folder = parts
    address, trusted = database.address, f"&sslrootcert={folder / 'ca.pem'}"
    stranger = f"&sslrootcert={Authority(folder, 'stranger').file}"
    ways = {
        "no encryption": address.replace("verify-full", "disable"),
        "certificate verify failed": address.replace(trusted, stranger),
        'database "none" does not exist': address.replace("/cairn?", "/none?"),
    }
    for reason, wrong in ways.items():
        (told,) = unfit(wrong)
        assert told[:2] == ("database", "missing")
        assert reason in told[2] and "See CAIRN_DATABASE_URL" in told[2]
    (unchecked,) = unfit(address.replace("verify-full", "require").replace(trusted, ""))
    assert unchecked[:2] == ("database TLS", "warning")


def test_a_clock_that_is_apart_is_told(parts: tuple[Database, Path]) -> None:
    (told,) = [
        each
        for each in check_database(parts[0].address, most_seconds_apart=-1)
        if each[1] == "missing"
    ]
    assert told[0] == "database clock"
