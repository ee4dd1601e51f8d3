"""Reads untrusted files in a child process, which can be killed and can do little else.

Parsers of archives and exports were not written for hostile input: they loop, recurse and allocate
as the file says. So they run with limits of memory, processor time and disk, without environment,
secrets or other files, and an interrupt stops them at once. They answer with frames of JSON and
bytes, which execute nothing here.
"""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import weakref
from collections.abc import Generator, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from connectors.unpacking.frames import (
    LENGTHS,
    OUT_OF_MEMORY,
    Frame,
    TooLarge,
    encode_frame,
    lengths_of,
    value_of,
)

MIB = 1024 * 1024
ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
CPU_S, CPU_S_PER_MIB = 60, 2  # per MiB of the file; a valid file needs a tenth
MEMORY_BYTES = 1024 * MIB
WALL_PER_CPU = 10  # processes wait on a busy machine; only a hanging file system takes longer
READ_BYTES = 1 << 16
ENDED_WITHIN_S = 10


class ReadingFailed(Exception):
    """The file is not valid in its format. The message is the parser's own.

    ``ended``: the child has ended, too.
    """

    ended = False


class ReadingRefused(Exception):
    """Reading the file would cost more than a limit; the message names it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The child's limits. ``wall_s`` is per request, all others for its life."""

    cpu_s: int
    wall_s: float
    memory_bytes: int
    spool_bytes: int


def limits_of(size_bytes: int, *, memory_bytes: int = 0, spool_bytes: int = 0) -> Limits:
    """Limits for a file of this size."""
    cpu_s = CPU_S + size_bytes * CPU_S_PER_MIB // MIB
    return Limits(cpu_s, float(cpu_s * WALL_PER_CPU), memory_bytes or MEMORY_BYTES, spool_bytes)


def open_regular(file: Path) -> IO[bytes]:
    """Opens a regular file. Raises OSError for anything else."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is no regular file")
    return os.fdopen(descriptor, "rb")


class Sandbox:
    """One child process with ``reader`` (a class of ``connectors.unpacking``) over an open file.

    ``spool`` is the file it may write to. Close it: that ends the child, also from another thread
    during a request.
    """

    def __init__(
        self,
        reader: type,
        file: IO[bytes],
        limits: Limits,
        options: Mapping[str, Any],
        spool: IO[bytes] | None = None,
    ) -> None:
        self._limits = limits
        self._lock = threading.Lock()  # one request at a time
        self._closed = False
        self._come = bytearray()  # bytes from the child, not yet parsed
        numbers = [file.fileno(), *([spool.fileno()] if spool else [])]
        argv = [
            *(sys.executable, "-S", "-P", "-m", "connectors.unpacking.child", str(os.getpid())),
            *(reader.__module__, reader.__name__, str(numbers[0])),
            *(str(spool.fileno()) if spool else "-1", json.dumps(asdict(limits))),
            json.dumps(options),
        ]
        self._process = _start(argv, numbers)
        weakref.finalize(self, self._process.kill)  # if nobody closed the listing

    def ask(self, name: str, *arguments: Any, content: bytes = b"") -> Generator[Frame, None, None]:
        """What the reader's method yields: JSON values, each with bytes.

        ``content``, if any, is the method's last argument.

        Raises ReadingFailed, after which the child can be asked again, and ReadingRefused. Stopping
        early or an interrupt ends the child.
        """
        with self._lock:
            whole = False
            try:
                deadline = time.monotonic() + self._limits.wall_s
                self._send(encode_frame([name, *arguments], content))
                while True:
                    value, content = self._frame(deadline)
                    if "part" in value:
                        yield value["part"], content
                    if set(value) != {"part"}:
                        break
                whole = True
            finally:
                if not whole:
                    self._process.kill()
        if "refused" in value:
            raise ReadingRefused(str(value["refused"]))
        if "failed" in value:
            raise ReadingFailed(str(value["failed"]) or str(value.get("error_class")))

    def close(self) -> None:
        """Ends the child; nothing waits for it afterwards."""
        self._process.kill()
        if self._lock.acquire(timeout=ENDED_WITHIN_S):
            self._closed = True
            assert self._process.stdin and self._process.stdout
            self._process.stdout.close()
            self._process.stdin.close()
            self._process.wait()
            self._lock.release()

    def _send(self, request: bytes) -> None:
        assert self._process.stdin
        if self._closed:
            raise ReadingFailed("its reader was closed")
        try:
            self._process.stdin.write(request)
        except OSError:
            raise self._death() from None

    def _frame(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        try:
            length, content = lengths_of(self._bytes(LENGTHS.size, deadline))
            value = value_of(self._bytes(length, deadline))
            if not isinstance(value, dict):
                raise ValueError("no object")
        except (ValueError, TooLarge, RecursionError):
            raise ReadingFailed("its reader sent an invalid answer") from None
        return value, self._bytes(content, deadline)

    def _bytes(self, count: int, deadline: float) -> bytes:
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        ready = select.poll()
        ready.register(pipe, select.POLLIN)
        while len(self._come) < count:
            if not ready.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise ReadingRefused(f"reading took more than {self._limits.wall_s:,.0f} s")
            part = os.read(pipe, READ_BYTES)
            if not part:
                raise self._death()
            self._come += part
        content = bytes(self._come[:count])
        del self._come[:count]
        return content

    def _death(self) -> ReadingRefused | ReadingFailed:
        """Why the child has ended."""
        self._process.kill()
        code = self._process.wait(ENDED_WITHIN_S)
        if code == -signal.SIGXCPU:
            return ReadingRefused(f"more than {self._limits.cpu_s:,} s of processor time")
        if code == OUT_OF_MEMORY:
            return ReadingRefused(f"more than {self._limits.memory_bytes // MIB:,} MiB of memory")
        failed = ReadingFailed(f"its reader ended with {code}")
        failed.ended = True
        return failed


def _start(argv: list[str], numbers: list[int]) -> subprocess.Popen[bytes]:
    """Starts the child.

    A thread of its own waits for it: Linux ends a child with the thread that started it, and the
    thread that lists an archive may end before its items are read.
    """
    started: Future[subprocess.Popen[bytes]] = Future()

    def keep() -> None:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=numbers,
                start_new_session=True,  # a terminal's Ctrl-C is the parent's
                cwd="/",
                env={"PYTHONPATH": ":".join(FOLDERS), "LC_ALL": "C.UTF-8"},
            )
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(process)
        process.wait()

    threading.Thread(target=keep, name="sandbox", daemon=True).start()
    return started.result()


def spool_bytes(most: int) -> int:
    """The limit of a spool file: half of the free disk, at most ``most``."""
    disk = os.statvfs(tempfile.gettempdir())
    return min(most, disk.f_bavail * disk.f_frsize // 2)
