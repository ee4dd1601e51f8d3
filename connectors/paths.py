"""Checks every path that a source names, and opens files beneath a root.

The check looks at names; opening decides. ``openat2`` follows no link and never leaves the root, so
a folder that is swapped for a link between two calls gains nothing. Where the kernel lacks the call
(before Linux 5.6, or forbidden in a container), the same is done step by step.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import re
import stat
import weakref
from pathlib import Path
from typing import BinaryIO

from connectors.connector import MAX_PATH_CHARS, Notice, printable

PATH_MAX = 4096  # bytes of a path in one system call, with the zero at its end
_OPENAT2 = 437  # its number on x86_64, aarch64 and every architecture of Linux since
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW
# O_NONBLOCK: opening a pipe must not wait for its writer.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | _FLAGS
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_PASSING = os.O_PATH | os.O_DIRECTORY
# An empty part, `.` or `..`, also at the beginning (an absolute path) or the end; a zero byte.
_MISPLACED = re.compile(rb"(?:\A|/)\.{0,2}(?:/|\Z)|\0")
# Names that HFS+ (ignores these characters) and NTFS (other spellings) would open as `.git`.
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_GIT = re.compile(r"(?:\.git|git~1)[ .]*(?:[:\\].*)?", re.IGNORECASE | re.DOTALL)
_LIBC = ctypes.CDLL(None, use_errno=True)


class _How(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


def is_beneath(path: bytes | str) -> bool:
    """Whether ``path`` can only name something below its root, and nothing of git's own.

    False for absolute paths, empty parts, ``.`` and ``..``, zero bytes, and ``.git`` in every
    spelling that some file system accepts.
    """
    raw = path.encode("utf-8", "surrogatepass") if isinstance(path, str) else path
    if _MISPLACED.search(raw):
        return False
    if raw.isascii() and b"git" not in raw.lower():
        return True
    return not any(is_git_name(part) for part in raw.split(b"/"))


def is_git_name(name: bytes) -> bool:
    """Whether a file system may take ``name`` for ``.git``."""
    return bool(_GIT.fullmatch(_IGNORED.sub("", name.decode("utf-8", "surrogateescape"))))


def check_path(raw: bytes | str, notices: list[Notice]) -> str | None:
    """The printable path of an item; None, with a notice, for a path that is refused."""
    path = printable(raw)
    if len(path) > MAX_PATH_CHARS or not is_beneath(raw):
        notices.append(Notice(path[:MAX_PATH_CHARS] or ".", "unsafe_name"))
        return None
    if path != raw and path.encode() != raw:
        notices.append(Notice(path, "escaped_name"))
    return path


class Root:
    """A folder that is held open: files are opened beneath it, even if its own path changes."""

    def __init__(self, folder: Path, *, stepwise: bool = False) -> None:
        """``folder`` must not be a link. Raises OSError."""
        self.folder = folder
        self._stepwise = stepwise or not has_openat2()
        self._descriptor = os.open(folder, _FOLDER | _FLAGS)
        self._closed = weakref.finalize(self, os.close, self._descriptor)

    @property
    def path(self) -> Path:
        """The folder's present path, without links."""
        return Path(os.readlink(f"/proc/self/fd/{self._descriptor}"))

    @property
    def for_children(self) -> str:
        """A path to this folder for child processes, valid while it is open."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def close(self) -> None:
        self._closed()
        self._descriptor = -1

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self, path: bytes, flags: int = READ) -> int:
        """A descriptor of ``path`` beneath the root. Raises OSError, also for links."""
        if not is_beneath(path):
            raise OSError(errno.EXDEV, "the path leads out of its folder")
        if self._stepwise or len(path) >= PATH_MAX:
            return _step_by_step(self._descriptor, path, flags)
        return _openat2(self._descriptor, path, flags)

    def open_file(self, path: bytes) -> BinaryIO:
        """A regular file for reading. Raises OSError for anything else."""
        descriptor = self.open(path)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is no regular file")
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def open_folder(self, path: bytes) -> int:
        """A descriptor for listing a folder; the root itself if the path is empty.

        Raises OSError.
        """
        if path:
            return self.open(path, _FOLDER)
        return os.open(".", _FOLDER | _FLAGS, dir_fd=self._descriptor)


@functools.cache
def has_openat2() -> bool:
    """Whether the kernel has the call and allows it."""
    above = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        os.close(_openat2(above, b".", os.O_PATH))
    except OSError:
        return False
    finally:
        os.close(above)
    return True


@functools.cache
def _how(flags: int) -> tuple[object, ctypes.c_size_t]:
    how = _How(flags | _FLAGS, 0, _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    return ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how))


def _openat2(above: int, path: bytes, flags: int) -> int:
    how, size = _how(flags)
    while (descriptor := _LIBC.syscall(_OPENAT2, above, path, how, size)) < 0:
        code = ctypes.get_errno()
        if code not in (errno.EINTR, errno.EAGAIN):
            raise OSError(code, os.strerror(code))
    return int(descriptor)


def _step_by_step(above: int, path: bytes, flags: int) -> int:
    *folders, name = path.split(b"/")
    held = -1
    try:
        for folder in folders:
            next_held = os.open(folder, _PASSING | _FLAGS, dir_fd=above if held < 0 else held)
            if held >= 0:
                os.close(held)
            held = next_held
        return os.open(name, flags | _FLAGS, dir_fd=above if held < 0 else held)
    finally:
        if held >= 0:
            os.close(held)
