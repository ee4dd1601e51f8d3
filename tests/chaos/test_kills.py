"""kill -9 of workers, projector, broker and database at random points: the quiet run's tables."""

import random
import threading
from functools import partial
from pathlib import Path

import pytest

from infra.local.process import wait_until
from tests.parcel import write_to
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(1_500)]

KILLS = 20
ROUNDS = 6
SEED = 20260101
VICTIMS = ("worker-1", "worker-2", "projector", "worker-1", "worker-2", "kafka", "postgres")


def quiet_sums(folder: Path) -> dict[str, str]:
    with service(workers=2) as quiet:
        quiet.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        for round_no in range(ROUNDS):
            ingest(quiet, folder, round_no)
        return quiet.checksums("Parcel")


def ingest(cairn: Service, folder: Path, round_no: int) -> None:
    name = f"parcel-{round_no}"
    for _ in range(6):
        process = cairn.start(
            *("ingest", str(folder), "--project", "Parcel", "--wait"),
            *("--idempotency-key", name, "--as", name),
        )
        out, err = process.communicate(timeout=280)
        if process.returncode == 0:
            return
    raise AssertionError(f"ingest of {name} never ended\n{out}\n{err}")


class Killer(threading.Thread):
    """Kills one process after another; each only when the one before runs again."""

    def __init__(self, cairn: Service) -> None:
        super().__init__()
        self.cairn = cairn
        self.done = threading.Event()
        self.killed: list[str] = []

    def run(self) -> None:
        chance = random.Random(SEED)
        while len(self.killed) < KILLS and not self.done.wait(chance.uniform(0.05, 1.5)):
            victim = chance.choice(VICTIMS)
            known = self.cairn.pids().get(victim)
            if known is None:
                continue
            self.cairn.kill(victim)
            self.killed.append(victim)
            wait_until(partial(self.runs_again, victim, known), timeout_s=120)

    def runs_again(self, name: str, before: int) -> bool:
        return self.cairn.pids().get(name, before) != before


def test_twenty_kills_change_nothing_in_the_end(tmp_path):
    folder = write_to(tmp_path / "parcel")
    expected = quiet_sums(folder)
    with service(workers=2) as cairn:
        cairn.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        killer = Killer(cairn)
        killer.start()
        for round_no in range(ROUNDS):
            ingest(cairn, folder, round_no)
        while killer.is_alive():
            ingest(cairn, folder, ROUNDS - 1)
            killer.join(0.1)
        killer.join()
        assert len(killer.killed) == KILLS
        assert {"kafka", "postgres"} <= set(killer.killed)
        assert cairn.checksums("Parcel") == expected
        cairn.run("verify-log")
