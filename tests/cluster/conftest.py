"""Three brokers and a database, started once for a file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.brokers import Brokers
from tests.cluster.clustered import cluster
from tests.cluster.database import Database, binaries


@pytest.fixture(scope="module")
def parts() -> Iterator[tuple[Brokers, Database, Path]]:
    if binaries() is None:
        pytest.skip("no PostgreSQL of the distribution is installed (Debian: postgresql)")
    with cluster() as started:
        yield started
