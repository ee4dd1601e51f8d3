"""Whether the record is to blame, or what the stage stands on."""

from __future__ import annotations

import errno
import sqlite3

from infra.errors import Unavailable
from infra.findings import LogDamaged

NO_ROOM = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)


def is_outage(error: BaseException) -> bool:
    """Whether broker, database, memory, a disk or the store has failed: the stage stops then."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return True
    return isinstance(error, Unavailable | LogDamaged | MemoryError | sqlite3.Error)
