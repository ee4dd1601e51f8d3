"""A log that an earlier version has put outside of its home is found, not replaced by an empty one.

That version wrote the absolute path of the log into a file that Kafka reads as Latin-1, so its
letters beyond ASCII became two others each.
"""

import contextlib
import os
import shlex
from pathlib import Path

from infra.platform.errors import Refusal

LOG_DIRS = b"log.dirs="


def refuse_log_elsewhere(folder: Path, password_file: Path) -> None:
    """No earlier version has put the log of this home elsewhere. Raises Refusal that names it.

    The home may have been moved since; then its last configuration names where it was. The account
    of that log may be older than the password that was drawn at the last failed start.
    """
    data = folder / "data"
    for elsewhere in _list_earlier_places(folder):
        if elsewhere == data or not (elsewhere / "meta.properties").exists():
            continue
        move = shlex.join(["mv", str(elsewhere), str(data)])
        forget = shlex.join(["rm", "-f", str(password_file)])
        raise Refusal(
            f"The log of this home lies in {elsewhere}, where an earlier version has put it, and"
            f" not in {data}. Nothing was started. Move it with `{move} && {forget}`, then start"
            " Cairn again.",
            code="log_elsewhere",
        )


def _list_earlier_places(folder: Path) -> list[Path]:
    """Where an earlier version may have put the log of this home."""
    named = [os.fsencode(folder / "data")]
    with contextlib.suppress(OSError):
        lines = (folder / "server.properties").read_bytes().splitlines()
        named += [line[len(LOG_DIRS) :] for line in lines if line.startswith(LOG_DIRS)]
    absolute = [name for name in named if name.startswith(b"/")]
    return [Path(name.decode("latin-1")) for name in absolute]
