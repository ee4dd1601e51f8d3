"""A record that stands where its fact does not belong is a dead letter of whoever reads it."""

import asyncio
from pathlib import Path

import pytest

from infra.platform.kafka import partition_of
from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import Envelope
from schemas.events.dlq import DeadLetter
from schemas.topics import key_of
from tests.shell.harness import (
    at_work,
    eventually,
    facts_of,
    facts_until,
    names_of,
    publish,
    put,
    records_of,
    until_committed,
)
from tests.shell.stages import a_fact
from tests.shell.test_writers import OUTPUT, facts, until_answered

pytestmark = pytest.mark.broker


async def letters_until(settings: Settings, count: int) -> set[tuple[str, str, str, str]]:
    """Who gave up what of which topic, and why, once there are ``count`` dead letters."""
    letters = [fact.event for fact in await facts_until(settings, "dlq.v1", count)]
    assert len(letters) == count
    return {
        (each.stage, each.origin_topic, each.error_class, each.error)
        for each in letters
        if isinstance(each, DeadLetter)
    }


def beside(fact: Envelope, settings: Settings) -> int:
    """A partition that is not the fact's."""
    return (partition_of(key_of(fact).encode(), settings.partitions) + 1) % settings.partitions


def test_copies_elsewhere_and_under_another_key_are_answered_by_no_stage(fresh: Settings) -> None:
    async def scenario() -> None:
        asked = facts(5)
        await publish(fresh, *asked)
        elsewhere, other_key = asked[0], a_fact("smuggled", "prj_1")
        home = partition_of(b"prj_0", fresh.partitions)
        right = partition_of(b"prj_0", fresh.partitions)
        await put(fresh, elsewhere, key="prj_0", partition=beside(elsewhere, fresh))
        await put(fresh, other_key, key="prj_0", partition=right)
        async with at_work(fresh, "echo", "counting"):
            await until_answered(fresh, asked)
            for stage in ("echo", "counting"):
                await until_committed(fresh, stage, "project.v1")
            found = await letters_until(fresh, 4)
        assert found == {
            (stage, "project.v1", "Misplaced", why)
            for stage in ("echo", "counting")
            for why in (f"its key belongs in partition {home}", "the key should be prj_1")
        }
        results = await facts_of(fresh, "atom.candidate.v1")
        assert names_of(results) == [f"n{i}" for i in range(5)]

    asyncio.run(scenario())


def test_a_change_set_that_was_copied_elsewhere_starts_no_second_ledger(fresh: Settings) -> None:
    async def scenario() -> None:
        first, second = facts(10), facts(5, first=10)
        await publish(fresh, *first)
        async with at_work(fresh, "counting"):
            await until_answered(fresh, first)
        written = [decode(record.value) for record in await records_of(fresh, OUTPUT)]
        [one] = [fact for fact in written if fact.project_id == "prj_0"][:1]
        [other] = [fact for fact in written if fact.project_id == "prj_1"][:1]
        home = partition_of(b"prj_0", fresh.partitions)
        await put(fresh, one, key="prj_0", partition=beside(one, fresh))
        await put(fresh, other, key="prj_0", partition=home)
        for store in (Path(fresh.home) / "state" / "counting").glob("*.sqlite"):
            store.unlink()
        async with at_work(fresh, "counting"):
            await publish(fresh, *second)
            asked = {str(fact.event_id) for fact in first + second}

            async def well_placed() -> list[Envelope]:
                return [
                    fact
                    for record in await records_of(fresh, OUTPUT)
                    if record.key == key_of(fact := decode(record.value)).encode()
                    and record.partition == partition_of(record.key, fresh.partitions)
                ]

            await eventually(
                well_placed,
                lambda found: asked == {each.event.caused_by_event_id for each in found},
            )
            ledgers = await well_placed()
            assert await letters_until(fresh, 2) == {
                ("counting", OUTPUT, "Misplaced", f"its key belongs in partition {home}"),
                ("counting", OUTPUT, "Misplaced", "the key should be prj_1"),
            }
        assert len(ledgers) == 30, "a ledger went on, none began anew"
        assert len(await records_of(fresh, OUTPUT)) == 32

    asyncio.run(scenario())
