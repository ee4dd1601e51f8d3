"""A command-line program that is asked like a model: the port through which it is run.

Its whole process tree ends with the call. ``infra/service/foundation/programs.py`` runs it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

IDLE_S = 180.0  # a program that prints is alive
CEILING_S = 1_800.0


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """``given`` is its standard input, ``environ`` its whole environment, ``directory`` where it
    runs; None: an empty one of its own, removed behind it, which is also its TMPDIR unless
    ``environ`` names another. It is idle while it writes to neither of its outputs.
    """

    argv: tuple[str, ...]
    given: str
    environ: Mapping[str, str]
    directory: str | None = None
    idle_s: float = IDLE_S
    ceiling_s: float = CEILING_S


class Programs(Protocol):
    def run(self, call: ProgramCall) -> AsyncGenerator[str, None]:
        """Lines of its standard output as they come, of any length, without their ends.

        Raises ProgramFailed after the lines that came. Closing the generator ends the program.
        """
        ...


class ProgramFailed(Exception):
    """``missing``: it cannot be started. ``idle``: it printed nothing for too long. ``ceiling``:
    it took too long in all, or printed a line without end. ``exit``: it ended with ``code``;
    ``errors`` is the end of what it wrote to standard error.
    """

    def __init__(
        self,
        kind: Literal["missing", "idle", "ceiling", "exit"],
        message: str,
        *,
        code: int | None = None,
        errors: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.errors = errors
