"""A copy of a process has what was imported, and nothing of the parent's work."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from infra.runtime.local.process import start_time_of, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")

PARENT = """
import json, os, signal, sys, tempfile, threading, time
from pathlib import Path
from infra.runtime.local.fork import fork

signal.signal(signal.SIGTERM, lambda *_: print("the parent's handler"))
mine = tempfile.TemporaryFile()
home = Path(sys.argv[1])

def told():
    at_end = threading.Thread(target=lambda: (time.sleep(0.1), print("a thread's last words")))
    at_end.start()
    print(json.dumps({
        "variables": dict(os.environ), "group": os.getpgid(0) == os.getpid(),
        "files": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:4],
        "handler": signal.getsignal(signal.SIGTERM) is signal.SIG_DFL,
    }))
    raise SystemExit(7)

def broken():
    raise ValueError("no good")

told_child = fork(told, log=home / "told.log", env={"ONLY": "this"})
broken_child = fork(broken, log=home / "broken.log", env={})
print(json.dumps([told_child.wait(), broken_child.wait(), told_child.poll()]), flush=True)
long = fork(signal.pause, log=home / "long.log", env={})
other = fork(signal.pause, log=home / "other.log", env={})
long.terminate()
print(json.dumps([long.wait(), other.pid]), flush=True)
sys.stdin.read()
"""


def test_a_copy_ends_as_it_wants_and_with_its_parent(tmp_path: Path):
    command = [sys.executable, "-c", textwrap.dedent(PARENT), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert json.loads(parent.stdout.readline()) == [7, 1, 7]
        line, last_words = (tmp_path / "told.log").read_text().splitlines()
        told = json.loads(line)
        assert told["variables"] == {"ONLY": "this"}
        assert told["group"] and told["handler"]
        assert told["files"][:3] == [0, 1, 2] and len(told["files"]) == 4  # the folder that is read
        assert last_words == "a thread's last words"
        assert "ValueError: no good" in (tmp_path / "broken.log").read_text()
        ended, other = json.loads(parent.stdout.readline())
        assert ended == -signal.SIGTERM
        assert start_time_of(other)
        os.kill(parent.pid, signal.SIGKILL)
        assert wait_until(lambda: start_time_of(other) is None, timeout_s=60)
