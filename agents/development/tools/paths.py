"""Where a path leads: links and ``..`` are followed first, then the real path is judged.

Only what lies in the workspace is let through, as parts without links. The files are opened part by
part by whoever holds them, so a link that is put there in between leads nowhere.
"""

from __future__ import annotations

from collections.abc import Callable

from agents.development.errors import PathTraversalError
from agents.development.tools.ports import Parts

MOST_LINKS = 40
LONGEST_PATH = 4_096
ReadLink = Callable[[Parts], str | None]


def resolve(path: str, root: Parts, read_link: ReadLink, *, writes: bool = False) -> Parts:
    """The parts of a path below the workspace's folder.

    Raises PathTraversalError for what lies elsewhere, and for git's own where it ``writes``.
    """
    if "\0" in path:
        raise PathTraversalError("The path holds a NUL byte. Give the path of a file.")
    if len(path) > LONGEST_PATH:
        raise PathTraversalError(f"The path is longer than {LONGEST_PATH:,} characters.")
    shown = path[:200]
    ahead, links = _enter(path, root, shown), 0
    real: Parts = ()
    while ahead:
        part, *ahead = ahead
        if part == "..":
            if not real:
                raise _outside(shown)
            real = real[:-1]
            continue
        if (target := read_link((*real, part))) is None:
            real = (*real, part)
            continue
        links += 1
        if links > MOST_LINKS:
            raise PathTraversalError(f"{shown} leads through more than {MOST_LINKS} links.")
        if target.startswith("/"):
            real = ()
        ahead = [*_enter(target, root, shown), *ahead]
    if writes and any(is_git(part) for part in real):
        raise PathTraversalError(f"{shown} belongs to git. Cairn itself makes commits.")
    return real


def is_git(part: str) -> bool:
    """Whether a name is, or counts on some file systems as, git's own directory."""
    plain = "".join(sign for sign in part if sign.isprintable()).casefold().rstrip(" .")
    return plain in (".git", "git~1") or plain.startswith(".git:")


def _enter(path: str, root: Parts, shown: str) -> list[str]:
    """The parts of a path from the workspace's folder on."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/"):
        return parts
    if tuple(parts[: len(root)]) != root:
        raise _outside(shown)
    return parts[len(root) :]


def _outside(shown: str) -> PathTraversalError:
    return PathTraversalError(
        f"{shown} lies outside of the workspace. Give a path from the workspace's folder."
    )
