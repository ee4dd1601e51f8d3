"""Notice that a database was made over a log of before, and say what is lost and what to do."""

from __future__ import annotations

import asyncio

import psycopg

from infra.platform import log_positions, postgres
from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from projections.beyond_the_log import BEYOND_THE_LOG, FROM_THE_LOG
from projections.read.session import reading, rows
from schemas.inflection import count
from schemas.topics import TOPICS

TOLD_DAYS = 14  # by `up` and `status`; `rebuild` always says it


def note_origin(settings: Settings) -> None:
    """Note once when this database was made and what the log held then. Raises …Unavailable."""
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM cairn.database_origin").fetchone():
            return
        names = [settings.topic(topic.name) for topic in TOPICS]
        ends = asyncio.run(log_positions.end_offsets(settings, names))
        connection.execute(
            "INSERT INTO cairn.database_origin (log_records) VALUES (%s) ON CONFLICT DO NOTHING",
            (sum(ends.values()),),
        )


def describe_loss(settings: Settings, *, always: bool = False) -> list[str]:
    """What was lost with an earlier database and what to do, one line each; empty: nothing was.

    In the first two weeks only, unless ``always``. Nothing where the database does not answer.
    """
    try:
        with reading(settings.conninfo) as connection:
            found = rows(
                connection,
                "SELECT made_at, log_records FROM database_origin WHERE log_records > 0"
                " AND (%s OR made_at > now() - interval '1 day' * %s)",
                *(always, TOLD_DAYS),
            )
    except (Unavailable, psycopg.errors.UndefinedTable):
        return []
    if not found:
        return []
    made_at, records = found[0]["made_at"], found[0]["log_records"]
    return [
        f"The database of before was lost: this one was made on {made_at:%Y-%m-%d at %H:%M} UTC"
        f" beside a log with {count(records, 'record', 'records')}.",
        f"Restored from the log: {FROM_THE_LOG}.",
        *(f"Lost: {each.holds}; {each.loss}" for each in BEYOND_THE_LOG if each.loss),
    ]
