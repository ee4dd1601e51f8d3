"""Log files of a bounded size, whoever writes them.

Children write to a file that was opened for appending, so a file can be emptied under them: what
they write next stands at its start. That holds for Kafka, PostgreSQL and our own processes alike.
Lines written between copying and emptying are lost. Decided against: a pipe through the supervisor
(it would hold every child while it is busy) and three rotations of three libraries.
"""

from __future__ import annotations

import os
from pathlib import Path

from infra.platform.disk import says_full

MAX_BYTES = 10 * 1024 * 1024
KEPT = 3  # files of one log, the one that is written among them


def rotate(folder: Path, max_bytes: int = MAX_BYTES, kept: int = KEPT) -> None:
    """No log of ``folder`` is longer; what one held is in ``<name>.1``, older lines in ``.2``…"""
    for path in folder.glob("*.log"):
        if path.stat().st_size > max_bytes:
            _keep(
                path,
                max_bytes,
                [path.with_name(f"{path.name}.{number}") for number in range(1, kept)],
            )


def _keep(path: Path, max_bytes: int, older: list[Path]) -> None:
    for before, after in zip(older[-2::-1], older[:0:-1], strict=True):
        if before.exists():
            before.replace(after)
    try:
        with path.open("rb") as source, older[0].open("wb") as copy:
            older[0].chmod(path.stat().st_mode)
            source.seek(-max_bytes, os.SEEK_END)
            copy.write(source.read(max_bytes))
    except OSError as error:
        if not says_full(error):
            raise
        for each in older:  # room for what is written now is worth more than what was
            each.unlink(missing_ok=True)
    os.truncate(path, 0)
