"""A child process that computes one job after another; see ``streams.shell.pool``.

Started as ``python -m streams.shell.child PARENT NICE``. Lists of jobs and of answers are
length-prefixed pickles on standard input and output. It imports what its first job needs and
nothing before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

LENGTH = struct.Struct(">I")
PR_SET_PDEATHSIG = 1
AUTOGROUP = Path("/proc/self/autogroup")


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answers lists of jobs with lists of answers until there are none."""
    while len(header := source.read(LENGTH.size)) == LENGTH.size:
        jobs: list[bytes] = pickle.loads(source.read(LENGTH.unpack(header)[0]))
        answers = pickle.dumps([answer_to(job) for job in jobs], pickle.HIGHEST_PROTOCOL)
        sink.write(LENGTH.pack(len(answers)) + answers)
        sink.flush()


def answer_to(job: bytes) -> bytes:
    """``("done", result)`` or ``("failed", class, place)``."""
    from streams.shell.failures import failure_of

    try:
        name, arguments = pickle.loads(job)
        return pickle.dumps(("done", function_of(name)(*arguments)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        failure = failure_of(error)
        return pickle.dumps(("failed", failure.error_class, failure.error))


def can_read(job: bytes) -> bool:
    """Once all that ``job`` needs is imported; it is not done."""
    name, _ = pickle.loads(job)
    function_of(name)
    return True


@lru_cache(64)
def function_of(name: bytes) -> Callable[..., object]:
    """The function of a job: there are few, and they come with every one."""
    function: Callable[..., object] = pickle.loads(name)
    return function


def end_with_parent(parent: int) -> None:
    """This process is killed when ``parent`` ends, also by kill -9 (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)


def give_way(nice: int) -> None:
    """The parent goes first by ``nice``, also where the kernel counts it within a session only."""
    of_parent = os.getpriority(os.PRIO_PROCESS, os.getppid())
    os.setpriority(os.PRIO_PROCESS, 0, of_parent + nice)
    with contextlib.suppress(OSError):  # elsewhere there are no such groups
        AUTOGROUP.write_text(str(nice))


def main() -> None:
    parent, nice = (int(argument) for argument in sys.argv[1:3])
    end_with_parent(parent)
    give_way(nice)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a job prints must not end up among the answers
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
