"""A full disk ends no supervisor: it says which disk, waits for room, and goes on by itself."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.platform import postgres
from infra.platform.errors import DatabaseUnavailable
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.runtime.local.runtime import read_runtime
from infra.runtime.supervisor import read_state
from tests.conftest import variables_of
from tests.runtime.small_disk import SmallDisk, on_a_small_disk

pytestmark = pytest.mark.broker

WORKER = """
import os, signal
print("x" * 11_000_000, flush=True)  # more than a log may hold
from infra.platform.settings import Settings
from infra.runtime.supervisor import tell_ready
tell_ready(Settings.from_env(os.environ), os.environ)
signal.pause()
"""
SUPERVISOR = f"""
import os, sys
from infra.platform import log
from infra.cli.context import say
from infra.platform.settings import Settings
from infra.runtime.supervisor import Program, Supervisor
class Own(Supervisor):
    def command(self, program):
        return [sys.executable, "-c", {WORKER!r}]
log.configure(redact=str)
programs = (Program("worker-1", ()),)
Own(Settings.from_env(os.environ), programs, lambda _: None, os.environ, say, lambda _: None).run()
"""


def environment(home: Path, **servers: str) -> dict[str, str]:
    """Of an installation in ``home`` with servers of its own, or those that are given."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    return env | servers | {"CAIRN_HOME": str(home)}


def row(disk: SmallDisk, name: str) -> dict[str, Any]:
    state = read_state(Settings(home=disk.seen))
    rows = state.processes if state else []
    return next((each for each in rows if each["name"] == name), {})


def told_by_status(disk: SmallDisk, env: Mapping[str, str]) -> str:
    """What `cairn status` says of the disk, in its words for people."""
    told = disk.run(sys.executable, "-m", "infra.cli", "status", env=env)
    assert told.stderr == ""
    return told.stdout


def test_the_supervisor_survives_a_full_disk_names_it_and_goes_on(
    installation: Settings, home: Path, tmp_path: Path
):
    env = environment(home, **variables_of(installation))
    with on_a_small_disk(home, 100, SUPERVISOR, env, tmp_path / "said") as disk:
        assert wait_until(lambda: row(disk, "worker-1").get("state") == "running", timeout_s=60)
        killed = row(disk, "worker-1")["pid"]
        assert wait_until((disk.seen / "logs" / "worker-1.log.1").exists, timeout_s=60)
        disk.fill()
        assert wait_until(lambda: f"The disk at {home} is full" in disk.stderr(), timeout_s=60)
        assert "is full" in told_by_status(disk, env)
        os.kill(killed, signal.SIGKILL)
        assert wait_until(lambda: '"full_disk": ' in disk.stderr(), timeout_s=60)
        assert row(disk, "worker-1")["pid"] == killed  # nothing new could be written down
        disk.make_room()
        assert wait_until(
            lambda: (now := row(disk, "worker-1"))["state"] == "running" and now["restarts"] == 1,
            timeout_s=60,
        )
        assert "is full" not in told_by_status(disk, env)
        disk.process.send_signal(signal.SIGTERM)
        assert disk.process.wait(timeout=60) == 0
    said = disk.stderr()
    assert said.count("is full") == 1
    assert said.count("has room again") == 1
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_database_that_dies_of_a_full_disk_is_named_and_comes_back(
    installation: Settings, home: Path, tmp_path: Path
):
    """A real PostgreSQL that has no room for its log of changes."""
    servers = variables_of(installation)
    del servers["CAIRN_DATABASE_URL"]
    env = environment(home, **servers)
    with on_a_small_disk(home, 250, SUPERVISOR, env, tmp_path / "said") as disk:
        assert wait_until(lambda: row(disk, "worker-1").get("state") == "running", timeout_s=120)
        runtime = read_runtime(disk.seen)
        assert runtime
        address = runtime.database.address
        with postgres.connect(address) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        disk.fill()
        with pytest.raises(DatabaseUnavailable, match="The disk of the database is full"):
            write_until_it_ends(address)
        assert wait_until(lambda: '"child": "postgres"' in disk.stderr(), timeout_s=120)
        died = next(line for line in disk.stderr().splitlines() if '"child": "postgres"' in line)
        assert json.loads(died)["full_disk"] == str(home)
        disk.make_room()
        assert wait_until(lambda: postgres.answers(address), timeout_s=120)
        with postgres.connect(address) as connection:
            assert connection.execute("SELECT 1 FROM kept WHERE number = 7").fetchone() is not None
        assert disk.process.poll() is None
        log = (disk.seen / "logs" / "postgres.log").read_text()
        assert "No space left on device" in log


def write_until_it_ends(address: str) -> None:
    """PostgreSQL begins new segments of its log of changes. Raises DatabaseUnavailable."""
    while True:
        with postgres.connect(address, autocommit=True) as connection:
            connection.execute("INSERT INTO kept VALUES (8)")
            connection.execute("SELECT pg_switch_wal()")


def test_a_start_on_a_full_disk_is_refused_in_one_sentence(home: Path, tmp_path: Path):
    code = "import infra.cli, sys; sys.argv = ['cairn', 'up']; infra.cli.main()"
    env = environment(home)
    fill = 'head -c 4m /dev/zero > "$0/filler" || true'
    with on_a_small_disk(home, 1, code, env, tmp_path / "said", fill) as disk:
        assert disk.process.wait(timeout=120) == 1
    assert f"The disk at {home} is full" in disk.stderr()
    assert "Traceback" not in disk.stderr()


@pytest.mark.parametrize("before", [None, "old"])
def test_a_file_is_whole_or_as_it_was_and_leaves_nothing_on_a_full_disk(
    home: Path, tmp_path: Path, before: str | None
):
    code = f"""
import pathlib, sys
from infra.platform.errors import DiskFull
from infra.platform.files import write_whole
path = pathlib.Path({str(home)!r}) / "state.json"
try:
    write_whole(path, "x" * 100_000)
except DiskFull as error:
    print(sorted(each.name for each in path.parent.iterdir()))
    print(path.read_text() if path.exists() else None)
    print(error)
"""
    fill = 'head -c 4m /dev/zero > "$0/filler" || true'
    first = [f'printf {before} > "$0/state.json"'] if before else []
    with on_a_small_disk(home, 1, code, os.environ, tmp_path / "said", *first, fill) as disk:
        assert disk.process.wait(timeout=60) == 0
    names, content, error = disk.stderr().splitlines()[-3:]
    assert names == str(["filler", "state.json"] if before else ["filler"])
    assert content == str(before)
    assert f"The disk at {home} is full (0 of" in error
