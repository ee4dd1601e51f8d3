"""The same input gives the same tables, whatever the partition count and the number of workers.

The short forms are `whole/test_faults.py`, in memory with three counts of partitions, and
`shell/test_writers.py` with two workers.
"""

import shutil

import pytest

from tests.service import service

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.long]


def test_other_partitions_and_two_workers_end_in_equal_checksums(backbone, tmp_path):
    """Names that hold a secret are left out: their digest depends on the installation's key."""
    folder = tmp_path / "parcel"
    shutil.copytree(backbone.folder, folder, ignore=shutil.ignore_patterns("ghp_*"))
    with service(partitions=5, workers=2) as other:
        for cairn in (backbone.cairn, other):
            cairn.run("project", "create", "Depot", "--idempotency-key", "depot")
            cairn.ingest(folder, "Depot", "depot")
        assert other.checksums("Depot") == backbone.cairn.checksums("Depot")
