"""The files of a repository at one commit: nothing that is not committed is read, nor any link."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from agents.development.errors import ConfigurationError
from infra.platform.errors import Invalid
from infra.runtime.walls.git import call_git, start_git
from infra.service.development.repositories import find_git_dir

REGULAR = ("100644", "100755")
LARGEST_FILE_BYTES = 1_000_000


class CommittedFiles:
    """See ``agents.development.codebase.CodeFiles``. ``redact`` removes secrets from texts."""

    def __init__(
        self, blobs: dict[str, str], ask: Callable[[str], bytes], redact: Callable[[str], str]
    ) -> None:
        self._blobs, self._ask, self._redact = blobs, ask, redact

    def list_paths(self) -> Sequence[str]:
        return sorted(self._blobs)

    def read(self, path: str) -> str | None:
        try:
            return self._redact(self._ask(self._blobs[path]).decode())
        except (KeyError, UnicodeDecodeError):
            return None


@contextmanager
def open_committed_files(
    repository: str, commit: str, redact: Callable[[str], str]
) -> Iterator[CommittedFiles]:
    """The files of a commit for the block; those that are very long are left out.

    Raises ConfigurationError where the repository cannot be read.
    """
    try:
        git_dir = find_git_dir(repository)
        listed = call_git(git_dir, ("ls-tree", "-r", "-l", "-z", "--full-tree", commit))
        with start_git(git_dir, "cat-file", "--batch") as process:
            try:
                yield CommittedFiles(_read_listing(listed), lambda it: _ask(process, it), redact)
            finally:
                process.kill()
    except (Invalid, OSError, ValueError) as error:
        raise ConfigurationError(
            f"The files of commit {commit[:12]} cannot be read from the repository"
            f" ({type(error).__name__}): see whether it is still there."
        ) from error


def _read_listing(listed: bytes) -> dict[str, str]:
    """The blob of each regular file by its path."""
    blobs = {}
    for row in listed.split(b"\0"):
        place, _, path = row.partition(b"\t")
        parts = place.decode().split()
        if len(parts) == 4 and parts[0] in REGULAR and int(parts[3]) <= LARGEST_FILE_BYTES:
            blobs[path.decode(errors="replace")] = parts[2]
    return blobs


def _ask(process: subprocess.Popen[bytes], blob: str) -> bytes:
    """The content of a blob. Raises OSError, ValueError."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{blob}\n".encode())
    process.stdin.flush()
    head = process.stdout.readline().split()
    if len(head) != 3:
        raise ValueError(f"git has no blob {blob}")
    content = process.stdout.read(int(head[2]))
    process.stdout.read(1)  # the line's end behind it
    return content
