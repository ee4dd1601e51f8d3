"""Files of a repository for a prompt: only what lies inside, no links out, no secrets."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from agents.development.codebase.secret_paths import is_secret_path
from agents.development.errors import PathTraversalError, SecurityError, ToolError
from agents.development.oracle import MOST_FILES, ContextFile

MOST_FILE_BYTES = 1024 * 1024
MOST_CHARS = 60_000  # of all files together
LONGEST_PATH = 500


def read_context_files(
    repository: Path, names: Sequence[str], redact: Callable[[str], str]
) -> tuple[ContextFile, ...]:
    """The files of these names, without secrets in their text; what has no room is cut, and a line
    says so. Raises SecurityError for what may not be read, ToolError for what cannot be.
    """
    if len(names) > MOST_FILES:
        raise ToolError(f"{len(names)} files are too many: name at most {MOST_FILES}.")
    root = _resolve(repository)
    if not root.is_dir():
        raise ToolError(f"There is no folder {repository.name!r} to read files from.")
    files, room = list[ContextFile](), MOST_CHARS
    for place in dict.fromkeys(_find(root, name) for name in names):
        path = place.relative_to(root).as_posix()
        text = redact(_read(place, path))
        files.append(ContextFile(redact(path), _cut(text, room)))
        room = max(0, room - len(text))
    return tuple(files)


def _find(root: Path, name: str) -> Path:
    """The file of that name, links resolved. Raises SecurityError, ToolError."""
    if not name.strip() or "\0" in name or len(name) > LONGEST_PATH:
        raise ToolError(f"{name[:80]!r} is no path of a file.")
    place = _resolve(root / name)
    if not place.is_relative_to(root):
        raise PathTraversalError(f"{name!r} leads out of the repository, so it is not read.")
    if any(map(is_secret_path, (place.relative_to(root).as_posix(), os.path.normpath(name)))):
        raise SecurityError(f"{name!r} may hold secrets, so no model is shown it.", layer="path")
    return place


def _resolve(place: Path) -> Path:
    """Raises ToolError."""
    try:
        return place.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links is a RuntimeError
        raise ToolError(f"{place.name!r} cannot be found ({type(error).__name__}).") from error


def _read(place: Path, path: str) -> str:
    """The text of a file. Raises ToolError."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(file.fileno())
            opened = f"/proc/self/fd/{file.fileno()}"
            if os.path.exists(opened) and os.path.realpath(opened) != str(place):
                raise PathTraversalError(f"{path!r} was replaced by a link, so it is not read.")
            if not stat.S_ISREG(facts.st_mode):
                raise ToolError(f"{path!r} is no file.")
            if facts.st_size > MOST_FILE_BYTES:
                raise ToolError(f"{path!r} has more than {MOST_FILE_BYTES:,} bytes.")
            data = file.read(MOST_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ToolError(f"There is no file {path!r} in the repository.") from None
    except OSError as error:
        raise ToolError(f"{path!r} cannot be read ({error.strerror}).") from error
    if b"\0" in data:
        raise ToolError(f"{path!r} is no text.")
    return data.decode(errors="replace")


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return f"{text[:room]}\n[The first {room:,} of {len(text):,} characters.]"
