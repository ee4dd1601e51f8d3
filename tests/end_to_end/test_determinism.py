"""The same input gives the same tables, whatever the partition count and the number of workers."""

import pytest

from tests.service import service

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def test_other_partitions_and_two_workers_end_in_equal_checksums(backbone):
    with service(partitions=5, workers=2) as other:
        other.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        other.ingest(backbone.folder, "Parcel", "first")
        assert other.checksums("Parcel") == backbone.cairn.checksums("Parcel")
