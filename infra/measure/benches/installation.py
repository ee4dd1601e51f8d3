"""An installation of its own for a measurement: a fresh home, driven by the command as users do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.platform.errors import Refusal
from infra.runtime.local.process import own_command

# A service named by these would be measured instead of the fresh one.
ELSEWHERE = ("CAIRN_KAFKA_BOOTSTRAP", "CAIRN_DATABASE_URL", "CAIRN_RUNTIME", "CAIRN_TOPIC_PREFIX")


@dataclass(frozen=True, slots=True)
class Installation:
    """A running service in ``home``."""

    home: Path

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environ = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        return subprocess.Popen(
            own_command(*arguments),
            env=environ | {"CAIRN_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> str:
        """Standard output of a command. Raises Refusal with its last words when it fails."""
        process = self.start(*arguments)
        try:
            out, err = process.communicate()
        finally:
            process.kill()  # when it was not waited for to the end
        if process.returncode:
            last = (err.strip() or out.strip()).splitlines()[-1:]
            raise Refusal(f"`cairn {arguments[0]}` failed in the bench: {' '.join(last)}")
        return out

    def json(self, *arguments: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]

    def project(self, name: str) -> None:
        self.run("project", "create", name)


@contextmanager
def installation(workers: int = 1) -> Iterator[Installation]:
    """A fresh one, stopped and removed afterwards."""
    fresh = Installation(Path(tempfile.mkdtemp(prefix="cairn-bench-")))
    try:
        fresh.run("up", "--detach", "--workers", str(workers))
        yield fresh
    finally:
        fresh.start("down").communicate()
        shutil.rmtree(fresh.home, ignore_errors=True)
