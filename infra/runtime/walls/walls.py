"""The walls of this machine, and how a command is run behind them."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import platform
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from infra.runtime.walls import bubblewrap
from infra.runtime.walls.errors import WallsBroken, WallsMissing
from infra.runtime.walls.git_copies import copy_for_commands, objects_of
from infra.runtime.walls.landlock import LEAST_VERSION, landlock_version
from infra.runtime.walls.layout import DEVICES, FACTS, SANDBOX_ID, Layout, environ_of
from infra.runtime.walls.limits import DEFAULT_LIMITS, Limits
from infra.runtime.walls.processes import count_threads
from infra.runtime.walls.running import BegunPipe, Finished, Running
from infra.runtime.walls.syscalls import NUMBERS
from infra.runtime.walls.workspace import Handover, check_workspace, remove_trees

WallsKind = Literal["bubblewrap", "landlock"]
KINDS: tuple[WallsKind, ...] = ("bubblewrap", "landlock")


@dataclass(frozen=True, slots=True)
class Command:
    """``git_dir``: where the git directory of the workspace is, outside of it; commands get a copy
    that is thrown away. ``environ`` is added to the small one that every command has.
    """

    argv: tuple[str, ...]
    workspace: Path
    git_dir: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Outcome:
    """``removed``: git directories that the command had made in the workspace."""

    finished: Finished
    removed: tuple[str, ...] = ()


class Walls:
    """Where commands run; `choose_walls` makes it."""

    def __init__(self, kind: WallsKind, layout: Layout) -> None:
        self.kind: WallsKind = kind
        self._layout = layout

    async def run(self, command: Command) -> Outcome:
        """Run one command; others in the same workspace wait.

        Raises WorkspaceUnfit, and WallsBroken when the walls cannot be built; nothing ran then.
        """
        if not command.argv or any("\0" in part for part in command.argv):
            raise WallsBroken("A command needs a program, and no argument may hold a NUL.")
        workspace = check_workspace(command.workspace)
        async with _alone(workspace), _scratch() as scratch:
            return await self._run(command, workspace, scratch)

    async def _run(self, command: Command, workspace: Path, scratch: Path) -> Outcome:
        environ, git = dict(command.environ), scratch / "git"
        shown: tuple[Path, ...] = ()
        git_dir = command.git_dir or _git_inside(workspace)
        if git_dir is not None:
            await asyncio.to_thread(copy_for_commands, git_dir, git)
            shown = (await asyncio.to_thread(objects_of, git_dir),)
            environ |= {"GIT_DIR": str(git), "GIT_WORK_TREE": str(workspace)}
        if secrets := self._layout.list_shown_secrets(workspace, *shown):
            raise WallsBroken(
                f"A command would see {secrets[0]}, which holds secrets: name another workspace."
            )
        handover = await asyncio.to_thread(Handover, workspace, *_made(scratch))
        begun = BegunPipe()
        try:
            await asyncio.to_thread(handover.take)
            running = await asyncio.to_thread(Running, workspace, command.limits)
            spec, argv = self._start(command, workspace, environ, handover, shown, scratch, begun)
            finished = await running.run(json.dumps(spec), argv, begun)
        finally:
            begun.close()
            removed = await asyncio.to_thread(handover.give_back)
        return Outcome(finished, removed)

    def _start(
        self,
        command: Command,
        workspace: Path,
        environ: Mapping[str, str],
        handover: Handover,
        shown: tuple[Path, ...],
        scratch: Path,
        begun: BegunPipe,
    ) -> tuple[dict[str, Any], list[str]]:
        """What the first process is told, and what it becomes."""
        spec: dict[str, Any] = {
            "walls": self.kind,
            "limits": _rlimits(command.limits),
            "begun": begun.writing,
        }
        covered = handover.covered
        if self.kind == "bubblewrap":
            spec["environ"] = environ_of(self._layout, bubblewrap.HOME, environ)
            program, reason = bubblewrap.find_bubblewrap()
            if program is None:
                raise WallsMissing(reason)
            argv = bubblewrap.argv_of(
                *(program, self._layout, command.limits, workspace, covered, shown),
                _made(scratch)[1:],  # its /tmp is its own
            )
            return spec, [*argv, *command.argv]
        if covered:
            raise WallsBroken(
                f"{next(iter(covered))} lies in the workspace, and Landlock cannot hide it: install"
                " bubblewrap, or keep git's directory outside of the workspace."
            )
        spec |= {
            "environ": environ_of(self._layout, str(scratch / "home"), environ),
            "uid": SANDBOX_ID if os.geteuid() == 0 else None,
            "directory": str(workspace),
            "read": [*self._layout.readable(), *FACTS, *map(str, shown)],
            "write": [str(workspace), *map(str, _made(scratch))],
            "devices": list(DEVICES),
        }
        return spec, list(command.argv)


def choose_walls(layout: Layout, only: WallsKind | None = None) -> Walls:
    """bubblewrap where it is, else Landlock. Raises WallsMissing with the reasons, never less."""
    reasons = []
    for kind in KINDS:
        if only in (None, kind):
            reason = why_missing(kind)
            if reason is None:
                return Walls(kind, layout)
            reasons.append(reason)
    raise WallsMissing(
        f"Commands cannot be shut in on this machine: {'; '.join(reasons)}. Nothing was run."
    )


def why_missing(kind: WallsKind) -> str | None:
    """None: these walls can be had here."""
    if platform.system() != "Linux" or platform.machine() not in NUMBERS:
        return f"{kind} needs Linux on x86-64 or ARM64"
    if kind == "bubblewrap":
        return bubblewrap.find_bubblewrap()[1] or None
    version = landlock_version()
    if version < LEAST_VERSION:
        return f"the kernel has Landlock {version or 'not at all'}, {LEAST_VERSION} is needed"
    return None


def _rlimits(limits: Limits) -> dict[str, int]:
    """The kernel counts processes by user: those that run already are added. Root has none."""
    running = count_threads(SANDBOX_ID if os.geteuid() == 0 else os.geteuid())
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 64 * 1024,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_DATA": limits.memory_bytes,
        "RLIMIT_NPROC": running + limits.processes,
    }


def _git_inside(workspace: Path) -> Path | None:
    """The git directory of a workspace that is somebody's checkout."""
    place = workspace / ".git"
    return place if place.is_dir() and not place.is_symlink() else None


def _made(scratch: Path) -> tuple[Path, ...]:
    return tuple(path for path in (scratch / "home", scratch / "git") if path.is_dir())


@asynccontextmanager
async def _scratch() -> AsyncIterator[Path]:
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="cairn-walls-"))
    try:
        folder.chmod(0o711)
        (folder / "home").mkdir()
        yield folder
    finally:
        await asyncio.to_thread(remove_trees, folder)


@asynccontextmanager
async def _alone(workspace: Path) -> AsyncIterator[None]:
    """No two commands in one workspace, whichever process of Cairn runs them."""
    descriptor = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
