"""The child process that reads an untrusted file; see ``connectors.sandbox``.

Started as ``python -m connectors.unpacking.child`` with the parent's pid, the file's descriptor,
the spool's descriptor (or -1) and the limits. Requests come on standard input, answers go to
standard output. It has almost no environment, and once it has started it cannot open anything.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from typing import IO, Any, BinaryIO

from connectors.unpacking.budget import Refused
from connectors.unpacking.frames import (
    LENGTHS,
    OUT_OF_MEMORY,
    Frame,
    encode_frame,
    lengths_of,
    value_of,
)

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
CODECS = (
    "cp437",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "cp1252",
)  # looked up by name, which would open a file


def end_with_parent(parent: int) -> None:
    """Lets the kernel kill this process when the thread that started it ends (Linux)."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)


def confine(limits: dict[str, int]) -> None:
    """Limits memory, processor time and spool; forbids other files and processes."""
    for kind, most in (
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["spool_bytes"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a system that does not know this one
            resource.setrlimit(kind, (most, most))
    # At the first a signal that says why it ended, at the second SIGKILL.
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_s"], limits["cpu_s"] + 5))


def serve(reader: Any, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers each request with frames, the last of which says how it ended, until there are none.

    A request is the name of a method and its arguments.
    """
    while request := _next(requests):
        name, *arguments = request
        last: Frame | None = None
        try:
            for answer in getattr(reader, name)(*arguments):
                if last is not None:
                    answers.write(encode_frame({"part": last[0]}, last[1]))
                last = answer
            value, content = last or (None, b"")
            ended = encode_frame({"part": value, "ended": ""}, content)
        except BrokenPipeError:
            return
        except Refused as error:
            ended = encode_frame({"refused": str(error)[:400]})
        except MemoryError:
            os._exit(OUT_OF_MEMORY)  # half a frame may be written
        except Exception as error:  # whatever a stranger's bytes do to a parser is their fault
            ended = encode_frame({"failed": str(error)[:400], "error_class": type(error).__name__})
        answers.write(ended)
        answers.flush()


def _next(requests: BinaryIO) -> Any:
    head = requests.read(LENGTHS.size)
    if len(head) < LENGTHS.size:
        return None
    length, size = lengths_of(head)
    request = value_of(requests.read(length))
    return [*request, requests.read(size)] if size else request


def main() -> None:
    parent, module, name, file, spool, limits, options = sys.argv[1:]
    end_with_parent(int(parent))
    answers = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    readers = importlib.import_module(module)
    for codec in CODECS:
        codecs.lookup(codec)
    prepare = getattr(getattr(readers, name), "prepare", None)
    if prepare is not None:
        prepare()
    given: IO[bytes] = os.fdopen(int(file), "rb")
    kept: IO[bytes] | None = os.fdopen(int(spool), "wb") if int(spool) >= 0 else None
    confine(json.loads(limits))
    serve(getattr(readers, name)(given, kept, json.loads(options)), sys.stdin.buffer, answers)
    answers.flush()


if __name__ == "__main__":
    main()
