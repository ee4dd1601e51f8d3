"""bubblewrap's command line: which folders it shows, and what it takes away."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from infra.runtime.walls.layout import BEGUN, SANDBOX_ID, Layout
from infra.runtime.walls.limits import Limits

LEAST_VERSION = (0, 8)  # the first that limits the size of a tmpfs
ASKING_S = 10
SHARED_BYTES = 64 * 1024 * 1024
HOME = "/tmp"
# The command begins once all walls stand: then the caller is told, and the descriptor closed.
BEGIN = f'printf "begun\\n" >&{BEGUN}; exec {BEGUN}>&-; exec "$@"'
# In a namespace of users root could not become another one, and would stay root outside.
OWN_BUT_USERS = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    "--unshare-cgroup-try",
)
AS_NOBODY = (
    *("--reuid", str(SANDBOX_ID), "--regid", str(SANDBOX_ID), "--clear-groups"),
    *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
)


def find_bubblewrap() -> tuple[str | None, str]:
    """Its path, or None and why it cannot be used."""
    program = shutil.which("bwrap")
    if program is None:
        return None, "bubblewrap (bwrap) is not installed"
    try:
        answer = subprocess.run(
            (program, "--version"), capture_output=True, text=True, timeout=ASKING_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"bubblewrap does not answer: {error}"
    match = re.search(r"(\d+)\.(\d+)", answer.stdout)
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    if version < LEAST_VERSION:
        return None, f"bubblewrap {answer.stdout.split()[-1]} is older than 0.8"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return None, "setpriv is missing, which makes a command another user than root"
    return program, ""


def argv_of(
    program: str,
    layout: Layout,
    limits: Limits,
    workspace: Path,
    covered: Mapping[Path, bool],
    readable: tuple[Path, ...],
    writable: tuple[Path, ...],
) -> list[str]:
    """What stands before the command. ``covered``: paths that show as empty, True for folders.

    ``readable`` and ``writable`` are shown at their own paths besides workspace and tools.
    """
    folders = [path for path, is_folder in covered.items() if is_folder]
    return [
        *(program, "--new-session", "--die-with-parent"),
        *(OWN_BUT_USERS if os.geteuid() == 0 else ("--unshare-all", "--cap-drop", "ALL")),
        *("--seccomp", "FILTER", "--hostname", "sandbox"),
        *("--dev", "/dev", "--perms", "1777", "--size", str(SHARED_BYTES), "--tmpfs", "/dev/shm"),
        *("--remount-ro", "/dev", "--proc", "/proc"),
        *("--perms", "1777", "--size", str(limits.scratch_bytes), "--tmpfs", HOME),
        *_folders_above((*map(Path, layout.readable()), *readable, *writable, workspace)),
        *_shown(layout),
        *(part for path in writable for part in ("--bind", str(path), str(path))),
        *("--bind", str(workspace), str(workspace)),
        *(part for path, is_folder in covered.items() for part in _cover(path, is_folder)),
        *(part for path in readable for part in ("--ro-bind", str(path), str(path))),
        *(part for path in folders for part in ("--remount-ro", str(path))),
        *("--remount-ro", "/", "--chdir", str(workspace), "--"),
        *((str(shutil.which("setpriv")), *AS_NOBODY) if os.geteuid() == 0 else ()),
        *("/bin/sh", "-c", BEGIN, "sh"),
    ]


def _folders_above(paths: tuple[Path, ...]) -> list[str]:
    """Those that bubblewrap makes itself only root could pass."""
    folders = dict.fromkeys(folder for path in paths for folder in reversed(path.parents))
    own = (Path("/"), Path(HOME), Path("/dev"), Path("/proc"))
    return [
        part
        for folder in folders
        if folder not in own
        for part in ("--perms", "0755", "--dir", str(folder))
    ]


def _shown(layout: Layout) -> list[str]:
    """Links such as /bin stay links, all else is readable and no more."""
    parts: list[str] = []
    for path in layout.readable():
        if os.path.islink(path) and path.count("/") == 1:
            parts += ["--symlink", os.readlink(path), path]
        else:
            parts += ["--ro-bind", os.path.realpath(path), path]
    return parts


def _cover(path: Path, is_folder: bool) -> tuple[str, ...]:
    if is_folder:
        return ("--size", "65536", "--tmpfs", str(path))
    return ("--ro-bind", "/dev/null", str(path))
