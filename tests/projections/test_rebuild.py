"""A rebuild equals the live tables, and puts right what does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from infra.platform.errors import Refusal
from projections.apply import apply_batch
from projections.checkpoint import Record
from projections.core import CORE
from projections.log_reader import Offsets
from projections.rebuild import Comparison, rebuild_from
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, a_whole_story
from tests.projections.test_folding import projected


class LogInMemory:
    """Gives stretches of a list of records as the broker would; ``meanwhile`` happens after one."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records

    def meanwhile(self) -> None:
        return

    async def stretch(self, start: Offsets, end: Offsets) -> AsyncGenerator[Sequence[Record], None]:
        for record in self.records:
            place = (record.topic, record.partition)
            if start.get(place, 0) <= record.offset < end.get(place, 0):
                yield [record]
        self.meanwhile()


def rebuilt(model: ReadModel, log: LogInMemory, only: str | None = None) -> list[Comparison]:
    rebuilt = asyncio.run(rebuild_from(CORE, model.conninfo, log.stretch, PARTITIONS, only))
    return rebuilt.tables


def test_a_rebuild_equals_the_live_tables(model: ReadModel):
    records = projected(a_whole_story())
    live = model.fold(records).sums()
    found = rebuilt(model, LogInMemory(records))
    assert all(each.equal for each in found)
    assert {each.table for each in found} == set(live)
    assert model.sums() == live


def test_a_damaged_table_is_named_and_put_right(model: ReadModel):
    records = projected(a_whole_story())
    live = model.fold(records).sums()
    model.connection.execute("UPDATE ledger_atoms SET confidence = 0.1")
    model.connection.execute("DELETE FROM chunks")
    found = rebuilt(model, LogInMemory(records))
    assert [each.table for each in found if not each.equal] == ["chunks", "ledger_atoms"]
    assert model.sums() == live


def test_only_the_named_table_is_touched(model: ReadModel):
    records = projected(a_whole_story())
    model.fold(records)
    model.connection.execute("UPDATE ledger_atoms SET confidence = 0.1")
    model.connection.execute("DELETE FROM chunks")
    found = rebuilt(model, LogInMemory(records), "chunks")
    assert [(each.table, each.equal, each.rows) for each in found] == [("chunks", False, 3)]
    assert model.value("SELECT max(confidence) FROM ledger_atoms") == 0.1


def test_the_projector_goes_on_while_the_shadow_grows(model: ReadModel):
    records = projected(a_whole_story())
    early, late = records[:25], records[25:]
    model.fold(early)

    class Growing(LogInMemory):
        def meanwhile(self) -> None:
            if late:
                model.fold(late)
                late.clear()

    assert all(each.equal for each in rebuilt(model, Growing(records)))
    assert model.value("SELECT count(*) FROM prds") == 1


def test_the_projector_goes_on_after_a_rebuild(model: ReadModel):
    story = a_whole_story()
    records = projected(story)
    model.fold(records)
    model.connection.execute("DELETE FROM log_heads")
    rebuilt(model, LogInMemory(records))
    story.changed(story.project("a new cause"))
    apply_batch(CORE, model.connection, projected(story)[len(records) :], PARTITIONS)
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 5


def test_nothing_of_the_shadow_is_left(model: ReadModel):
    model.fold(projected(a_whole_story()))
    rebuilt(model, LogInMemory([]), "chunks")
    assert (
        model.value("SELECT count(*) FROM pg_namespace WHERE nspname = %s", CORE.rebuild_schema)
        == 0
    )


def test_an_unknown_projection_is_refused(model: ReadModel):
    with pytest.raises(Refusal, match="There is no projection nonsense"):
        rebuilt(model, LogInMemory([]), "nonsense")
