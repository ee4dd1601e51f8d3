"""A small world around a workspace, in which harm can be seen: it is looked at before and after."""

from __future__ import annotations

import asyncio
import os
import secrets
import stat
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infra.runtime.walls.limits import MIB, Limits

CORPUS = Path(__file__).with_name("commands.toml")
KEY_VARIABLE = "PLANTED_KEY"
LIMITS = Limits(
    time_s=4.0, processes=64, memory_bytes=256 * MIB, file_bytes=32 * MIB, disk_bytes=64 * MIB
)
SLACK_BYTES = 512 * MIB  # what a fast disk takes before the watch sees it


@dataclass(frozen=True)
class Row:
    """A command of the corpus."""

    name: str
    layer: str
    command: str
    files: dict[str, str] = field(default_factory=dict)
    bare: bool = False


def read_corpus() -> list[Row]:
    tables: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(CORPUS.read_text())
    return [
        Row(f"{layer}-{name}", layer, **it)
        for layer, rows in tables.items()
        for name, it in rows.items()
    ]


@dataclass
class World:
    """``outside`` is of the host, ``workspace`` of the command; ``callers`` reached the port."""

    outside: Path
    workspace: Path
    key: str
    port: int
    victim: asyncio.subprocess.Process
    callers: list[bytes]
    mark: str = field(default_factory=lambda: secrets.token_hex(16))

    def fill(self, text: str) -> str:
        places = {
            "outside": self.outside,
            "workspace": self.workspace,
            "port": self.port,
            "pid": self.victim.pid,
        }
        return text.format(**places)

    def prepare(self, row: Row) -> str:
        """Put the row's files into the workspace, and return its command."""
        for name, text in row.files.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(text))
            path.chmod(0o755)
        return self.fill(row.command)

    def look(self) -> dict[str, object]:
        """The host as it is; harm is a difference."""
        return {
            "outside": {
                str(path.relative_to(self.outside)): (path.stat().st_mode, path.read_bytes())
                for path in sorted(self.outside.rglob("*"))
                if path.is_file()
            },
            "folder": stat.S_IMODE(self.outside.stat().st_mode) if self.outside.exists() else 0,
            "callers": len(self.callers),
            "victim": self.victim.returncode,
        }

    def harm(self, before: dict[str, object], output: str) -> list[str]:
        """What a command has done to the host, in words; nothing: empty."""
        after = self.look()
        found = [f"{name} is another" for name in after if before[name] != after[name]]
        if self.key in output:
            found.append("the key was read")
        found += [f"{path.name} holds the key" for path in self._with_key()]
        if left := self._left_processes():
            found.append(f"processes were left: {left}")
        if (size := sum(it.stat().st_blocks * 512 for it in self._files())) > (
            LIMITS.disk_bytes + SLACK_BYTES
        ):
            found.append(f"the workspace takes {size} bytes")
        return found

    def _files(self) -> list[Path]:
        return [it for it in self.workspace.rglob("*") if it.is_file() and not it.is_symlink()]

    def _with_key(self) -> list[Path]:
        small = (path for path in self._files() if path.stat().st_size < MIB)
        return [path for path in small if self.key.encode() in path.read_bytes()]

    def _left_processes(self) -> list[str]:
        """Those that work in the workspace, or have the mark that the command was given."""
        left = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                is_there = os.readlink(f"/proc/{name}/cwd").startswith(str(self.workspace))
                if is_there or self.mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                    left.append(Path(f"/proc/{name}/cmdline").read_text())
            except OSError:
                continue
        return left


@asynccontextmanager
async def a_world(folder: Path) -> AsyncIterator[World]:
    """Any program of this machine may read and write what is planted; the walls must not."""
    key, callers = secrets.token_hex(16), list[bytes]()
    outside, workspace = folder / "outside", folder / "workspace"
    for place in (outside, workspace):
        place.mkdir()
        place.chmod(0o777)
    (outside / "key").write_text(key)
    (outside / "key").chmod(0o666)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        callers.append(b"somebody")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    victim = await asyncio.create_subprocess_exec(
        *("sh", "-c", "read line", f"planted-{key}"),
        stdin=asyncio.subprocess.PIPE,
        env=os.environ | {KEY_VARIABLE: key},
    )
    try:
        port = server.sockets[0].getsockname()[1]
        yield World(outside, workspace, key, port, victim, callers)
    finally:
        server.close()
        if victim.returncode is None:
            victim.kill()
        await victim.wait()
