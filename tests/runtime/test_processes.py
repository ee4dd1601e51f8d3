"""Processes are known by pid and start time, and children do not outlive their parent."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from infra.runtime.local.process import (
    ProcessId,
    free_ports,
    identify,
    keep_ports,
    own_command,
    recall,
    remember,
    spawn,
    start_time_of,
    wait_until,
)

SLEEPER = [sys.executable, "-c", "import signal; signal.pause()"]


def test_a_pid_alone_does_not_make_a_process_ours(tmp_path: Path):
    record = tmp_path / "somebody.pid"
    remember(record, ProcessId(os.getpid(), "another start"))
    assert recall(record) is None
    remember(record, identify(os.getpid()))
    assert recall(record) == identify(os.getpid())


def test_a_folder_of_our_names_where_one_stands_is_not_taken_for_ours(tmp_path: Path):
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "__init__.py").write_text("raise SystemExit('somebody else')")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        own_command("--help"), cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0 and "cairn" in done.stdout, done.stderr


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x", "started": 1}'])
def test_a_damaged_record_names_nobody(tmp_path: Path, content: str):
    record = tmp_path / "damaged.pid"
    record.write_text(content)
    assert recall(record) is None


def test_a_killed_and_a_waiting_process_are_both_dead():
    child = subprocess.Popen(SLEEPER)
    process = identify(child.pid)
    assert process.alive()
    child.kill()
    assert wait_until(lambda: not process.alive(), timeout_s=60)  # a zombie until it is waited for
    child.wait()
    assert not process.alive()


def test_ending_a_process_that_ignores_the_request_kills_it(tmp_path: Path):
    ready = tmp_path / "ready"
    deaf = (
        "import signal, pathlib, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "pathlib.Path(sys.argv[1]).touch(); signal.pause()"
    )
    child = subprocess.Popen([sys.executable, "-c", deaf, str(ready)])
    assert wait_until(ready.exists, timeout_s=60)
    identify(child.pid).end(patience_s=0.2)
    assert child.wait() == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_children_end_with_their_parent_also_after_kill_9(tmp_path: Path):
    told = tmp_path / "child"
    parent_code = (
        "import os, sys, signal, pathlib\n"
        "from infra.runtime.local.process import spawn\n"
        "told, log = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])\n"
        "code = 'import signal; signal.pause()'\n"
        "child = spawn([sys.executable, '-c', code], log=log, env=dict(os.environ))\n"
        "told.with_suffix('.draft').write_text(str(child.pid))\n"
        "told.with_suffix('.draft').rename(told)\n"
        "signal.pause()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", parent_code, told, tmp_path / "log"])
    assert wait_until(told.exists, timeout_s=60)
    child = int(told.read_text())
    assert start_time_of(child)
    parent.kill()
    parent.wait()
    assert wait_until(lambda: start_time_of(child) is None, timeout_s=60)


def test_a_child_writes_both_outputs_to_its_log(tmp_path: Path):
    code = "import sys; print('out'); print('err', file=sys.stderr)"
    log = tmp_path / "logs" / "child.log"
    spawn([sys.executable, "-u", "-c", code], log=log, env=dict(os.environ)).wait()
    assert sorted(log.read_text().split()) == ["err", "out"]


def test_two_starts_at_once_draw_different_ports():
    draw = "import random; random.seed(7); print(free_ports(2), flush=True)"
    code = (
        f"import sys; from infra.runtime.local.process import free_ports; {draw}; sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout
        theirs = json.loads(other.stdout.readline())
        random.seed(7)
        ours = free_ports(2)
        other.stdin.close()  # it ends
    assert set(ours).isdisjoint(theirs)
    random.seed(7)
    assert free_ports(2) == theirs
    random.seed()


def test_ports_are_kept_while_they_can_be_had(tmp_path: Path):
    import socket

    record = tmp_path / "ports.json"
    first = keep_ports(record, 2)
    assert keep_ports(record, 2) == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first[0]))
        taken.listen()
        assert first[0] not in keep_ports(record, 2)
