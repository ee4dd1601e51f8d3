"""A whole Cairn of its own, driven by the `cairn` command as a user would."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from infra.platform.settings import Settings
from infra.runtime.local.runtime import read_runtime
from infra.runtime.supervisor import read_state
from tests.packages import install_walls

COMMAND_PATIENCE_S = 280


class Service:
    """One installation in a home of its own; ``partitions`` and ``workers`` as asked for.

    ``environ`` are variables that its processes have besides.
    """

    def __init__(
        self, home: Path, *, partitions: int = 3, workers: int = 1, **environ: str
    ) -> None:
        self.home = home
        self.workers = workers
        self.environ = os.environ | {
            "CAIRN_HOME": str(home),
            "CAIRN_PARTITIONS": str(partitions),
            "CAIRN_SESSION_TIMEOUT_S": "3",
            "CAIRN_READER": "off",  # the order by words needs no files, and is the same everywhere
            "CAIRN_AUTO_QUALITY": "off",  # it loads a library in each service
            **environ,
        }
        for name in ("CAIRN_KAFKA_BOOTSTRAP", "CAIRN_DATABASE_URL", "CAIRN_RUNTIME"):
            self.environ.pop(name, None)
        self.settings = Settings.from_env(self.environ)

    def settings_now(self) -> Settings:
        """The settings with the addresses of the servers that run now."""
        runtime = read_runtime(self.home)
        assert runtime, "the service does not run"
        return runtime.locate(self.settings)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "infra.cli", *arguments],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, exit_code: int | None = 0) -> str:
        """Standard output of a command; its exit code must be ``exit_code`` unless that is None."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=COMMAND_PATIENCE_S)
        if exit_code is not None:
            assert process.returncode == exit_code, f"cairn {' '.join(arguments)}\n{out}\n{err}"
        return out

    def json(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects a read command prints, one a line."""
        return [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]

    def up(self) -> None:
        self.run("up", "--detach", "--workers", str(self.workers))

    def down(self) -> None:
        self.run("down")

    def ingest(self, source: Path, project: str, key: str, name: str = "", **options: Any) -> None:
        named = ["--as", name] if name else []
        self.run(
            *("ingest", str(source), "--project", project, "--wait"),
            *("--idempotency-key", key, *named),
            **options,
        )

    def checksums(self, project: str) -> dict[str, str]:
        (sums,) = self.json("checksums", "--project", project)
        return sums

    def pids(self) -> dict[str, int]:
        """Name to pid of the running processes, broker and database among them."""
        state = read_state(self.settings)
        rows = state.processes if state else []
        return {row["name"]: row["pid"] for row in rows if row["state"] == "running"}

    def kill(self, name: str) -> int | None:
        """SIGKILL: no goodbye to anybody. The pid; None when there was nothing to kill."""
        pid = self.pids().get(name)
        if pid is None:
            return None
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # it has just ended by itself, and nobody has said so yet
            return None
        return pid

    def kill_jobs(self) -> int:
        """SIGKILL to the worker of jobs. What it held can be taken at once.

        A lease lasts a minute; `tests/jobs` shows that one runs out by itself.
        """
        killed = self.kill("jobs")
        assert killed
        # The next worker imports for longer than this takes, so that no lease of its own is meant.
        with psycopg.connect(self.settings_now().conninfo) as connection:
            connection.execute(
                "UPDATE cairn.orchestration_jobs SET lease_expires_at = now()"
                " WHERE status = 'leased'"
            )
        return killed

    def runs_again(self, name: str, killed: int) -> bool:
        return self.pids().get(name, killed) != killed


@contextmanager
def service(**options: Any) -> Iterator[Service]:
    """A running service that is gone afterwards, whatever happened."""
    install_walls()
    home = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    running = Service(home, **options)
    try:
        running.up()
        yield running
    finally:
        running.run("down", exit_code=None)
        shutil.rmtree(home, ignore_errors=True)
