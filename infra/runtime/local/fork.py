"""Children that are copies of this process, with all that it has imported (Linux).

What one of our processes imports takes seconds of a processor and 50 to 130 MiB. A copy has it at
once, and shares the pages that neither writes to. Only a process with one thread may be copied:
locks that another thread holds would stay taken in the copy for ever.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.platform.files import PRIVATE_FOLDER
from infra.runtime.local.process import PRIVATE_UMASK, end_with_parent

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)


@dataclass
class Copy:
    """A child, as `subprocess.Popen` shows one."""

    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        while (code := self._wait(0)) is None:
            pass
        return code

    def send_signal(self, sign: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sign)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def can_fork() -> bool:
    """Whether a copy of this process works: elsewhere libraries of the system forbid it."""
    return sys.platform == "linux" and threading.active_count() == 1


def keep_still() -> None:
    """What lives now is looked at by no collection, here or in a copy: that would write to it."""
    gc.collect()
    gc.freeze()


def fork(main: Callable[[], object], *, log: Path, env: Mapping[str, str]) -> Copy:
    """A child in its own process group that does ``main``, logs to ``log`` and ends with us.

    As with `infra.runtime.local.process.spawn` call it from the main thread.
    """
    log.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    keep_still()
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        pid = os.fork()
        if pid == 0:
            _be_child(main, parent, output, env)
    finally:  # of the parent: the child has ended
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(output)
    return Copy(pid)


def _be_child(main: Callable[[], object], parent: int, output: int, env: Mapping[str, str]) -> None:
    """Do ``main`` as if this process had just begun; never returns."""
    code = 1
    try:
        end_with_parent(parent, signal.SIGTERM)
        _forget_parent(output, env)
        main()
        code = 0
    except SystemExit as told:
        code = told.code if isinstance(told.code, int) else int(told.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]  # as at the end of any process
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _forget_parent(output: int, env: Mapping[str, str]) -> None:
    """Nothing of the parent's work is left: its signals, files, locks and environment."""
    atexit._clear()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
    os.setpgid(0, 0)
    os.umask(PRIVATE_UMASK)
    source = os.open(os.devnull, os.O_RDONLY)
    for file, number in ((source, 0), (output, 1), (output, 2)):
        os.dup2(file, number)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            with contextlib.suppress(OSError):  # that of the folder itself
                os.close(int(name))
    os.environ.clear()
    os.environ.update(env)
