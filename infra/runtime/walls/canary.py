"""A canary: tries from inside what the walls must stop, and looks from outside whether it did.

A file, a variable, a process and a port are planted where any program of this machine could reach
them. Each try has to fail, and writing into the workspace has to work, or nothing was proven.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.runtime.walls.errors import WallsBroken, WallsMissing
from infra.runtime.walls.layout import Layout
from infra.runtime.walls.limits import MIB, Limits
from infra.runtime.walls.walls import KINDS, Command, Walls, choose_walls, why_missing

LIMITS = Limits(time_s=60.0, disk_bytes=64 * MIB, memory_bytes=512 * MIB)
VARIABLE = "PLANTED_BY_THE_CANARY"
# The probe sees its own text among the processes, so no message stands in it as it is printed.
# `$0` is the planted folder, `$1` the port, `$2` the process.
PROBE = r"""
echo works > inside && echo "inside: $(cat inside)"
(echo hole > "$0/written") 2>&1
cat "$0/key" 2>&1
env
(exec 3<>"/dev/tcp/127.0.0.1/$1" ) 2>&1
cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n'
kill -KILL "$2" 2>&1
(exec 3<>"/proc/$2/mem") 2>&1 && echo "memory "opened
mkdir -p "$0/folder" 2>&1
ln "$0/key" linked 2>&1 && echo "linked: $(cat linked)"
echo "probe done"
"""


@dataclass(frozen=True, slots=True)
class Check:
    """``holds``: the walls stopped what was tried; ``finding`` says so in words."""

    name: str
    holds: bool
    finding: str


@dataclass(frozen=True, slots=True)
class Planted:
    folder: Path
    key: str
    port: int
    process: asyncio.subprocess.Process
    mark: str
    callers: list[str]

    @property
    def argv(self) -> tuple[str, ...]:
        """The probe, as a command; nothing in it gives the secrets away."""
        return ("bash", "-c", PROBE, str(self.folder), str(self.port), str(self.process.pid))

    def judge(self, output: str, workspace: Path) -> list[Check]:
        """What a run of the probe has shown."""
        is_done = "inside: works" in output and "probe done" in output
        written = sorted(path.name for path in self.folder.iterdir() if path.name != "key")
        is_alive = self.process.returncode is None
        return [
            _check("inside", is_done, "the workspace can be written", "the probe did not run"),
            _check("writing", not written, "no file was written outside", f"wrote {written}"),
            _check("reading", self.key not in output, "a planted key was not read", "read a key"),
            _check(
                "environment",
                self.mark + "-variable" not in output,
                "a planted variable was not seen",
                "saw a variable of the host",
            ),
            _check(
                "network",
                not self.callers,
                "a port of this machine could not be reached",
                "reached a port of this machine",
            ),
            _check(
                "processes",
                self.mark + "-argument" not in output and "memory opened" not in output,
                "another process was not seen",
                "saw another process",
            ),
            _check("signals", is_alive, "another process still runs", "ended another process"),
            _check(
                "leaving nothing",
                not any(path.name != "inside" for path in workspace.iterdir()),
                "no file of the host was linked into the workspace",
                "linked a file of the host into the workspace",
            ),
        ]


def _check(name: str, holds: bool, fine: str, broken: str) -> Check:
    return Check(name, holds, fine if holds else broken)


@asynccontextmanager
async def plant() -> AsyncIterator[Planted]:
    """Bait that any program of this machine can reach; it is cleared away afterwards."""
    mark, key, callers = secrets.token_hex(16), secrets.token_hex(16), list[str]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        callers.append(str(writer.get_extra_info("peername")))
        writer.close()

    with tempfile.TemporaryDirectory(prefix="cairn-canary-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "key").write_text(key)
        (folder / "key").chmod(0o644)
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", "read line", f"{mark}-argument"),
            stdin=asyncio.subprocess.PIPE,
            env=os.environ | {VARIABLE: f"{mark}-variable"},
        )
        try:
            port = server.sockets[0].getsockname()[1]
            yield Planted(folder, key, port, process, mark, callers)
        finally:
            server.close()
            if process.returncode is None:
                process.kill()
            await process.wait()


async def check_walls(walls: Walls) -> list[Check]:
    """Try the walls. Raises WallsBroken when they cannot even be built."""
    async with plant() as planted:
        with tempfile.TemporaryDirectory(prefix="cairn-walls-check-") as name:
            workspace = Path(name)
            outcome = await walls.run(Command(planted.argv, workspace, limits=LIMITS))
            await asyncio.sleep(0)  # a connection that came in is counted
            return planted.judge(outcome.finished.output, workspace)


async def build_walls(layout: Layout) -> tuple[Walls, Sequence[Check]]:
    """The walls of this machine, tried: bubblewrap where it can be built, else Landlock.

    Raises WallsMissing with the reason of each, and WallsBroken when walls that stand have a hole:
    then others are not tried, since something is wrong with this machine.
    """
    reasons = []
    for kind in KINDS:
        if reason := why_missing(kind):
            reasons.append(reason)
            continue
        walls = choose_walls(layout, kind)
        try:
            checks = await check_walls(walls)
        except WallsBroken as error:
            reasons.append(f"{kind}: {error}")
            continue
        if holes := [f"{each.name} ({each.finding})" for each in checks if not each.holds]:
            raise WallsBroken(
                f"The walls of {kind} do not hold: {', '.join(holes)}. No command is run.",
                detail={"walls": kind, "holes": holes},
            )
        return walls, checks
    raise WallsMissing(
        f"Commands cannot be shut in on this machine: {'; '.join(reasons)}. No command is run.",
        detail={"reasons": reasons},
    )
