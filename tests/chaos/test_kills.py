"""kill -9 of workers, projector, broker and database at random points: the quiet run's tables.

Runs, a person's decisions and a changed folder are in flight meanwhile.
"""

import json
import random
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.local.process import wait_until
from tests.parcel import write_to
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(1_500)]

KILLS = 20
SEED = 20260101
VICTIMS = ("reader-1", "writer-1", "reader-2", "writer-2", "projector", "kafka", "postgres")
PATIENCE_S = 240
REASON = "the security review has settled it"


def quiet_sums(folder: Path) -> dict[str, str]:
    with service(workers=2) as quiet:
        live_through(quiet, folder)
        return quiet.checksums("Parcel")


def live_through(cairn: Service, folder: Path) -> None:
    """Ingests, a person's decisions, a folder that changes, and more ingests."""
    patiently(cairn, "project", "create", "Parcel", "--idempotency-key", "parcel")
    for name in ("parcel-0", "parcel-1"):
        ingest(cairn, folder, name)
    decide(cairn)
    change(folder)
    ingest(cairn, folder, "parcel-0", "--accept-removals", key="changed")
    for name in ("parcel-2", "parcel-3"):
        ingest(cairn, folder, name)


def ingest(cairn: Service, folder: Path, name: str, *more: str, key: str = "") -> None:
    asked = ("ingest", str(folder), "--project", "Parcel", "--wait", "--as", name, *more)
    patiently(cairn, *asked, "--idempotency-key", key or name)


def decide(cairn: Service) -> None:
    """A contradiction is resolved, an atom pinned, another one dismissed."""
    (card,) = found(cairn, "contradictions")
    pinned, wrong = found(cairn, "atoms", "--kind", "requirement", "--limit", "2")
    patiently(
        *(cairn, "resolve", card["contradiction_id"], "--a-wins"),
        *("--rationale", REASON, "--as", "ana", "--idempotency-key", "resolved"),
    )
    patiently(cairn, "verify", pinned["atom_id"], "--as", "ana", "--idempotency-key", "pinned")
    patiently(
        *(cairn, "dismiss", wrong["atom_id"]),
        *("--rationale", REASON, "--as", "ana", "--idempotency-key", "dismissed"),
    )


def change(folder: Path) -> None:
    """A document is edited, one goes, one moves."""
    readme = folder / "README.md"
    readme.write_text(readme.read_text().replace("within 5 seconds", "within 4 seconds"))
    (folder / "docs/glossary.rst").unlink()
    (folder / "docs/operations.md").rename(folder / "docs/running.md")


def found(cairn: Service, what: str, *more: str) -> list[dict[str, Any]]:
    told = patiently(cairn, what, "--project", "Parcel", *more, "--json")
    return [json.loads(line) for line in told.splitlines()]


def patiently(cairn: Service, *arguments: str) -> str:
    """Standard output of a command that is given again when something was away."""
    told: list[str] = []

    def ends_well() -> bool:
        process = cairn.start(*arguments)
        told[:] = process.communicate(timeout=280)
        return process.returncode == 0

    # By time, not by number: while the database starts up a command ends within a second.
    well = wait_until(ends_well, timeout_s=PATIENCE_S)
    assert well, f"`cairn {' '.join(arguments)}` never ended well\n{told}"
    return told[0]


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
            known = self.cairn.kill(victim)
            if known is None:
                continue
            self.killed.append(victim)
            wait_until(partial(self.cairn.runs_again, victim, known), timeout_s=120)


def test_twenty_kills_change_nothing_in_the_end(tmp_path):
    expected = quiet_sums(write_to(tmp_path / "quiet"))
    folder = write_to(tmp_path / "troubled")
    with service(workers=2) as cairn:
        killer = Killer(cairn)
        killer.start()
        live_through(cairn, folder)
        while killer.is_alive():
            ingest(cairn, folder, "parcel-3")
            killer.join(0.1)
        killer.join()
        assert len(killer.killed) == KILLS
        assert {"kafka", "postgres"} <= set(killer.killed)
        assert cairn.checksums("Parcel") == expected
        cairn.run("verify-log")
