"""A stage that has unread records and does nothing about them: seen, counted, ended."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from infra.platform import postgres
from infra.platform.log_positions import Reach
from infra.platform.settings import Settings, variable_of
from infra.runtime.local.process import wait_until
from infra.runtime.supervised import Child
from infra.runtime.supervisor import ready_file
from infra.runtime.watchdog import STALLED_EXIT, Place, Standing
from infra.service.upkeep.status import read_status
from tests.conftest import variables_of
from tests.shell.harness import PATIENCE_S, WorkerProcess, publish
from tests.shell.stages import a_fact

ONE, TWO = ("t", 0), ("t", 1)


@dataclass
class Reader:
    """What the look-out asks of a reader, as a test wants it."""

    group: str = "g"
    read: tuple[str, ...] = ("t",)
    here: set[Place] | None = field(default_factory=lambda: {ONE, TWO})
    done: int = 0

    def places(self) -> set[Place] | None:
        return self.here

    def worked(self) -> int:
        return self.done

    def next(self) -> None: ...


def looks(reader: Reader, *reached: Mapping[Place, Reach]) -> list[int]:
    standing, found = Standing(), []
    for each in reached:
        standing.look(reader, each)
        found.append(standing.looks)
    return found


BEHIND = {ONE: Reach(3, 9), TWO: Reach(5, 5)}
UP_TO_DATE = {ONE: Reach(9, 9), TWO: Reach(5, 5)}


def test_unread_records_that_do_not_move_count_until_something_moves() -> None:
    moved = {ONE: Reach(4, 9), TWO: Reach(5, 5)}
    more = {ONE: Reach(4, 12), TWO: Reach(5, 5)}
    assert looks(Reader(), BEHIND, BEHIND, BEHIND, moved, more) == [0, 1, 2, 0, 1]


def test_who_has_read_everything_does_not_stand_still() -> None:
    assert looks(Reader(), UP_TO_DATE, UP_TO_DATE) == [0, 0]


def test_what_another_process_reads_is_not_ours_but_during_a_rebalance_it_may_be() -> None:
    assert looks(Reader(here={TWO}), BEHIND, BEHIND) == [0, 0]
    assert looks(Reader(here=None), BEHIND, BEHIND) == [0, 1]


def test_work_that_leads_to_no_commit_yet_is_movement() -> None:
    reader, standing = Reader(), Standing()
    for _ in range(3):
        standing.look(reader, BEHIND)
        reader.done += 1
    assert standing.looks == 0


@pytest.mark.broker
@pytest.mark.slow
def test_a_stage_that_stands_still_is_shown_and_its_process_ends_itself(
    fresh: Settings, tmp_path: Path
) -> None:
    """Its loop is blocked and nothing was ever committed, as in a first ingest."""
    soon = fresh.model_copy(update={"stall_after_s": 10.0})
    with WorkerProcess(soon, "echo", name="one") as worker:
        assert wait_until((soon.home / "one.ready").exists, timeout_s=PATIENCE_S)
        asyncio.run(publish(soon, a_fact(f"wait for {tmp_path / 'for ever'}")))

        def shown() -> bool:
            [row] = [row for row in read_status(soon).lag if row["group"] == soon.group("echo")]
            return bool(row["lag"] == 1 and row["movement"].startswith("no movement for"))

        assert wait_until(shown, timeout_s=PATIENCE_S)
        assert worker.process.wait(PATIENCE_S) == STALLED_EXIT
    [row] = [row for row in read_status(soon).lag if row["group"] == soon.group("echo")]
    assert row["lag"] == 1 and row["movement"] == "no process here reads it"


@pytest.mark.parametrize(("code", "stalls"), [(STALLED_EXIT, 1), (1, 0)])
def test_the_supervisor_counts_who_stood_still(code: int, stalls: int) -> None:
    child = Child(
        "reader-1",
        start=lambda: subprocess.Popen(["sh", "-c", f"exit {code}"]),
        ready=lambda: False,
    )
    child.begin()
    assert child.process
    child.process.wait()
    child.look(lambda: None)
    assert child.row()["stalls"] == stalls


@pytest.mark.broker
@pytest.mark.slow
def test_a_projector_that_stands_still_ends_itself(fresh: Settings) -> None:
    """Somebody holds the table it has to write to."""
    soon = fresh.model_copy(update={"stall_after_s": 6.0})
    given = variables_of(soon) | {variable_of("stall_after_s"): str(soon.stall_after_s)}
    process = subprocess.Popen(
        [sys.executable, "-m", "infra.cli", "projector"],
        env=os.environ | given | {"CAIRN_PROCESS_NAME": "projector"},
    )
    try:
        assert wait_until(ready_file(soon, "projector").exists, timeout_s=PATIENCE_S)
        with postgres.connect(soon.conninfo) as connection:
            connection.execute("LOCK TABLE cairn.projection_offsets IN ACCESS EXCLUSIVE MODE")
            asyncio.run(publish(soon, a_fact("unread")))
            assert process.wait(PATIENCE_S) == STALLED_EXIT
    finally:
        process.kill()
        process.wait()
