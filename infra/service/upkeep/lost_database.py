"""Notice that a database was made over a log of before, and say what is lost and what to do."""

from __future__ import annotations

import asyncio

import psycopg

from infra.platform import log_positions, postgres
from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from infra.store.database_origin import find_later_origin, has_origin, note_log_records
from projections.beyond_the_log import BEYOND_THE_LOG, FROM_THE_LOG
from projections.read.session import reading
from schemas.inflection import count
from schemas.topics import TOPICS

TOLD_DAYS = 14  # by `up` and `status`; `rebuild` always says it


def note_origin(settings: Settings) -> None:
    """Note once when this database was made and what the log held then. Raises …Unavailable."""
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        if has_origin(connection):
            return
        names = [settings.topic(topic.name) for topic in TOPICS]
        ends = asyncio.run(log_positions.end_offsets(settings, names))
        note_log_records(connection, sum(ends.values()))


def describe_loss(settings: Settings, *, always: bool = False) -> list[str]:
    """What was lost with an earlier database and what to do, one line each; empty: nothing was.

    In the first two weeks only, unless ``always``. Nothing where the database does not answer.
    """
    try:
        with reading(settings.conninfo) as connection:
            origin = find_later_origin(connection, None if always else TOLD_DAYS)
    except (Unavailable, psycopg.errors.UndefinedTable):
        return []
    if origin is None:
        return []
    made_at, records = origin
    return [
        f"The database of before was lost: this one was made on {made_at:%Y-%m-%d at %H:%M} UTC"
        f" beside a log with {count(records, 'record', 'records')}.",
        f"Restored from the log: {FROM_THE_LOG}.",
        *(f"Lost: {each.holds}; {each.loss}" for each in BEYOND_THE_LOG if each.loss),
    ]
