"""`cairn up` brings everything up once, keeps it up, and takes everything down with it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.runtime.local.http_address import read_address
from infra.runtime.local.process import identify, recall, wait_until
from infra.runtime.local.runtime import read_runtime
from infra.runtime.supervisor import read_state, ready_file
from tests.conftest import variables_of
from tests.models.provider import write_models

CHILDREN = {"kafka", "postgres"}
COMMAND = (sys.executable, "-m", "infra.cli")


def cairn(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    env |= {"CAIRN_HOME": str(settings.home), "CAIRN_CACHE": str(settings.cache)}
    return subprocess.run([*COMMAND, *arguments], env=env, capture_output=True, text=True)


@pytest.fixture
def settings(home: Path, cache: Path) -> Iterator[Settings]:
    settings = Settings(home=home, cache=cache)
    yield settings
    supervisor.stop_running(settings)


@pytest.fixture(scope="module")
def kept(cache: Path) -> Iterator[Settings]:
    """A home that some tests use one after the other: each brings it to where it begins."""
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    settings = Settings(home=folder, cache=cache)
    yield settings
    supervisor.stop_running(settings)
    shutil.rmtree(folder, ignore_errors=True)


def row(settings: Settings, name: str) -> dict[str, Any]:
    state = read_state(settings)
    rows = state.processes if state else []
    return next((each for each in rows if each["name"] == name), {})


@pytest.mark.broker
@pytest.mark.slow
def test_of_two_starts_one_brings_everything_up_and_status_tells_of_it(kept: Settings):
    settings = kept
    supervisor.stop_running(settings)
    with ThreadPoolExecutor(2) as pool:
        starts = [pool.submit(cairn, settings, "up", "--detach", "--workers", "0") for _ in "ab"]
    for start in starts:
        assert start.result().returncode == 0, start.result().stderr
    said = (settings.log_folder / "supervisor.log").read_text()
    assert f"The console: {read_address(settings)}/console; {settings.home / 'token'}" in said
    runtime = settings.home / "runtime.json"
    assert oct(runtime.stat().st_mode)[-3:] == "600"

    again = cairn(settings, "up", "--detach")
    assert (again.returncode, "already running" in again.stderr) == (0, True)
    beside = cairn(settings, "up")
    state = read_state(settings)
    assert state
    assert beside.returncode == 1
    assert f"already (pid {state.supervisor.pid}, since " in beside.stderr

    told = cairn(settings, "status", "--json")
    (line,) = told.stdout.splitlines()
    report = json.loads(line)
    assert {each["name"] for each in report["processes"]} >= CHILDREN
    assert (report["broker"]["origin"], report["broker"]["answers"]) == ("embedded", True)
    assert "CAIRN_DATABASE_URL is not set" in report["database"]["reason"]
    known = read_runtime(settings.home)
    assert known and known.database.address.split(":")[2].split("@")[0] not in told.stdout

    check_model_worker(settings)

    killed = row(settings, "postgres")["pid"]
    os.kill(killed, signal.SIGKILL)
    assert wait_until(
        lambda: (now := row(settings, "postgres"))["state"] == "running" and now["restarts"] == 1,
        timeout_s=60,
    )
    assert row(settings, "postgres")["pid"] != killed


def check_model_worker(settings: Settings) -> None:
    """It runs while a model is configured, alone knows the library, and no server's address."""
    assert not any(loads_library(each) for each in running(settings).values())
    write_models(settings.models_file, openai="http://127.0.0.1:9/v1")
    assert wait_until(
        lambda: row(settings, "model-worker").get("state") == "running", timeout_s=120
    )
    pids = running(settings)
    assert {name for name, pid in pids.items() if loads_library(pid)} == {"model-worker"}
    place = settings.run_folder / "model-worker.json"
    assert oct(place.stat().st_mode)[-3:] == "600"
    given = Path(f"/proc/{pids['model-worker']}/environ").read_text().split("\0")
    assert {line.split("=")[0] for line in given if line.startswith("CAIRN_")} == {
        *("CAIRN_HOME", "CAIRN_PROCESS_NAME")
    }
    settings.models_file.unlink()
    assert wait_until(lambda: not row(settings, "model-worker"), timeout_s=60)


def running(settings: Settings) -> dict[str, int]:
    state = read_state(settings)
    return {each["name"]: each["pid"] for each in state.processes if each["pid"]} if state else {}


def loads_library(pid: int) -> bool:
    """Whether the library of model providers is in a process: it loads this extension at once."""
    return "_tiktoken" in Path(f"/proc/{pid}/maps").read_text()


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_kill_9_of_the_supervisor_leaves_nothing_and_the_next_start_works(kept: Settings):
    settings = kept
    assert cairn(settings, "up", "--detach", "--workers", "0").returncode == 0
    state = read_state(settings)
    assert state
    children = [identify(each["pid"]) for each in state.processes]
    os.kill(state.supervisor.pid, signal.SIGKILL)
    assert wait_until(lambda: not any(child.alive() for child in children), timeout_s=60)
    assert read_runtime(settings.home) is None
    assert cairn(settings, "up", "--detach", "--workers", "0").returncode == 0


@pytest.mark.broker
@pytest.mark.slow
def test_down_ends_all_and_again_says_that_nothing_runs(kept: Settings):
    settings = kept
    assert cairn(settings, "up", "--detach", "--workers", "0").returncode == 0
    assert (settings.home / "runtime.json").exists()
    assert cairn(settings, "down").returncode == 0
    assert not (settings.home / "runtime.json").exists()
    assert recall(settings.run_folder / "kafka.pid") is None
    assert "not running" in cairn(settings, "down").stderr
    assert cairn(settings, "status").returncode == 1


WORKER = """
import os, signal
from infra.platform.settings import Settings
from infra.runtime.supervisor import tell_ready
settings = Settings.from_env(os.environ)
tell_ready(settings, os.environ)
signal.pause()
"""


@pytest.mark.broker
def test_a_killed_worker_is_started_again_and_the_count_says_so(installation: Settings, home: Path):
    """The supervisor itself, over servers that run already, with a worker of this test's own."""
    code = (
        "import os, sys\n"
        "from infra.platform.settings import Settings\n"
        "from infra.runtime.supervisor import Program, Supervisor\n"
        "class Own(Supervisor):\n"
        "    def command(self, program):\n"
        f"        return [sys.executable, '-c', {WORKER!r}]\n"
        "Own(Settings.from_env(os.environ), (Program('worker-1', ()),), lambda _: None,\n"
        "    os.environ, print, lambda _: None).run()\n"
    )
    settings = installation.model_copy(update={"home": home})
    env = dict(os.environ) | variables_of(settings)
    parent = subprocess.Popen([sys.executable, "-c", code], env=env)
    try:
        assert wait_until(lambda: row(settings, "worker-1").get("state") == "running", timeout_s=60)
        killed = row(settings, "worker-1")["pid"]
        os.kill(killed, signal.SIGKILL)
        assert wait_until(
            lambda: (
                (now := row(settings, "worker-1"))["state"] == "running" and now["restarts"] == 1
            ),
            timeout_s=60,
        )
        worker = psutil.Process(row(settings, "worker-1")["pid"])
        assert worker.pid != killed
        assert ready_file(settings, "worker-1").read_text() == str(worker.pid)
        parent.send_signal(signal.SIGTERM)
        assert parent.wait(timeout=60) == 0
        assert not worker.is_running()
    finally:
        parent.kill()
        parent.wait()


def test_a_start_that_cannot_work_gives_its_reason_in_one_sentence(settings: Settings):
    blocked = settings.home / "file"
    blocked.touch()
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    env |= {
        "CAIRN_HOME": str(settings.home),
        "CAIRN_RUNTIME": "containers",
        "DOCKER_HOST": f"unix://{blocked}",
    }
    tried = subprocess.run(
        [*COMMAND, "up", "--detach"], env=env, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 1
    assert "no container engine answers" in tried.stderr
    assert "Traceback" not in tried.stderr


def test_a_wrong_setting_ends_with_2_and_one_sentence(tmp_path: Path):
    env = dict(os.environ) | {"CAIRN_HOME": str(tmp_path), "CAIRN_PARTITIONS": "many"}
    tried = subprocess.run([*COMMAND, "status"], env=env, capture_output=True, text=True)
    assert (tried.returncode, tried.stdout) == (2, "")
    assert tried.stderr.startswith("CAIRN_PARTITIONS has the value 'many'")
    assert len(tried.stderr.splitlines()) == 1
