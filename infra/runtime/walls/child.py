"""The first process of a command: it ends all others of it, wherever they have gone.

``python -S -P -m infra.runtime.walls.child SPEC ARGV…``. It sets the limits and starts a child,
which becomes bubblewrap, with the filter of system calls in hand, or takes the walls of Landlock
itself and becomes the command. This process stays outside of the walls as the parent that every
process of the command falls to. What fails before the command begins is written to the descriptor
``spec["begun"]``; one line ``begun`` there means that all walls stand.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import signal
import sys
from typing import Any, NoReturn

from infra.runtime.walls.landlock import open_rules, restrict
from infra.runtime.walls.layout import BEGUN
from infra.runtime.walls.processes import descendants
from infra.runtime.walls.seccomp import build_filter, load_filter

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 38, 36
NOT_STARTED = 127
_library = ctypes.CDLL(None, use_errno=True)


def set_limits(limits: dict[str, int]) -> None:
    """Soft and hard at once; one that is above what is allowed already stays as it is."""
    for name, most in limits.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (value, value))
    with open("/proc/self/oom_score_adj", "w") as file:  # short of memory, it goes first
        file.write("1000")


def become_bubblewrap(spec: dict[str, Any], argv: list[str]) -> NoReturn:
    """``argv`` has a place for the number of the filter's descriptor."""
    program = build_filter(platform.machine(), has_network_of_its_own=True, may_set_attributes=True)
    reading, writing = os.pipe()
    os.write(writing, program)  # some hundred bytes: a pipe holds them
    os.close(writing)
    os.set_inheritable(reading, True)
    if spec["begun"] != BEGUN:  # the command is left no end of the pipe
        os.dup2(spec["begun"], BEGUN)
        os.close(spec["begun"])
    at = argv.index("FILTER")
    os.execve(argv[0], [*argv[:at], str(reading), *argv[at + 1 :]], spec["environ"])


def become_command(spec: dict[str, Any], argv: list[str]) -> NoReturn:
    """Behind Landlock. With ``uid`` as another user, who owns nothing outside of the workspace."""
    program = build_filter(
        platform.machine(),
        has_network_of_its_own=False,
        may_set_attributes=spec["uid"] is not None,
    )
    os.chdir(spec["directory"])
    rules = open_rules(spec["read"], spec["write"], spec["devices"])
    if spec["uid"] is not None:
        os.setgroups([])
        os.setresgid(spec["uid"], spec["uid"], spec["uid"])
        os.setresuid(spec["uid"], spec["uid"], spec["uid"])
    _library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    restrict(rules)
    load_filter(program)
    os.write(spec["begun"], b"begun\n")
    os.close(spec["begun"])
    try:
        os.execvpe(argv[0], argv, spec["environ"])
    except OSError as error:
        print(f"{argv[0]}: {error.strerror}", flush=True)
        os._exit(NOT_STARTED)


def watch_over(command: int) -> NoReturn:
    """Ends with the command's exit code, behind the last of its processes."""
    while True:
        pid, status = os.wait()
        if pid == command:
            break
    end_all()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def end_all() -> None:
    """No process that came of this one is left: each ends up as its child and is waited for."""
    while True:
        pids = descendants(os.getpid())
        for number in (signal.SIGSTOP, signal.SIGKILL):  # first none may start another
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return


def stop(*_: object) -> NoReturn:
    end_all()
    os._exit(128 + signal.SIGTERM)


def main() -> NoReturn:
    spec, argv = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        set_limits(spec["limits"])
        _library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.signal(signal.SIGTERM, stop)
        _library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if command := os.fork():
            os.close(spec["begun"])
            watch_over(command)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if spec["walls"] == "bubblewrap":
            become_bubblewrap(spec, argv)
        become_command(spec, argv)
    except BaseException as error:
        os.write(spec["begun"], f"{type(error).__name__}: {error}\n".encode())
    os._exit(NOT_STARTED)


if __name__ == "__main__":
    main()
