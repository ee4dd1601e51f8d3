"""kill -9 of workers, projector, broker and database at random points: the quiet run's tables.

The kills fall during each kind of work: first ingests, a person's decisions, a folder that changes.
CAIRN_TEST_KILLS=120 is the long form.
"""

import json
import math
import os
import random
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.process import wait_until
from tests.parcel import write_to
from tests.service import Service, service

VICTIMS = ("reader-1", "writer-1", "reader-2", "writer-2", "projector", "kafka", "postgres")
READ, DECIDE, CHANGE, READ_ON = 3, 1, 2, 1  # kills by kind of work; in a round each victim once
ROUNDS = max(1, math.ceil(int(os.environ.get("CAIRN_TEST_KILLS", 0)) / len(VICTIMS)))
KILLS = ROUNDS * len(VICTIMS)
SEED = 20261126
PATIENCE_S = 480  # a machine that is busy otherwise gives the children of lower priority little
END_WITHIN_S = 240  # after the last kill: a pause of 30 s, a rebalance of 60 s, the work itself
REASON = "the security review has settled it"

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.timeout(1_500 * ROUNDS),
]


class Killer(threading.Thread):
    """Kills one process after another, as many as are asked for, each victim once a round.

    Each only when the one before runs again.
    """

    def __init__(self, cairn: Service) -> None:
        super().__init__(daemon=True)
        self.cairn = cairn
        self.asked = 0
        self.more = threading.Event()
        self.killed: list[str] = []

    def run(self) -> None:
        chance = random.Random(SEED)
        for _ in range(ROUNDS):
            for victim in chance.sample(VICTIMS, len(VICTIMS)):
                while len(self.killed) >= self.asked:
                    self.more.wait()
                    self.more.clear()
                known = None
                while known is None:  # it may be between two starts
                    time.sleep(chance.uniform(0.05, 1.5))
                    known = self.cairn.kill(victim)
                self.killed.append(victim)
                wait_until(partial(self.cairn.runs_again, victim, known), timeout_s=120)

    def through(self, kills: int, work: Callable[[], None]) -> None:
        """``work`` is done while ``kills`` fall, and again until they have."""
        self.asked += kills
        self.more.set()
        work()
        while len(self.killed) < self.asked:
            work()


def quietly(kills: int, work: Callable[[], None]) -> None:
    work()


def live_through(
    cairn: Service, folder: Path, through: Callable[[int, Callable[[], None]], None]
) -> None:
    """Ingests, a person's decisions, a folder that changes, and more ingests, by rounds."""
    patiently(cairn, "project", "create", "Parcel", "--idempotency-key", "parcel")
    for turn in range(ROUNDS):
        first, second, third, last = (f"parcel-{turn}-{n}" for n in range(4))
        through(READ, partial(ingest_all, cairn, folder, first, second))
        through(DECIDE, decision(cairn, turn))
        change(folder, turn)
        changed = ("--accept-removals", "--idempotency-key", f"changed-{turn}")
        through(CHANGE, partial(ingest, cairn, folder, first, *changed))
        through(READ_ON, partial(ingest_all, cairn, folder, third, last))


def ingest_all(cairn: Service, folder: Path, *names: str) -> None:
    for name in names:
        ingest(cairn, folder, name, "--idempotency-key", name)


def ingest(
    cairn: Service, folder: Path, name: str, *more: str, patience_s: float = PATIENCE_S
) -> None:
    asked = ("ingest", str(folder), "--project", "Parcel", "--wait", "--as", name, *more)
    patiently(cairn, *asked, patience_s=patience_s)


def decision(cairn: Service, turn: int) -> Callable[[], None]:
    """A contradiction is resolved where there is one, an atom pinned, another one dismissed."""
    cards = found(cairn, "contradictions")[:1]
    assert cards or turn
    pinned, wrong = found(cairn, "atoms", "--kind", "requirement", "--limit", "2")
    told = ("--rationale", REASON, "--as", "ana", "--idempotency-key")

    def decide() -> None:
        for card in cards:
            patiently(
                cairn, "resolve", card["contradiction_id"], "--a-wins", *told, f"resolved-{turn}"
            )
        patiently(
            *(cairn, "verify", pinned["atom_id"], "--as", "ana"),
            *("--idempotency-key", f"pinned-{turn}"),
        )
        patiently(cairn, "dismiss", wrong["atom_id"], *told, f"dismissed-{turn}")

    return decide


def change(folder: Path, turn: int) -> None:
    """A document is edited, one goes, one moves."""
    readme = folder / "README.md"
    within = "within {} seconds".format
    readme.write_text(readme.read_text().replace(within(5 + turn), within(6 + turn)))
    (folder / "docs/glossary.rst").unlink(missing_ok=True)
    names = [folder / "docs/operations.md", folder / "docs/running.md"]
    here, there = names if names[0].exists() else reversed(names)
    here.rename(there)


def found(cairn: Service, what: str, *more: str) -> list[dict[str, Any]]:
    told = patiently(cairn, what, "--project", "Parcel", *more, "--json")
    return [json.loads(line) for line in told.splitlines()]


def patiently(cairn: Service, *arguments: str, patience_s: float = PATIENCE_S) -> str:
    """Standard output of a command that is given again when something was away."""
    told: list[str] = []
    # By time, not by number: while the database starts up a command ends within a second.
    until = time.monotonic() + patience_s

    def ends_well() -> bool:
        process = cairn.start(*arguments)
        try:
            told[:] = process.communicate(timeout=max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            told[:] = process.communicate()
        return process.returncode == 0

    well = wait_until(ends_well, timeout_s=patience_s)
    stands = "" if well else cairn.run("status", exit_code=None)
    assert well, f"`cairn {' '.join(arguments)}` never ended well\n{told}\n{stands}"
    return told[0]


def sums_of_a_quiet_life(folder: Path) -> dict[str, str]:
    with service(workers=2) as quiet:
        live_through(quiet, write_to(folder), quietly)
        return quiet.checksums("Parcel")


def test_kills_change_nothing_in_the_end(tmp_path: Path) -> None:
    folder = write_to(tmp_path / "troubled")
    # The quiet life is lived beside the other, which waits for restarts for half of its time.
    with ThreadPoolExecutor(1) as beside, service(workers=2) as cairn:
        expected = beside.submit(sums_of_a_quiet_life, tmp_path / "quiet")
        killer = Killer(cairn)
        killer.start()
        live_through(cairn, folder, killer.through)
        killer.join()
        assert len(killer.killed) == KILLS
        last = f"parcel-{ROUNDS - 1}-3"
        ingest(cairn, folder, last, "--idempotency-key", last, patience_s=END_WITHIN_S)
        assert cairn.checksums("Parcel") == expected.result()
        assert cairn.json("dlq", "list") == []
        cairn.run("verify-log")
