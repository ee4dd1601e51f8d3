"""Landlock: the calling process gives up all files but those it names, for good.

Asked for by number, since no library of Python knows the calls. Version 6 of Landlock (Linux 6.12)
is the least that is taken: earlier ones let a process send signals to others of its user.
Source: ``Documentation/userspace-api/landlock.rst`` of Linux.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

CREATE, ADD_RULE, RESTRICT = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
LEAST_VERSION = 6

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
ALL_FILES = (1 << 16) - 1
ALL_NETWORK = 0b11  # bind and connect of TCP
ALL_SCOPES = 0b11  # abstract sockets, signals
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
WRITE = ALL_FILES & ~IOCTL_DEVICE & ~(1 << 6) & ~(1 << 11)  # no device files are made
DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEVICE | TRUNCATE

_library = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """0 where the kernel has none, or does not let it be used."""
    return max(0, int(_library.syscall(CREATE, None, ctypes.c_size_t(0), ASK_VERSION)))


def open_rules(read: Iterable[str], write: Iterable[str], devices: Iterable[str]) -> int:
    """What is to be left, for `restrict`. A path that is not there is left out. Raises OSError."""
    attributes = struct.pack("=QQQ", ALL_FILES, ALL_NETWORK, ALL_SCOPES)
    rules = _call(CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    for paths, rights in ((read, READ), (write, WRITE), (devices, DEVICE)):
        for path in paths:
            _add(rules, path, rights)
    return rules


def restrict(rules: int) -> None:
    """Leave this process and all that it starts no other files, no TCP and no foreign processes.

    ``PR_SET_NO_NEW_PRIVS`` comes first. Raises OSError.
    """
    _call(RESTRICT, rules, 0)
    os.close(rules)


def _add(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= OF_FILES
    _call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _call(number: int, *arguments: object) -> int:
    result = int(_library.syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock ({number}): {os.strerror(code)}")
    return result
