"""Which processes a process has led to, and what they take up, as the kernel tells."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PROC = Path("/proc")


def descendants(pid: int) -> list[int]:
    """The processes below ``pid``, without it, also those that nobody has waited for."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in os.listdir(_PROC):
        if name.isdigit() and (parent := _parent(name)) is not None:
            children[parent].append(int(name))
    below, ahead = [], [pid]
    while ahead:
        ahead += (new := children[ahead.pop()])
        below += new
    return below


def used_bytes(pids: list[int]) -> int:
    """The memory that these processes hold for themselves."""
    return sum(map(_own_bytes, pids))


def count_threads(uid: int) -> int:
    """How many threads a user runs: the kernel's limit on processes counts them."""
    count = 0
    for name in os.listdir(_PROC):
        if name.isdigit():
            try:
                if os.stat(_PROC / name).st_uid == uid:
                    count += len(os.listdir(_PROC / name / "task"))
            except OSError:
                continue
    return count


def _parent(name: str) -> int | None:
    try:
        line = (_PROC / name / "stat").read_bytes()
    except OSError:
        return None
    fields = line[line.rindex(b")") + 2 :].split()  # the name before may hold anything
    return int(fields[1])


def _own_bytes(pid: int) -> int:
    """Asked of each thread: a first thread that has ended tells nothing of the others."""
    try:
        for thread in os.listdir(_PROC / str(pid) / "task"):
            line = (_PROC / str(pid) / "task" / thread / "statm").read_text()
            _, resident, shared, *_ = map(int, line.split())
            if resident:
                return (resident - shared) * PAGE_BYTES
    except (OSError, ValueError):
        pass
    return 0
