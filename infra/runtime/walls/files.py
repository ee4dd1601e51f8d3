"""The files of a workspace, opened part by part without ever following a link.

Between the check of a path and its use another process may put a link there. So each folder is
opened below the one before it, and a link in the way is an error, whenever it came.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from infra.runtime.walls.workspace import GIT, check_workspace

Parts = tuple[str, ...]
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PLAIN = 0o644


class Files:
    """The files of the workspace at ``root``. All methods raise OSError; ELOOP is a link."""

    def __init__(self, root: Path) -> None:
        self._root = check_workspace(root)

    @property
    def root(self) -> Parts:
        return self._root.parts[1:]

    def read_link(self, parts: Parts) -> str | None:
        try:
            with self._folder(parts[:-1]) as folder:
                return os.readlink(parts[-1], dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOTDIR):  # no link; above it no folder
                return None
            raise

    def read(self, parts: Parts, most_bytes: int) -> bytes:
        if not parts:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with self._folder(parts[:-1]) as folder:
            descriptor = os.open(parts[-1], FILE, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            _check_regular(os.fstat(file.fileno()))
            return file.read(most_bytes)

    def write(self, parts: Parts, content: bytes) -> None:
        """A new file takes the place of the old one at once, with its permissions."""
        with self._folder(parts[:-1], makes=True) as folder:
            mode = _mode_of(parts[-1], folder)
            name = f".{parts[-1][:80]}.{os.getpid()}.new"
            try:
                descriptor = os.open(name, NEW, mode, dir_fd=folder)
            except FileExistsError:  # left by a writer that was killed
                os.unlink(name, dir_fd=folder)
                descriptor = os.open(name, NEW, mode, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    os.fchmod(file.fileno(), mode)
                os.rename(name, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(name, dir_fd=folder)
                raise

    def list_files(self, most: int) -> Sequence[Parts]:
        """Sorted. A folder that has gone, or become a link, is left out."""
        names: list[Parts] = []
        ahead: list[Parts] = [()]
        while ahead and len(names) < most:
            parts = ahead.pop()
            try:
                with self._folder(parts) as folder, os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False) and entry.name.casefold() != GIT:
                            ahead.append((*parts, entry.name))
                        elif entry.is_file(follow_symlinks=False):
                            names.append((*parts, entry.name))
            except OSError:
                continue
        return sorted(names)[:most]

    @contextmanager
    def _folder(self, parts: Parts, *, makes: bool = False) -> Iterator[int]:
        current = os.open(self._root, FOLDER)
        try:
            for part in parts:
                below = _open_folder(part, current, makes=makes)
                os.close(current)
                current = below
            yield current
        finally:
            os.close(current)


def _open_folder(name: str, above: int, *, makes: bool) -> int:
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not makes:
            raise
        os.mkdir(name, 0o755, dir_fd=above)
        return os.open(name, FOLDER, dir_fd=above)
    except OSError as error:
        if error.errno == errno.ENOTDIR and stat.S_ISLNK(_lstat(name, above).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise


def _lstat(name: str, folder: int) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _mode_of(name: str, folder: int) -> int:
    """The permissions of the file that is replaced; no file runs as its owner."""
    try:
        info = _lstat(name, folder)
    except FileNotFoundError:
        return PLAIN
    if stat.S_ISLNK(info.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    _check_regular(info)
    return stat.S_IMODE(info.st_mode) & 0o777


def _check_regular(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
