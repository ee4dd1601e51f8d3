"""A service on three brokers and a database with TLS; its workers have accounts of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.upkeep.rights import PARTS, rights_of
from tests.cluster.brokers import Brokers
from tests.cluster.database import Database
from tests.parcel import write_to
from tests.service import Service, service

SERVICE = "cairn-service"  # what `cairn up --workers 0` runs, and commands
WORKERS = {"reader": "reading", "writer": "deciding"}
ACCOUNTS = {
    SERVICE: [name for name in PARTS if name not in WORKERS],
    **{f"cairn-{name}": [name] for name in WORKERS},
}
PATIENCE_S = 240


class Clustered(Service):
    """A service whose broker and database are elsewhere, with workers as processes of their own."""

    def __init__(self, home: Path, brokers: Brokers, database: Database) -> None:
        super().__init__(home)
        self.brokers = brokers
        key = home.parent / "vault.key"
        key.write_text("00" * 32)
        key.chmod(0o600)
        self.environ |= {"CAIRN_DATABASE_URL": database.address, "CAIRN_VAULT_KEY_FILE": str(key)}
        self.environ |= brokers.variables(SERVICE)
        self.settings = Settings.from_env(self.environ)
        self.processes: list[subprocess.Popen[bytes]] = []

    def up(self) -> None:
        self.run("up", "--detach", "--workers", "0")
        for number in (1, 2):
            for name, part in WORKERS.items():
                self._begin(f"{name}-{number}", f"cairn-{name}", part)

    def down(self) -> None:
        for process in self.processes:
            process.terminate()
        try:
            for process in self.processes:
                process.wait(PATIENCE_S)
        finally:
            for process in self.processes:
                process.kill()
            self.run("down", exit_code=None)

    def _begin(self, name: str, account: str, part: str) -> None:
        home = self.home.parent / name
        home.mkdir(mode=0o700)
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "infra.cli", "worker", "--stages", part],
                env=self.environ
                | {"CAIRN_HOME": str(home), "CAIRN_PROCESS_NAME": name}
                | self.brokers.variables(account),
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)


@contextmanager
def cluster() -> Iterator[tuple[Brokers, Database, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    brokers = Brokers(folder, Settings.from_env(os.environ).cache, ACCOUNTS)
    database = Database(folder, brokers.authority)
    try:
        brokers.begin_all()
        database.start()
        brokers.await_all()
        for account, processes in ACCOUNTS.items():
            brokers.grant(account, rights_of(Settings(home=folder), processes))
        yield brokers, database, folder
    finally:
        brokers.stop()
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def clustered(brokers: Brokers, database: Database, folder: Path) -> Iterator[Clustered]:
    home = folder / "home"
    home.mkdir(mode=0o700)
    cairn = Clustered(home, brokers, database)
    try:
        cairn.up()
        yield cairn
    finally:
        cairn.down()


def documents(folder: Path, names: tuple[str, ...] | None) -> Path:
    """The small project, or ``names`` of it."""
    write_to(folder)
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if names and str(path.relative_to(folder)) not in names:
            path.unlink()
    return folder


def create(cairn: Service) -> None:
    cairn.run("project", "create", "Parcel", "--idempotency-key", "parcel")


def expected_of(folder: Path, rounds: int) -> dict[str, str]:
    """The checksums that the embedded broker gives for the same documents."""
    with service(workers=2) as single:
        create(single)
        for turn in range(rounds):
            single.ingest(folder, "Parcel", f"parcel-{turn}", "ana")
        return single.checksums("Parcel")


def live_through(cairn: Clustered, folder: Path, rounds: int) -> None:
    """Ingests, while each round another broker is killed, comes back and leads again."""
    brokers = cairn.brokers
    topic = cairn.settings.topic("ledger.v1")
    create(cairn)
    for turn in range(rounds):
        node = brokers.nodes[turn % len(brokers.nodes)]
        asked = cairn.start(
            *("ingest", str(folder), "--project", "Parcel", "--wait", "--as", "ana"),
            *("--idempotency-key", f"parcel-{turn}"),
        )
        brokers.kill(node)
        assert wait_until(
            lambda node=node: node.number not in brokers.leaders(topic).values(),  # type: ignore[misc]
            timeout_s=PATIENCE_S,
        )
        brokers.begin(node)
        brokers.await_node(node)
        assert wait_until(lambda: brokers.is_whole(topic), timeout_s=PATIENCE_S)
        brokers.move_leaders(topic)
        assert node.number in brokers.leaders(topic).values()
        out, err = asked.communicate(timeout=PATIENCE_S)
        if asked.returncode:  # the command that waited had lost its broker: the same once more
            cairn.ingest(folder, "Parcel", f"parcel-{turn}", "ana")


def check(brokers: Brokers, database: Database, folder: Path, source: Path, rounds: int) -> None:
    """The tables are those of the embedded broker; nothing is lost or waits."""
    expected = expected_of(source, rounds)
    with clustered(brokers, database, folder) as cairn:
        live_through(cairn, source, rounds)
        assert cairn.checksums("Parcel") == expected
        assert cairn.json("dlq", "list") == []
        cairn.run("verify-log")
        (status,) = cairn.json("status")
        assert {row["lag"] for row in status["lag"]} == {0}
        assert all(process.poll() is None for process in cairn.processes)
