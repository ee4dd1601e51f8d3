"""A PostgreSQL of the distribution that takes connections over TLS alone."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from infra.platform import postgres
from infra.runtime.local.process import free_ports, group_of, spawn, tail, wait_until
from infra.runtime.local.runtime import stop
from tests.certificates import Authority

OWNER = "cairn"
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root


def binaries() -> Path | None:
    """The newest PostgreSQL of the distribution (Debian's place); None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda it: it.parts[-3])
    return found[-1].parent if found else None


class Database:
    """A server under ``folder``; its owner is no superuser and has one empty database."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        self._folder = folder / "postgres"
        self._authority = authority
        self._password = secrets.token_hex(16)
        (self._port,) = free_ports(1)
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """The URL as it stands in CAIRN_DATABASE_URL."""
        tls = f"sslmode=verify-full&sslrootcert={self._authority.file}"
        return f"postgresql://{OWNER}:{self._password}@127.0.0.1:{self._port}/{OWNER}?{tls}"

    def start(self) -> None:
        programs = binaries()
        assert programs
        self._folder.mkdir(mode=0o700)
        certificate, key, _ = self._authority.sign("database")
        for file in (certificate, key):
            shutil.copy(file, self._folder)
        (self._folder / "password").write_text(self._password)
        for path in (self._folder, *self._folder.iterdir()):
            if self._user:
                shutil.chown(path, self._user, group_of(self._user))
                self._folder.parent.chmod(0o711)
        (self._folder / "password").chmod(0o600)
        self._run(
            *(str(programs / "initdb"), "-D", "data", "-U", "admin", "--pwfile=password"),
            *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"),
        )
        (self._folder / "data/pg_hba.conf").write_text(
            "hostssl all all 127.0.0.1/32 scram-sha-256\n"
        )
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": "",
            "ssl": "on",
            "ssl_cert_file": str(self._folder / certificate.name),
            "ssl_key_file": str(self._folder / key.name),
            "fsync": "off",
        }
        self._process = spawn(
            [
                *(programs / "postgres", "-D", "data"),
                *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
            ],
            log=self._folder.parent / "postgres.log",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            cwd=self._folder,
            user=self._user,
            death_signal=signal.SIGINT,
        )
        admin = self.address.replace(f"//{OWNER}:", "//admin:").replace(f"/{OWNER}?", "/postgres?")
        log = self._folder.parent / "postgres.log"
        assert wait_until(lambda: postgres.answers(admin), timeout_s=60), tail(log)
        with postgres.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{self._password}'".encode())
            connection.execute(f"CREATE DATABASE {OWNER} OWNER {OWNER}".encode())

    def stop(self) -> None:
        if self._process:
            stop(self._process, signal.SIGINT)

    def _run(self, *command: str) -> None:
        result = subprocess.run(
            command,
            cwd=self._folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            user=self._user,
            group=group_of(self._user) if self._user else None,
            extra_groups=[] if self._user else None,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
