"""The stored tables against those in memory, and what becomes of a file that cannot be trusted."""

import asyncio
import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.ingestion import Counters
from streams.shell import stored_table
from streams.shell.failures import StageStopped
from streams.shell.store import SqliteTables, lock, open_tables
from streams.tables import MemoryTables

IDENTITY = {"cluster": "one", "stage": "counting"}
KEYS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS, st.integers(0, 9)),
        st.tuples(st.just("delete"), KEYS, st.just(0)),
        st.tuples(st.just("scan"), KEYS, st.just(0)),
        st.tuples(st.just("write"), st.just(""), st.just(0)),
        st.tuples(st.just("commit"), st.just(""), st.just(0)),
    ),
    max_size=30,
)


def counters(number: int) -> Counters:
    return Counters(tokens=number, cost_usd=number / 7)


@settings(max_examples=60)
@given(STEPS)
def test_stored_tables_behave_like_those_in_memory(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]]
) -> None:
    path = tmp_path_factory.mktemp("store") / "0.sqlite"
    tables = open_tables(path, IDENTITY)
    stored, model = tables.table("t", Counters), MemoryTables().table("t", Counters)
    for what, key, number in steps:
        match what:
            case "put":
                stored[key] = model[key] = counters(number)
            case "delete":
                assert stored.pop(key, None) == model.pop(key, None)
            case "scan":
                assert list(stored.with_prefix(key)) == list(model.with_prefix(key))
                assert (key in stored, stored.get(key)) == (key in model, model.get(key))
            case "commit":
                tables.commit({"topic": number})
        assert len(stored) == len(model)
    tables.commit({"topic": 7})
    tables.close()
    again = open_tables(path, IDENTITY)
    assert dict(again.table("t", Counters).items()) == dict(model.items())
    assert again.cursors() == {"topic": 7}
    again.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one entry, committed at offset 5."""
    path = tmp_path / "state" / "0.sqlite"
    tables = open_tables(path, IDENTITY)
    tables.table("numbers", int)["one"] = 1
    tables.commit({"topic": 5})
    tables.close()
    return path


def content(tables: SqliteTables) -> tuple[dict[str, Any], dict[str, int]]:
    found = dict(tables.table("numbers", int).items()), tables.cursors()
    tables.close()
    return found


def test_what_was_not_committed_is_gone_after_a_rollback_or_a_crash(path: Path) -> None:
    tables = open_tables(path, IDENTITY)
    numbers = tables.table("numbers", int)
    numbers["one"], numbers["two"] = 10, 20
    assert list(numbers) == ["one", "two"]
    tables.rollback()
    assert dict(tables.table("numbers", int).items()) == {"one": 1}
    tables.table("numbers", int)["one"] = 11
    tables.close()
    assert content(open_tables(path, IDENTITY)) == ({"one": 1}, {"topic": 5})


def test_a_file_of_another_installation_is_begun_anew(path: Path) -> None:
    assert content(open_tables(path, IDENTITY)) == ({"one": 1}, {"topic": 5})
    assert content(open_tables(path, IDENTITY | {"cluster": "two"})) == ({}, {})


def test_a_file_that_was_open_when_the_machine_went_down_is_begun_anew(path: Path) -> None:
    tables = open_tables(path, IDENTITY, boot="monday")
    tables.table("numbers", int)["two"] = 2
    tables.commit({"topic": 6})
    killed, gone_down = path.parents[1] / "killed", path.parents[1] / "gone down"
    for copy in (killed, gone_down):
        shutil.copytree(path.parent, copy)
    tables.close()
    whole = ({"one": 1, "two": 2}, {"topic": 6})
    assert content(open_tables(killed / path.name, IDENTITY, boot="monday")) == whole
    assert content(open_tables(gone_down / path.name, IDENTITY, boot="tuesday")) == ({}, {})
    assert content(open_tables(path, IDENTITY, boot="tuesday")) == whole


def test_a_scan_may_change_what_it_scans(path: Path) -> None:
    tables = open_tables(path, IDENTITY)
    numbers = tables.table("numbers", int)
    numbers.update({f"{i:03}": i for i in range(100)})
    for key, value in numbers.with_prefix("0"):
        if value % 2:
            del numbers[key]
    assert list(numbers.with_prefix("0")) == [(f"{i:03}", i) for i in range(0, 100, 2)]
    tables.close()


def test_the_cache_is_bounded_in_bytes_over_all_stores_and_forgets_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_table, "CACHE_BYTES", 100_000)
    monkeypatch.setattr(stored_table, "UNWRITTEN_BYTES", 30_000)
    opened = [open_tables(path.with_name(f"{number}.sqlite"), IDENTITY) for number in range(3)]
    tables: list[Any] = [each.table(name, str) for each in opened for name in ("one", "other")]
    for table in tables:
        table.update({f"{i:03}": f"{i} " * 500 for i in range(40)})
    for table in tables:
        assert [table[f"{i:03}"] for i in range(40)] == [f"{i} " * 500 for i in range(40)]
        assert "200" not in table and table.get("200") is None
    held = sum(len(value) for table in tables for value, _ in table._clean.values())
    assert 0 < held <= 100_000 // stored_table.VALUE_WEIGHT  # the bound is the point
    assert sum(table.cached_bytes for table in tables) <= 100_000
    for each in opened:
        each.close()
    assert not any(table.cached_bytes for table in tables)


def test_keys_that_are_too_many_to_know_are_asked_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_table, "KNOWN_KEYS", 100)
    tables = open_tables(path, IDENTITY)
    numbers: Any = tables.table("more", int)
    numbers.update({f"{i:03}": i for i in range(200)})
    assert [numbers[f"{i:03}"] for i in range(200)] == list(range(200))
    assert "200" not in numbers and numbers.get("200") is None
    assert numbers._known is None
    tables.close()


def test_keys_of_a_rollback_are_there_again_and_those_taken_back_are_not(path: Path) -> None:
    tables = open_tables(path, IDENTITY)
    tables.table("n", int).update({"kept": 1, "other": 2})
    tables.commit({})
    numbers = tables.table("n", int)
    del numbers["kept"]
    numbers["taken back"] = 3
    tables.rollback()
    for held in (numbers, tables.table("n", int)):
        assert "kept" in held and held.get("kept") == 1
        assert "taken back" not in held and held.get("taken back") is None
    tables.close()


def test_two_processes_never_share_a_store(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with lock(tmp_path / "0.lock"):
            with pytest.raises(StageStopped, match="Another process holds"):
                async with lock(tmp_path / "0.lock", patience_s=0):
                    pass
            waiting = asyncio.create_task(held_for_a_moment())
            await asyncio.sleep(0)
            assert not waiting.done()
        await waiting

    async def held_for_a_moment() -> None:
        async with lock(tmp_path / "0.lock", patience_s=60):
            pass

    with contextlib.closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(scenario())
