"""What the tools need of the machine. ``infra/runtime/walls`` has the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Parts = tuple[str, ...]  # of a path, from the workspace's folder; without links, `.` and `..`


class WorkspaceFiles(Protocol):
    """The files of one workspace. No method follows a link, whenever it was put there: one in the
    way is an OSError with ELOOP. All else that goes wrong is an OSError, too.
    """

    @property
    def root(self) -> Parts:
        """Where the workspace is on the machine, as the parts of its real path."""
        ...

    def read_link(self, parts: Parts) -> str | None:
        """Where a link leads; None where there is none."""
        ...

    def read(self, parts: Parts, most_bytes: int) -> bytes:
        """The beginning of a regular file."""
        ...

    def write(self, parts: Parts, content: bytes) -> None:
        """Replace a regular file, or make it and the folders above it."""
        ...

    def list_files(self, most: int) -> Sequence[Parts]:
        """Regular files in order, without git's own."""
        ...


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """``limit`` names what ended the command, such as ``time``; None: it ended by itself."""

    code: int
    output: str
    limit: str | None = None


class CommandRunner(Protocol):
    async def run(self, argv: Sequence[str]) -> CommandOutcome:
        """Run a command in the workspace, behind walls. Raises SandboxError when nothing ran."""
        ...
