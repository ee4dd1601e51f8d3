"""A workspace as an archive, to a container elsewhere and back."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from pathlib import Path

from agents.development.errors import SandboxError

MOST_BYTES = 1024**3
GIT = ".git"


def pack(workspace: Path, archive: Path) -> None:
    """All files of a workspace but git's own. Raises SandboxError for one that is too large."""

    def choose(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        is_git = any(part.casefold() == GIT for part in Path(entry.name).parts)
        return entry if not is_git and (entry.isreg() or entry.isdir() or entry.issym()) else None

    with tarfile.open(archive, "w:gz") as file:
        file.add(workspace, ".", filter=choose)
    if archive.stat().st_size > MOST_BYTES:
        raise SandboxError(f"{workspace} is larger than {MOST_BYTES:,} bytes when packed.")


def unpack(archive: Path, workspace: Path) -> None:
    """Have the workspace hold what the archive holds; git's own stays.

    The archive comes from a stranger: what would lie or lead outside of it is refused, and then
    nothing is changed. Raises SandboxError.
    """
    with tempfile.TemporaryDirectory(dir=workspace.parent, prefix=".cairn-unpacked-") as name:
        new = Path(name)
        try:
            with tarfile.open(archive, "r:gz") as file:
                _check_size(file)
                file.extractall(new, filter="data")
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            raise SandboxError(f"What a container has sent back is unfit: {error}") from error
        for old in workspace.iterdir():
            if old.name.casefold() != GIT:
                _remove(old)
        for entry in new.iterdir():
            if entry.name.casefold() != GIT:
                os.replace(entry, workspace / entry.name)


def _check_size(file: tarfile.TarFile) -> None:
    if sum(entry.size for entry in file) > MOST_BYTES:
        raise tarfile.TarError(f"it holds more than {MOST_BYTES:,} bytes")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
