"""The process between us and a program: it starts the program and ends all that comes of it.

It hears of the call over a socket, and answers there how the program ended. The socket's end, for
whatever reason, is the end of the program. What the program starts stays below this process even
where it leaves its group and session and its parent ends: this one is its subreaper.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK_EVERY_S = 0.02
LEFT_WITHIN_S = 10.0  # a process that the kernel cannot end (a hanging disk) is left


def main(descriptor: int) -> None:
    parent = socket.socket(fileno=descriptor)
    with parent, parent.makefile("rb") as lines:
        call = json.loads(lines.readline() or "null")
        if call is None:
            return
        _adopt_orphans()
        outcome = _run(call, parent)
        with contextlib.suppress(OSError):
            parent.sendall(json.dumps(outcome).encode())


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _run(call: dict[str, Any], parent: socket.socket) -> dict[str, Any]:
    """How the program ended: ``code``, or why it cannot be started (``missing``)."""
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for sign in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(sign, lambda *_: None)
    try:
        program = _start(call)
    except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
        return {"missing": str(error).partition("] ")[2] or str(error)}  # without its number
    finally:
        _leave_its_streams()
    while _reap(program) and program.returncode is None:
        watched: list[Any] = [parent, ended]
        ready, _, _ = select.select(watched, [], [])
        if ended in ready and signal.SIGTERM in os.read(ended, 4096):
            break
        if parent in ready:
            break
    _end_all(program, call["grace_s"])
    return {"code": program.returncode}


def _start(call: dict[str, Any]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        call["argv"],
        cwd=call["directory"],
        env=call["environ"],
        start_new_session=True,
        preexec_fn=_end_with_us if sys.platform == "linux" else None,
    )


def _end_with_us() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _leave_its_streams() -> None:
    """Only the program holds them: who reads them sees their end when it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)


def _end_all(program: subprocess.Popen[bytes], grace_s: float) -> None:
    """Ask all that runs below us to end, and kill what still runs after ``grace_s``."""
    began = time.monotonic()
    _signal_all(program, signal.SIGTERM)
    while _reap(program):
        passed_s = time.monotonic() - began
        if passed_s > grace_s + LEFT_WITHIN_S:
            return
        if passed_s > grace_s:
            _signal_all(program, signal.SIGKILL)
        time.sleep(LOOK_EVERY_S)


def _reap(program: subprocess.Popen[bytes]) -> bool:
    """Whether anything runs below us. What has ended is forgotten, but for the program's code.

    All waiting is done here: whoever else waits could take that code away.
    """
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            if pid == program.pid:
                program.returncode = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return False


def _signal_all(program: subprocess.Popen[bytes], sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "linux" and program.returncode is None:
            os.killpg(program.pid, sign)
    for pid in _list_below(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, sign)


def _list_below(top: int) -> Iterator[int]:
    """All processes below ``top``; on Linux alone."""
    children = dict[int, list[int]]()
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdecimal() and (parent := _read_parent(name)) is not None:
            children.setdefault(parent, []).append(int(name))
    ahead = [top]
    while ahead:
        below = children.pop(ahead.pop(), [])
        yield from below
        ahead += below


def _read_parent(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):  # it has ended meanwhile
        return None


if __name__ == "__main__":
    main(int(sys.argv[1]))
