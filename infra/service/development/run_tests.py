"""The tests of a run's files, run behind the walls."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from agents.development.governed.exit_codes import RUNNERS
from agents.development.tools.ports import CommandRunner
from agents.development.workflow_ports import TestRun

MOST_OUTPUT = 20_000  # characters, the end of what was printed


@dataclass(frozen=True, slots=True)
class WalledTests:
    """See ``agents.development.workflow_ports.TestRunner``; ``argv`` is the command."""

    __test__: ClassVar[bool] = False

    runner: CommandRunner
    argv: tuple[str, ...]

    async def run(self) -> TestRun:
        """Raises SandboxError where nothing was run."""
        outcome = await self.runner.run(self.argv)
        output = outcome.output
        if outcome.limit:
            output = f"{output}\nEnded at the limit of {outcome.limit}."
        return TestRun(
            runner=name_runner(self.argv),
            exit_code=None if outcome.limit else outcome.code,
            output=output[-MOST_OUTPUT:],
            commands=(shlex.join(self.argv),),
        )


def name_runner(argv: Sequence[str]) -> str:
    """Whose exit codes a command has: the first word that names a runner, else its program."""
    words = [PurePath(word).name for word in argv]
    return next((word for word in words if word in RUNNERS), words[0] if words else "")
