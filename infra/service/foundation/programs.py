"""Programs of this machine for agents: the port ``agents.models.programs``."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents.models.programs import ProgramCall, ProgramFailed
from infra.runtime.programs import GRACE_S, Program, ProgramEnded, run_program


class MachinePrograms:
    """Runs each program as a child process whose tree ends with the call.

    ``grace_s``: how long a program that is asked to end may take.
    """

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s

    async def run(self, call: ProgramCall) -> AsyncGenerator[str, None]:
        program = Program(
            argv=call.argv,
            given=call.given,
            environ=call.environ,
            directory=call.directory,
            idle_s=call.idle_s,
            ceiling_s=call.ceiling_s,
            grace_s=self._grace_s,
        )
        try:
            async with aclosing(run_program(program)) as lines:
                async for line in lines:
                    yield line
        except ProgramEnded as end:
            raise ProgramFailed(end.kind, str(end), code=end.code, errors=end.errors) from end
