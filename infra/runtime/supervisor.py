"""`cairn up`: one process that starts everything, keeps it running, and takes it down with it.

Single-threaded on purpose: children are tied to the thread that started them (see
`infra.runtime.local.process.spawn`), so nothing outlives a kill -9 of this process on Linux, and
most are copies of it (`infra.runtime.local.fork`). Decided against: one daemon a service (who
restarts whom?), a supervisor from PyPI (none ties children).
"""

import contextlib
import json
import os
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from infra.platform.disk import NEEDED_BYTES, Disk, fullest, says_full
from infra.platform.errors import (
    BrokerUnavailable,
    DatabaseUnavailable,
    DiskFull,
    Refusal,
    Unavailable,
)
from infra.platform.files import write_whole
from infra.platform.log import get
from infra.platform.settings import Settings, SettingsError
from infra.runtime.local.alone import only_one
from infra.runtime.local.fork import can_fork, fork
from infra.runtime.local.logs import rotate
from infra.runtime.local.patience import STILL_S
from infra.runtime.local.process import Process, ProcessId, Say, identify, own_command, spawn
from infra.runtime.local.runtime import (
    ANSWERS_WITHIN_S,
    Plan,
    Server,
    await_answers,
    await_server,
    planned,
    stop,
    write_runtime,
)
from infra.runtime.supervised import Child

TICK_S = 0.2
LOOK_S = 1.0  # between two looks at disks and the sizes of logs
PREPARE_PAUSES_S = (1.0, 5.0, 15.0)  # each try has as long as requests may take

log = get("supervisor")


@dataclass(frozen=True)
class Program:
    """One of our own processes: ``cairn <arguments>``.

    It runs while ``is_wanted``, which is asked every second. With ``keep_variables`` it is started
    anew, knows nothing of what we have in memory, and gets of our environment what that leaves.
    """

    name: str
    arguments: tuple[str, ...]
    tells_ready: bool = True  # touches the file of `ready_file`; else running is ready
    is_wanted: Callable[[], bool] = lambda: True
    keep_variables: Callable[[Mapping[str, str]], dict[str, str]] | None = None


@dataclass
class Supervisor:
    """Runs servers, then ``prepare`` (topics, migrations), then ``programs``, until told to stop.

    ``say`` and ``greet``, once everything runs, are for the person who waits; the log is for the
    operator. ``run_copy`` does a command in a copy of this process, for which ``load`` imports what
    they need while the servers start; without it each is started anew.
    """

    settings: Settings
    programs: Sequence[Program]
    prepare: Callable[[Settings], None]
    environ: Mapping[str, str]
    say: Say
    greet: Callable[[Settings], None]
    load: Callable[[], None] = lambda: None
    run_copy: Callable[[Sequence[str]], None] | None = None
    children: list[Child] = field(default_factory=list)
    state: str = "starting"
    error: str | None = None
    disk: Disk | None = None  # that is full
    _stopping: bool = False
    _written: str = ""
    _looked_s: float = 0.0

    def run(self) -> None:
        """Returns when everything was stopped by SIGTERM or SIGINT.

        Raises Refusal when another one runs here; what `planned` and ``prepare`` raise.
        """
        make_folder(self.settings.run_folder)
        runs = f"Cairn runs in {self.settings.home}"
        with only_one(self.settings.run_folder, "supervisor", runs), self._signals() as wake:
            self._write()  # at once: who finds the lock taken looks here
            try:
                with planned(self.settings, self._tell, self._start_server) as plan:
                    self._run_planned(plan, wake)
            except Refusal as error:
                self.error = str(error)
                if (disk := fullest(self._folders())).full():
                    self.error = f"{self.error.rstrip('.')}. {disk}: make room there."
                    raise DiskFull(self.error) from error
                raise
            finally:
                self._stop_all()
                self.state = "stopped"
                self._write()

    def _start_server(self, server: Server) -> None:
        self._tell(f"Starting {server.name}…")
        child = Child(
            server.name, server.spawn, server.ready, server.stop_signal, serves_others=True
        )
        child.begin()
        self.children.append(child)
        self._write()

    def _run_planned(self, plan: Plan, wake: int) -> None:
        self.load()
        for server, child in zip(plan.servers, self.children, strict=True):
            assert child.process
            await_server(server, child.process, self._tell, lambda: self._stopping)
            if self._stopping:
                return
            child.state = "running"
            self._write()
        await_answers(plan.located, STILL_S if plan.servers else ANSWERS_WITHIN_S)
        self._prepare_patiently(plan.located)
        write_runtime(self.settings, plan)
        self._match_wanted()
        while not self._stopping:
            self._look_around()
            for child in self.children:
                child.look(self._full_disk)
            if self.state == "starting" and all(c.state == "running" for c in self.children):
                self.state = "ready"
                self._tell("Everything runs.")
                with contextlib.suppress(OSError, Unavailable):  # Cairn does not end for it
                    self.greet(plan.located)
            self._write()
            if select.select([wake], [], [], TICK_S if self._waits() else LOOK_S)[0]:
                os.read(wake, 4096)
        self._tell("Stopping…")

    def _waits(self) -> bool:
        """Whether a child is about to be ready, or to be started again; an end wakes us anyway."""
        return any(child.state != "running" for child in self.children)

    def _prepare_patiently(self, located: Settings) -> None:
        """Once more where broker or database were slow: what is made already is left as it is."""
        for pause_s in PREPARE_PAUSES_S:
            try:
                return self.prepare(located)
            except (BrokerUnavailable, DatabaseUnavailable) as error:
                if self._stopping:
                    raise
                self._tell(f"{error} Trying again in {pause_s:.0f} s.")
                time.sleep(pause_s)
        return self.prepare(located)

    def _look_around(self) -> None:
        """Logs are kept short, and a disk that fills up is told of before something ends."""
        now = time.monotonic()
        if now - self._looked_s >= LOOK_S:
            self._looked_s = now
            if self._full_disk() is None:
                self._match_wanted()
            with contextlib.suppress(OSError):
                rotate(self.settings.log_folder)

    def _match_wanted(self) -> None:
        """Start programs that are wanted, and stop those that are not any more."""
        for program in self.programs:
            child = next((each for each in self.children if each.name == program.name), None)
            if program.is_wanted() == (child is not None):
                continue
            if child is None:
                child = Child(program.name, self._starter(program), self._ready_check(program))
                child.begin()
                self.children.append(child)
            else:
                if child.process:
                    stop(child.process, child.stop_signal)
                self.children.remove(child)

    def _full_disk(self) -> Disk | None:
        """The disk that is full; told of once, and once when it has room again."""
        disk = fullest(self._folders())
        if self.disk is None and disk.full():
            self.disk = disk
            self._tell(
                f"{disk}: make room there. Nothing that ends is started again before there are"
                f" {2 * NEEDED_BYTES:,} bytes; then Cairn goes on by itself."
            )
        elif self.disk and not disk.full(2 * NEEDED_BYTES):
            self._tell(f"The disk at {self.disk.path} has room again: Cairn goes on.")
            self.disk = None
        return self.disk

    def _folders(self) -> list[Path]:
        """Where the disks are that we write to; links may lead to others than the home's."""
        home = self.settings.home
        folders = (home, self.settings.log_folder, self.settings.run_folder)
        return [*folders, home / "kafka", home / "postgres"]

    def _tell(self, line: str) -> None:
        """One line for the person who waits; a full disk does not end us for it."""
        with contextlib.suppress(OSError):
            self.say(line)

    def command(self, program: Program) -> list[str]:
        """The command line of ``program``."""
        return own_command(*program.arguments)

    def _starter(self, program: Program) -> Callable[[], Process]:
        def start() -> Process:
            ready_file(self.settings, program.name).unlink(missing_ok=True)
            keep = program.keep_variables
            env = (keep(self.environ) if keep else dict(self.environ)) | {
                "CAIRN_HOME": str(self.settings.home),
                "CAIRN_PROCESS_NAME": program.name,
            }
            log_file = self.settings.log_folder / f"{program.name}.log"
            if self.run_copy and not keep and can_fork():
                return fork(partial(self.run_copy, program.arguments), log=log_file, env=env)
            return spawn(self.command(program), log=log_file, env=env)

        return start

    def _ready_check(self, program: Program) -> Callable[[], bool]:
        path = ready_file(self.settings, program.name)
        return path.exists if program.tells_ready else lambda: True

    def _stop_all(self) -> None:
        """Ours first and together, then the servers, last started first."""
        self.state = "stopping"
        ours = [child for child in self.children if not child.serves_others]
        servers = [child for child in reversed(self.children) if child.serves_others]
        for child in ours:
            if child.process and child.process.poll() is None:
                child.process.terminate()
        for child in [*ours, *servers]:
            if child.process:
                stop(child.process, child.stop_signal)
            child.state = "stopped"
        with contextlib.suppress(FileNotFoundError):
            (self.settings.home / "runtime.json").unlink()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[int]:
        """A descriptor that becomes readable on SIGTERM, SIGINT and SIGCHLD."""
        wake, write = os.pipe()
        os.set_blocking(write, False)

        def ask_to_stop(_sign: int, _frame: object) -> None:
            self._stopping = True

        before = {
            sign: signal.signal(sign, handler)
            for sign, handler in (
                (signal.SIGTERM, ask_to_stop),
                (signal.SIGINT, ask_to_stop),
                (signal.SIGCHLD, lambda _sign, _frame: None),
            )
        }
        earlier = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        try:
            yield wake
        finally:
            signal.set_wakeup_fd(earlier)
            for sign, handler in before.items():
                signal.signal(sign, handler)
            os.close(wake)
            os.close(write)

    def _write(self) -> None:
        """The state file says what there is now; written only when it changed."""
        me = identify(os.getpid())
        text = json.dumps(
            {
                "supervisor": {"pid": me.pid, "started": me.started},
                "state": self.state,
                "error": self.error,
                "processes": [child.row() for child in self.children],
            }
        )
        if text != self._written:
            with contextlib.suppress(DiskFull):  # tried again at the next look
                write_whole(_state_file(self.settings), text)
                self._written = text


@dataclass(frozen=True)
class State:
    """What `cairn status` knows of a supervisor that runs."""

    supervisor: ProcessId
    state: str
    error: str | None
    processes: list[dict[str, Any]]


def ready_file(settings: Settings, name: str) -> Path:
    """A process of ours makes this file when it works; its name is in CAIRN_PROCESS_NAME."""
    return settings.run_folder / f"{name}.ready"


@contextlib.contextmanager
def named(settings: Settings, environ: Mapping[str, str], name: str = "") -> Iterator[None]:
    """This process alone has its name in its home; ``name`` where the supervisor gave it none.

    A process without any name is one of many. Raises Refusal when another has it.
    """
    name = environ.get("CAIRN_PROCESS_NAME") or name
    if not name:
        yield
        return
    with only_one(settings.run_folder, name, f"`{name}` runs in {settings.home}"):
        yield


def tell_ready(settings: Settings, environ: Mapping[str, str]) -> None:
    """The supervisor, if there is one, knows that this process works. Called once by it."""
    if name := environ.get("CAIRN_PROCESS_NAME"):
        write_whole(ready_file(settings, name), str(os.getpid()))


def read_state(settings: Settings) -> State | None:
    """The running supervisor of this home; None when there is none."""
    known = read_any_state(settings)
    return known if known and known.supervisor.alive() else None


def stop_running(settings: Settings, patience_s: float = 60) -> bool:
    """Nothing of this home runs any more; whether something did."""
    known = read_state(settings)
    if known is None:
        return False
    known.supervisor.end(patience_s=patience_s)
    return True


def _state_file(settings: Settings) -> Path:
    return settings.run_folder / "state.json"


def read_any_state(settings: Settings) -> State | None:
    try:
        known = json.loads(_state_file(settings).read_text())
        return State(
            ProcessId(**known["supervisor"]), known["state"], known["error"], known["processes"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def make_folder(path: Path) -> None:
    """The folder is there and can be written. Raises SettingsError when it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        if says_full(error):
            raise
        raise SettingsError(
            f"{path} cannot be written ({error.strerror}): set CAIRN_HOME to a folder of yours."
        ) from error
