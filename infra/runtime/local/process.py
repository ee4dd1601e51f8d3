"""Child processes that end with their parent, and strangers that are never mistaken for them.

A process is known by its pid and the moment it started, never by its name: pids come again,
names are shared with other installations. Decided against: pid files alone, searching by command.
"""

import contextlib
import fcntl
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from infra.platform.errors import DiskFull
from infra.platform.files import PRIVATE_FOLDER, write_whole

Say = Callable[[str], None]  # one line for the person who waits


class Process(Protocol):
    """A child of ours, as `subprocess.Popen` shows one."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | Any: ...  # None while it runs
    def poll(self) -> int | None: ...
    def wait(self) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...
    def terminate(self) -> None: ...


PR_SET_PDEATHSIG = 1
PRIVATE_UMASK = 0o077  # what a process makes is its user's alone
POLL_S = 0.05
_CLAIMED: dict[int, int] = {}  # ports with the open files that hold them


@dataclass(frozen=True)
class ProcessId:
    """One process, also after its pid was given to another."""

    pid: int
    started: str  # clock ticks since the boot named with it, or the start time where there is none

    def alive(self) -> bool:
        """Whether this very process runs; a zombie does not."""
        return start_time_of(self.pid) == self.started

    def end(self, *, first: signal.Signals = signal.SIGTERM, patience_s: float = 15) -> None:
        """The process does not run any more: asked first, killed after ``patience_s``."""
        for sign in (first, signal.SIGKILL):
            if not self.alive():
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, sign)
            wait_until(lambda: not self.alive(), timeout_s=patience_s)


def start_time_of(pid: int) -> str | None:
    """What tells this process from another with the same pid; None when it does not run."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        state, start_ticks = fields[0], fields[19]  # proc(5): fields 3 and 22
        return None if state in "ZX" else f"{start_ticks}@{boot}"
    import psutil  # it takes longer to load than some commands take

    try:
        process = psutil.Process(pid)
        dead = process.status() == psutil.STATUS_ZOMBIE
        return None if dead else f"{process.create_time():.2f}"
    except psutil.Error:
        return None


def identify(pid: int) -> ProcessId:
    """The identity of a running process. Raises ProcessLookupError when there is none."""
    started = start_time_of(pid)
    if started is None:
        raise ProcessLookupError(pid)
    return ProcessId(pid, started)


def own_command(*arguments: str) -> list[str]:
    """The command line of this Cairn.

    With ``-P`` a folder in which it starts cannot give it another ``infra``.
    """
    return [sys.executable, "-P", "-m", "infra.cli", *arguments]


def spawn(
    argv: Sequence[str | Path],
    *,
    log: Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    user: str | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """A child in its own process group, with ``log`` for both outputs, that ends with us.

    Call it from the main thread: Linux sends ``death_signal`` when the *thread* that started the
    child ends. Elsewhere the child outlives a kill -9 of us and is found again as an orphan.
    """
    log.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    parent = os.getpid()
    import ctypes  # noqa: F401  # before the fork; loading it costs short commands too much

    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            user=user,
            group=group_of(user) if user else None,
            extra_groups=[] if user else None,
            process_group=0,
            umask=PRIVATE_UMASK,
            preexec_fn=partial(end_with_parent, parent, death_signal),
        )


def end_with_parent(parent: int, death_signal: signal.Signals) -> None:
    """This new process gets ``death_signal`` when ``parent`` ends (Linux)."""
    import ctypes

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)


def remember(path: Path, process: ProcessId) -> None:
    """``path`` names the process; read back with ``recall``. On a full disk it names nobody."""
    path.unlink(missing_ok=True)
    with contextlib.suppress(DiskFull):
        write_whole(path, json.dumps({"pid": process.pid, "started": process.started}))


def recall(path: Path) -> ProcessId | None:
    """The process ``path`` names, if that very process still runs."""
    try:
        known = json.loads(path.read_text())
        process = ProcessId(int(known["pid"]), str(known["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return process if process.alive() else None


def end_orphan(known: Path, say: Say, what: str, first: signal.Signals = signal.SIGTERM) -> None:
    """A server that an earlier crash left behind is stopped; it is known by pid and start time."""
    if orphan := recall(known):
        say(f"An earlier crash left {what} running (pid {orphan.pid}): stopping it.")
        orphan.end(first=first)
    known.unlink(missing_ok=True)


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> bool:
    """Whether ``condition`` came true within ``timeout_s``."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def free_ports(count: int) -> list[int]:
    """Different ports that nobody listens on, and that no other start of this user has drawn.

    A server listens seconds after its port was drawn: until this process ends the port stays ours.
    Below the range from which systems pick ports for outgoing connections (32768 and up): there
    a client that keeps trying a stopped server can connect to itself and hold the port for good.
    """
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(15_000, 32_000)
        if port not in found and port_is_free(port) and _claim(port):
            found.append(port)
    return found


def _claim(port: int) -> bool:
    """Whether no other process of this user has drawn the port and still runs."""
    if port in _CLAIMED:
        return False
    folder = Path(tempfile.gettempdir()) / f"cairn-ports-{os.getuid()}"
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        mark = os.open(folder / str(port), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return True  # nobody can be asked
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(mark)
        return False
    _CLAIMED[port] = mark
    return True


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def port_answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def keep_ports(path: Path, count: int) -> list[int]:
    """The ports of the last start while they can be had, else free ones; recorded in ``path``.

    Clients keep addresses, so a restart on the same data comes back where it was.
    """
    try:
        ports = [int(port) for port in json.loads(path.read_text())]
    except (OSError, ValueError, TypeError):
        ports = []
    if len(ports) != count or not all(port_is_free(port) for port in ports):
        ports = free_ports(count)
        write_whole(path, json.dumps(ports))
    return ports


def tail(path: Path, lines: int = 5) -> str:
    """The last lines of a log, for an error message."""
    try:
        return " | ".join(path.read_text(errors="replace").strip().splitlines()[-lines:])
    except OSError:
        return "(no log)"


def group_of(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid
