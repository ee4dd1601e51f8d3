"""Write files whole, and keep them from other users of the machine."""

import os
import stat
from pathlib import Path

from infra.platform.disk import disk_of, says_full
from infra.platform.errors import DiskFull, Forbidden

PRIVATE_FOLDER = 0o700
FOR_OTHERS = 0o077


def keep_private(folder: Path) -> None:
    """``folder`` is there, and no other user of the machine reads it or anything below it.

    Raises Forbidden when it, or something in it, belongs to somebody else.
    """
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    _take_from_others(folder)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _take_from_others(Path(parent, name))


def _take_from_others(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
        if mode & FOR_OTHERS and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & ~FOR_OTHERS)
    except FileNotFoundError:  # gone meanwhile
        return
    except PermissionError as error:
        raise Forbidden(
            f"{path} can be read by other users and belongs to one.", code="home_of_another_user"
        ) from error


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """``path`` holds ``text``: the old content or the new, never a part, whatever kills us.

    Raises DiskFull where there is no room; the old content is there still.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if not says_full(error):
            raise
        raise DiskFull(f"{path} cannot be written. {disk_of(path)}: make room there.") from error
