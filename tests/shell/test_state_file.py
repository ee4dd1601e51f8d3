"""A file that fails is set aside and begun anew, whatever is broken in it; nothing loops."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from infra.platform.settings import Settings
from streams.shell.failures import StageStopped
from streams.shell.state_file import MAX_SET_ASIDE, StateFile
from streams.shell.store import SqliteTables
from tests.shell.damage import DAMAGES, PAGE, copied, noise

ROWS = 250
Content = tuple[dict[str, Any], dict[str, Any], dict[str, int]]
EMPTY: Content = ({}, {}, {})
HARMLESS = {"journals that are folders"}


def state_file(home: Path) -> StateFile:
    return StateFile(Settings(home=home, cache=home), "stage", 0, "cluster", "1")


def content(tables: SqliteTables) -> Content:
    """All that is in the store, read as stages read: by scans and by keys."""
    words, numbers = tables.table("words", str), tables.table("numbers", int)
    found = dict(words.with_prefix("")), {key: numbers[key] for key in numbers}
    return *found, tables.cursors()


def read_with_care(file: StateFile) -> Content:
    """As a worker does: what fails is set aside, and the next is tried. Ends, or is stopped."""
    while True:
        tables = file.open()
        try:
            return content(tables)
        except sqlite3.Error as error:
            file.set_aside(error)
        finally:
            tables.close()


def filled(home: Path, rows: int = ROWS) -> StateFile:
    file = state_file(home)
    tables = file.open()
    words, numbers = tables.table("words", str), tables.table("numbers", int)
    words.update(
        {f"prj|{number:04}": Random(number).randbytes(600).hex() for number in range(rows)}
    )
    numbers.update({f"prj|{number:04}": number for number in range(rows)})
    tables.commit({"topic": 5})
    tables.close()
    return file


@pytest.fixture
def clean(tmp_path: Path) -> tuple[StateFile, Content]:
    file = filled(tmp_path / "clean")
    return file, read_with_care(file)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_read_whole_or_begun_anew(
    clean: tuple[StateFile, Content], tmp_path: Path, damage: str
) -> None:
    DAMAGES[damage](clean[0].path)
    found = read_with_care(clean[0])
    assert found in (clean[1], EMPTY)
    assert found == EMPTY or damage in ("journals that are folders", "a journal of noise")
    tables = clean[0].open()
    tables.table("words", str)["again"] = "written"
    tables.commit({"topic": 6})
    tables.close()
    after = read_with_care(state_file(tmp_path / "clean"))
    assert after[0]["again"] == "written" and after[2] == {"topic": 6}


@pytest.mark.parametrize("how", ["noise", "zeros", "another page"])
def test_no_page_can_be_broken_so_that_something_else_is_read(
    clean: tuple[StateFile, Content], tmp_path: Path, how: str
) -> None:
    held = clean[0].path.read_bytes()
    pages = len(held) // PAGE
    assert pages > 30
    for number in range(pages):
        damaged = state_file(tmp_path / str(number))
        copied(clean[0].path, damaged.path.parent)
        at = number * PAGE
        other = (number * 7 + 11) % pages * PAGE
        filled_with = {"noise": noise(PAGE), "zeros": bytes(PAGE)}.get(
            how, held[other : other + PAGE]
        )
        damaged.path.write_bytes(held[:at] + filled_with + held[at + PAGE :])
        assert read_with_care(damaged) in (clean[1], EMPTY), number


def test_no_byte_can_be_changed_so_that_something_else_is_read(
    clean: tuple[StateFile, Content], tmp_path: Path
) -> None:
    held = clean[0].path.read_bytes()
    for at in range(0, len(held), 2_003):
        damaged = state_file(tmp_path / str(at))
        copied(clean[0].path, damaged.path.parent)
        damaged.path.write_bytes(held[:at] + bytes([held[at] ^ 0x41]) + held[at + 1 :])
        assert read_with_care(damaged) in (clean[1], EMPTY), at


def test_what_was_set_aside_is_kept_once(clean: tuple[StateFile, Content]) -> None:
    file, _ = clean
    for damage in ("a folder", "no database", "a folder"):
        if damage == "a folder" or not file.path.exists():
            file.open().close()
        DAMAGES[damage](file.path)
        file.open().close()
    aside = sorted(each.name for each in file.path.parent.iterdir())
    assert aside == ["0.sqlite", "0.sqlite.damaged"]
    assert (file.path.parent / "0.sqlite.damaged").is_dir()


def test_a_file_that_fails_again_and_again_stops_the_stage(
    clean: tuple[StateFile, Content],
) -> None:
    file, _ = clean
    for _ in range(MAX_SET_ASIDE):
        file.set_aside(sqlite3.OperationalError("disk I/O error"))
        file.open().close()
    with pytest.raises(StageStopped, match=r"0\.sqlite was folded anew 3 times.*disk I/O error"):
        file.set_aside(sqlite3.OperationalError("disk I/O error"))


@pytest.fixture
def foreign_lock(clean: tuple[StateFile, Content]) -> Iterator[None]:
    """Somebody has opened the file with a tool and writes."""
    stranger = sqlite3.connect(clean[0].path)
    stranger.execute("BEGIN EXCLUSIVE")
    stranger.execute("DELETE FROM cursor")
    yield
    stranger.commit()
    stranger.close()


@pytest.mark.usefixtures("foreign_lock")
def test_a_file_that_a_stranger_has_locked_is_left_to_him(
    clean: tuple[StateFile, Content],
) -> None:
    assert read_with_care(clean[0]) == EMPTY


def test_a_stranger_cannot_write_while_it_is_open(clean: tuple[StateFile, Content]) -> None:
    tables = clean[0].open()
    stranger = sqlite3.connect(clean[0].path, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        stranger.execute("DELETE FROM cursor")
    stranger.close()
    assert content(tables) == clean[1]
    tables.close()


def test_a_full_disk_is_an_outage_and_loses_nothing(clean: tuple[StateFile, Content]) -> None:
    file, before = clean
    tables = file.open()
    words = tables.table("words", str)
    used = tables._database.execute("PRAGMA page_count").fetchone()[0]
    tables._database.execute(f"PRAGMA max_page_count={used}")  # how SQLite itself is made full
    words.update({f"more {number}": "x" * 4_000 for number in range(100)})
    with pytest.raises(sqlite3.OperationalError, match="full") as full:
        tables.commit({"topic": 9})
    with pytest.raises(StageStopped, match=r"The disk of the state file .* is full.*make room"):
        file.set_aside(full.value)
    tables.close()
    assert read_with_care(state_file(file.path.parents[2])) == before


@pytest.mark.parametrize("folder", ["missing", "read-only", "a file"])
def test_a_folder_that_cannot_be_used_is_said_in_a_sentence(folder: str) -> None:
    """As a user without rights on it; a child, since this process may be root."""
    with tempfile.TemporaryDirectory(prefix="cairn-test-") as home:
        state = Path(home, "state", "stage")
        match folder:
            case "missing":
                os.chmod(home, 0o555)
            case "read-only":
                state.mkdir(parents=True)
                os.chmod(state, 0o555)
                os.chmod(home, 0o755)
            case _:
                os.chmod(home, 0o755)
                state.parent.mkdir()
                state.write_text("no folder")
        assert _said_without_rights(Path(home)).startswith("The state file ")
        os.chmod(home, 0o755)


def _said_without_rights(home: Path) -> str:
    """The sentence with which the stage stops."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        said = "no sentence"
        try:
            if os.geteuid() == 0:
                os.setuid(65_534)
            state_file(home).open()
        except StageStopped as error:
            said = str(error)
        except BaseException as error:
            said = repr(error)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        return told.read()
