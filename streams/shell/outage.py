"""Whether the record is to blame, or what the stage stands on."""

from __future__ import annotations

import sqlite3

from infra.platform.errors import Unavailable, is_without_room
from infra.platform.findings import LogDamaged


def is_outage(error: BaseException) -> bool:
    """Whether broker, database, memory, a disk or the store has failed: the stage stops then."""
    stands_on = Unavailable | LogDamaged | MemoryError | sqlite3.Error
    return isinstance(error, stands_on) or is_without_room(error)
