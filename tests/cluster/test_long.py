"""The long form: each broker is killed in turn, over the whole small project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.brokers import Brokers
from tests.cluster.clustered import check, documents
from tests.cluster.database import Database

ROUNDS = 4

pytestmark = [
    pytest.mark.broker,
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.timeout(3_000),
]


def test_brokers_killed_in_turn_change_nothing(
    parts: tuple[Brokers, Database, Path], tmp_path: Path
) -> None:
    check(*parts, documents(tmp_path / "parcel", None), ROUNDS)
