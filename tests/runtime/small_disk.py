"""A real file system of a few megabytes, which nobody but the processes in it sees.

It is mounted in a mount namespace of its own, so nothing is left behind however a test ends. That
needs Linux and either root or user namespaces; where both are refused the test fails and says so.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.runtime.local.process import wait_until

AS_ROOT = os.geteuid() == 0
WITHIN = ("unshare", "--mount", *(() if AS_ROOT else ("--map-current-user", "--keep-caps")))
ENTER = ("nsenter", "--mount", *(() if AS_ROOT else ("--user", "--preserve-credentials")))
CHUNK = b"x" * 65_536


@dataclass
class SmallDisk:
    """``process`` runs with ``home`` on the small disk; ``seen`` is that folder from outside."""

    process: subprocess.Popen[str]
    home: Path
    said: Path

    @property
    def seen(self) -> Path:
        return Path(f"/proc/{self.process.pid}/root{self.home}")

    def fill(self) -> None:
        with contextlib.suppress(OSError), (self.seen / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(CHUNK)

    def make_room(self) -> None:
        (self.seen / "filler").unlink()

    def run(self, *command: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """The result of a command that sees the disk as ``process`` does."""
        enter = (*ENTER, f"--target={self.process.pid}", f"--wdns={os.getcwd()}")
        return subprocess.run([*enter, *command], env=dict(env), capture_output=True, text=True)

    def stderr(self) -> str:
        return self.said.read_text()


@contextlib.contextmanager
def on_a_small_disk(
    home: Path, megabytes: int, code: str, env: Mapping[str, str], said: Path, *before: str
) -> Iterator[SmallDisk]:
    """Python runs ``code`` with ``home`` on a disk of so many megabytes, after shell ``before``."""
    mount = f'mount -t tmpfs -o size={megabytes}m,mode=755 tmpfs "$0"'
    script = " && ".join((mount, *before, 'exec "$@"'))
    with said.open("w") as output:
        process = subprocess.Popen(
            [*WITHIN, "sh", "-c", script, home, sys.executable, "-c", code],
            env=dict(env),
            stdout=output,
            stderr=output,
            text=True,
        )
    disk = SmallDisk(process, home, said)
    try:
        mounted = wait_until(
            lambda: process.poll() is not None or disk.seen.is_mount(), timeout_s=60
        )
        assert mounted, "no disk could be mounted: root or user namespaces are needed"
        yield disk
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=60)
        process.kill()
        process.wait()
