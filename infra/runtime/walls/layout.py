"""What of this machine a command sees, and the environment it gets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OF_ETC = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "nsswitch.conf", "localtime"),
    *("passwd", "group", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "mime.types", "hosts"),
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
FACTS = ("/proc/cpuinfo", "/proc/meminfo")  # of the machine, which compilers and runtimes ask for
PROGRAMS = ("/usr/local/bin", "/usr/local/go/bin", "/usr/bin", "/bin")
BEGUN = 9  # where a command says that its walls stand; a shell knows descriptors of one digit
SANDBOX_ID = 60_600  # user and group of commands where the service is root; nobody else's


@dataclass(frozen=True, slots=True)
class Layout:
    """``tools``: folders that are readable besides the system's, such as Python's own.

    ``hidden``: folders that no command may ever see; walls that would show one are not built.
    """

    tools: tuple[Path, ...]
    hidden: tuple[Path, ...] = ()

    def readable(self) -> list[str]:
        etc = [f"/etc/{name}" for name in OF_ETC]
        return [path for path in (*SYSTEM, *etc, *map(str, self.tools)) if os.path.exists(path)]

    def list_shown_secrets(self, *more: Path) -> list[Path]:
        """Hidden places in what a command would see: all that is readable, and ``more``."""
        shown = [_real(each) for each in (*map(Path, self.readable()), *more)]
        hidden = [_real(each) for each in self.hidden]
        return [it for it in hidden if any(it.is_relative_to(place) for place in shown)]


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def layout_of_this_machine(hidden: Sequence[Path] = ()) -> Layout:
    """The system and the Python that runs Cairn, with the packages beside it."""
    tools = dict.fromkeys(Path(prefix) for prefix in (sys.prefix, sys.base_prefix))
    outside = (path for path in tools if not path.is_relative_to("/usr"))
    return Layout(tuple(outside), tuple(hidden))


def environ_of(layout: Layout, home: str, more: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a command; nothing of the service's own is in it."""
    programs = (*(str(path / "bin") for path in layout.tools), *PROGRAMS)
    return {
        "PATH": ":".join(programs),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }
