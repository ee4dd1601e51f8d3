"""After PostgreSQL is lost, log and master key give everything back: contents, keys and tables.

All of it without internet and without a container engine. At the end the log is damaged, too.
"""

from __future__ import annotations

import shutil

import pytest

from infra.vault import vault_of
from schemas.codec import decode
from schemas.events.source import SourceContentPart, SourceRevised
from tests.end_to_end.alone import can_reach_others, no_keys, only_loopback, plant_engines
from tests.end_to_end.damage import assert_damage_holds_nobody_back
from tests.end_to_end.looking import records
from tests.parcel import write_to
from tests.service import Service, service


@pytest.mark.broker
@pytest.mark.slow
def test_every_content_can_be_read_after_the_database_is_lost(tmp_path):
    folder = tmp_path / "parcel"
    write_to(folder)
    path, asked = plant_engines(tmp_path)
    with only_loopback() as is_alone, service(PATH=path, **no_keys()) as cairn:
        assert not (is_alone and can_reach_others())
        cairn.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        cairn.ingest(folder, "Parcel", "first")
        sums, contents = cairn.checksums("Parcel"), opened(cairn)
        assert len(contents) > 10

        cairn.down()
        shutil.rmtree(cairn.home / "postgres")
        cairn.up()

        assert opened(cairn) == contents
        assert cairn.checksums("Parcel") == sums
        (status,) = cairn.json("status")
        assert status["vault"] == []
        (folder / "docs" / "later.md").write_text("# Later\n\nParcels are weighed at the door.\n")
        cairn.ingest(folder, "Parcel", "second")
        assert len(key_ids(cairn)) == 1
        assert len(opened(cairn)) > len(contents)
        cairn.run("verify-log")
        assert_damage_holds_nobody_back(cairn, "Parcel", tmp_path / "behind")
        assert not asked.exists()


def opened(cairn: Service) -> list[bytes]:
    """Every content on the log, in clear."""
    vault = vault_of(cairn.settings_now())
    return sorted(vault.decrypt(event.key_id, event.content) for event in sealed(cairn))


def key_ids(cairn: Service) -> set[str]:
    return {event.key_id for event in sealed(cairn)}


def sealed(cairn: Service) -> list[SourceContentPart | SourceRevised]:
    events = [decode(value).event for _, value in records(cairn, "source.v1")]
    return [event for event in events if isinstance(event, SourceContentPart | SourceRevised)]
