"""One process of a name in one home. A second one is told who the first is, and does not wait."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import psutil

from infra.platform.errors import Conflict
from infra.runtime.local.process import ProcessId, identify, recall, remember, wait_until

PATIENCE_S = 10.0  # for a process that is on its way out, or has not written yet who it is


@contextlib.contextmanager
def only_one(folder: Path, name: str, what: str, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """No other process has ``name`` in ``folder`` during the block, however this one ends.

    Raises Conflict, which begins with ``what`` and names the other.
    """
    record = folder / f"{name}.holder"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("a") as lock:
        wait_until(lambda: _try_lock(lock) or recall(record) is not None, timeout_s=patience_s)
        if not _try_lock(lock):
            raise Conflict(f"{what} already{since(recall(record))}.", code="already_running")
        remember(record, identify(os.getpid()))
        try:
            yield
        finally:
            record.unlink(missing_ok=True)


def since(process: ProcessId | None) -> str:
    """Which process it is and when it started, in brackets; nothing when it has just ended."""
    if process is None:
        return ""
    try:
        started_at = datetime.fromtimestamp(psutil.Process(process.pid).create_time(), UTC)
    except psutil.Error:
        return ""
    return f" (pid {process.pid}, since {started_at:%Y-%m-%d %H:%M:%S} UTC)"


def _try_lock(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # again by who has it: still his
    except BlockingIOError:
        return False
    return True
