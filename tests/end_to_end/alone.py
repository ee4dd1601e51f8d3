"""A machine without internet and without container engine, as far as this process sees it.

The thread that calls, and what it starts, gets a network of its own with nothing but loopback. That
needs Linux and root; elsewhere the network stays as it is, and the block is told so.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
ENGINES = ("docker", "podman", "nerdctl")
ELSEWHERE = ("192.0.2.1", 443)  # an address for documentation: nobody has it


@contextmanager
def only_loopback() -> Iterator[bool]:
    """Whether nothing outside can be reached during the block."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(CLONE_NEWNET) != 0:
            yield False
            return
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
                fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
            yield True
        finally:
            assert libc.setns(before, CLONE_NEWNET) == 0
    finally:
        os.close(before)


def can_reach_others() -> bool:
    try:
        socket.create_connection(ELSEWHERE, timeout=1).close()
    except TimeoutError:
        return True  # it went out, and nobody has answered
    except OSError:
        return False
    return True


def no_keys() -> dict[str, str]:
    """The environment's keys of models and services, empty."""
    return {name: "" for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))}


def plant_engines(folder: Path) -> tuple[str, Path]:
    """A PATH whose container engines write a file and fail, and that file."""
    asked = folder / "asked"
    for name in ENGINES:
        script = folder / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >> "{asked}"\nexit 1\n')
        script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}", asked
