"""A damaged file of the intake is set aside, and what it held is read from the log again."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from connectors.intake.source_status import SourceStatuses
from infra.platform.errors import Unavailable
from schemas.codec import decode
from tests.connectors.intake.worlds import Record, World
from tests.connectors.webhooks.senders import Sent, from_github

REPOSITORY = {"full_name": "acme/shop", "default_branch": "main"}


def a_comment(action: str, number: int, delivery: str) -> Sent:
    comment = {
        "id": number,
        "user": {"login": "ada", "type": "User"},
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T10:00:00Z",
        "body": f"The export must be resumable ({number}).",
        "issue_url": "https://api.github.com/repos/acme/shop/issues/12",
    }
    told = {
        "action": action,
        "issue": {"number": 12, "title": "The cart forgets items"},
        "comment": comment,
        "repository": REPOSITORY,
    }
    return from_github("issue_comment", told, delivery)


def damaged(path: Path, how: str) -> None:
    if how == "no file of SQLite's":
        path.write_bytes(b"\0" * 4096)
    elif how == "cut off":
        path.write_bytes(path.read_bytes()[:5000])
    elif how == "overwritten in the middle":
        content = bytearray(path.read_bytes())
        content[4096:8192] = b"\xff" * 4096
        path.write_bytes(bytes(content))
    else:
        path.unlink()
        with sqlite3.connect(path) as file:
            file.execute("CREATE TABLE told (something TEXT)")


@pytest.mark.parametrize(
    "how", ["no file of SQLite's", "cut off", "overwritten in the middle", "somebody else's"]
)
def test_a_damaged_file_is_set_aside_and_what_was_deleted_stays_so(tmp_path, how):
    path = tmp_path / "told.sqlite"
    world = World(tmp_path, statuses=SourceStatuses(path))
    late = a_comment("created", 7, "d-3")
    records = asyncio.run(
        world.received(a_comment("created", 7, "d-1"), a_comment("deleted", 7, "d-2"), late)
    )
    asyncio.run(take(world, records[:2]))
    world.statuses.close()
    damaged(path, how)

    world.statuses = SourceStatuses(path)
    assert world.statuses.set_aside
    assert world.statuses.set_aside.exists()
    assert not world.statuses.is_whole
    asyncio.run(take(world, records[2:], again=records[:2]))
    assert world.texts == []
    world.statuses.close()

    after = SourceStatuses(path)
    assert (after.set_aside, after.is_whole) == (None, True)
    after.close()


def test_what_is_not_taken_yet_is_not_taken_for_told(tmp_path):
    path = tmp_path / "told.sqlite"
    world = World(tmp_path, statuses=SourceStatuses(path))
    records = asyncio.run(
        world.received(a_comment("created", 7, "d-1"), a_comment("created", 8, "d-2"))
    )
    asyncio.run(take(world, records[1:], again=records[:1]))
    assert len(world.texts) == 1  # of the first this world holds nothing: it was taken long ago
    assert "(8)" in world.texts[0]


def test_a_file_that_cannot_be_used_stops_the_intake_and_buries_no_delivery(tmp_path):
    (tmp_path / "told.sqlite").mkdir()
    with pytest.raises(Unavailable, match=r"told\.sqlite cannot be used"):
        SourceStatuses(tmp_path / "told.sqlite")
    world = World(tmp_path, statuses=SourceStatuses(tmp_path / "other.sqlite"))
    world.statuses.close()  # as a disk that is gone
    with pytest.raises(Unavailable, match=r"other\.sqlite cannot be used"):
        asyncio.run(world.taken(a_comment("created", 7, "d-1")))
    assert not world.dead


async def take(world: World, records: list[Record], again: list[Record] | None = None) -> None:
    """The records through a process just started, which knows ``again`` from its offset."""
    consumer = world.consumer()
    if not world.statuses.is_whole:
        for record in again or []:
            world.intake().recall(decode(record.value))
        world.statuses.mark_whole()
    for record in records:
        await consumer.process(record)
