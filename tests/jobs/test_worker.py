"""Worker processes that are really killed and really stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.process import wait_until
from infra.service.jobs.jobs import cancel_job, read_job
from tests.conftest import variables_of
from tests.jobs.builders import put
from tests.jobs.conftest import Database

pytestmark = pytest.mark.broker

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


class Workers:
    """Processes that do jobs of the test; their log is at hand when one fails."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.gate = folder / "gate"
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self) -> int:
        with (self.folder / "workers.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.jobs.process", "work"],
                cwd=ROOT,
                env=os.environ | variables_of(self.database.settings),
                stdout=log,
                stderr=log,
            )
        self.processes[process.pid] = process
        return process.pid

    def end(self, pid: int, sign: signal.Signals = signal.SIGTERM) -> None:
        process = self.processes.pop(pid)
        process.send_signal(sign)
        process.send_signal(signal.SIGCONT)
        process.wait(PATIENCE_S)

    def has(self, mark: str, pid: int) -> bool:
        return self.gate.with_suffix(f".{mark}-{pid}").exists()

    def log(self) -> str:
        return (self.folder / "workers.log").read_text()

    def expect(self, condition: Any) -> None:
        assert wait_until(condition, timeout_s=PATIENCE_S), self.log()

    def put(self, how: str = "", **given: Any) -> str:
        payload = {"gate": str(self.gate), "how": how}
        return put(self.database.connection, payload=payload, **given)

    def status(self, job_id: str) -> str:
        return str(self.database.job(job_id)["status"])


@pytest.fixture
def workers(whole: Database, tmp_path: Path) -> Iterator[Workers]:
    found = Workers(whole, tmp_path)
    try:
        yield found
    finally:
        for pid in [*found.processes]:
            found.end(pid, signal.SIGKILL)


def test_the_job_of_a_killed_worker_is_taken_over_with_a_raised_epoch(workers: Workers):
    job = workers.put()
    first = workers.start()
    workers.expect(lambda: workers.has("started", first))
    workers.end(first, signal.SIGKILL)
    second = workers.start()
    workers.expect(lambda: workers.has("started", second))
    workers.gate.touch()
    workers.expect(lambda: workers.status(job) == "succeeded")
    row = workers.database.job(job)
    assert (row["lease_epoch"], row["attempt_count"], row["result"]) == (2, 2, {"by": second})


def test_the_late_result_of_a_stopped_worker_is_refused(workers: Workers):
    job = workers.put("goes on")
    slow = workers.start()
    workers.expect(lambda: workers.has("started", slow))
    os.kill(slow, signal.SIGSTOP)
    quick = workers.start()
    workers.expect(lambda: workers.has("started", quick))
    workers.gate.touch()
    workers.expect(lambda: workers.status(job) == "succeeded")
    before = workers.database.job(job)
    os.kill(slow, signal.SIGCONT)
    workers.expect(lambda: '"job.refused"' in workers.log())
    assert workers.database.job(job) == before
    assert before["result"] == {"by": quick}
    assert before["lease_epoch"] == 2


def test_a_stopped_worker_cancels_its_handler_when_it_goes_on(workers: Workers):
    workers.put()
    slow = workers.start()
    workers.expect(lambda: workers.has("started", slow))
    os.kill(slow, signal.SIGSTOP)
    quick = workers.start()
    workers.expect(lambda: workers.has("started", quick))
    os.kill(slow, signal.SIGCONT)
    workers.expect(lambda: workers.has("cancelled", slow))
    assert not workers.has("cancelled", quick)


def test_a_handler_that_blocks_the_loop_keeps_its_lease(workers: Workers):
    job = workers.put("blocks the loop")
    busy = workers.start()
    workers.expect(lambda: workers.has("started", busy))
    first_end = workers.database.job(job)["lease_expires_at"]
    workers.start()
    (wanted,) = workers.database.rows("SELECT %s + interval '3 seconds' AS at", first_end)
    workers.expect(lambda: workers.database.job(job)["lease_expires_at"] > wanted["at"])
    workers.gate.touch()
    workers.expect(lambda: workers.status(job) == "succeeded")
    assert workers.database.job(job)["lease_epoch"] == 1


def test_a_cancelled_job_stops_its_running_handler(workers: Workers):
    job = workers.put()
    pid = workers.start()
    workers.expect(lambda: workers.has("started", pid))
    settings = workers.database.settings
    cancelled = asyncio.run(cancel_job(settings, job, actor="ana"))
    assert cancelled.status == "cancelled"
    workers.expect(lambda: workers.has("cancelled", pid))
    again = workers.put()
    workers.gate.touch()
    workers.expect(lambda: workers.status(again) == "succeeded")
    assert workers.status(job) == "cancelled"


def test_a_worker_that_is_told_to_stop_hands_its_job_on_at_once(workers: Workers):
    job = workers.put(max_attempts=1)
    first = workers.start()
    workers.expect(lambda: workers.has("started", first))
    workers.end(first)
    assert workers.status(job) == "queued"
    second = workers.start()
    workers.expect(lambda: workers.has("started", second))
    assert workers.database.job(job)["attempt_count"] == 1


def test_failures_are_tried_again_until_the_last_and_tell_no_secret(workers: Workers):
    fails, refused = workers.put("fails", max_attempts=3), workers.put("refuses")
    workers.start()
    workers.expect(lambda: workers.status(fails) == workers.status(refused) == "dead")
    row = workers.database.job(fails)
    assert (row["attempt_count"], row["error_class"]) == (3, "ValueError")
    assert "process.py" in row["last_error"] and "password" not in row["last_error"]
    row = workers.database.job(refused)
    assert (row["attempt_count"], row["last_error"]) == (1, "This is no job.")
    assert "password" not in workers.log()


def test_progress_is_seen_while_the_job_runs(workers: Workers):
    job = workers.put()
    pid = workers.start()
    settings = workers.database.settings
    workers.expect(lambda: asyncio.run(read_job(settings, job)).progress == {"by": pid})
    assert workers.status(job) == "leased"
