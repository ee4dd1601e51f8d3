"""When this database was made, and how many records the log held then."""

from __future__ import annotations

from datetime import datetime

from projections.read.session import Conn, rows


def has_origin(connection: Conn) -> bool:
    return connection.execute("SELECT 1 FROM cairn.database_origin").fetchone() is not None


def note_log_records(connection: Conn, records: int) -> None:
    """Note once that the database was made now, beside a log of so many records."""
    connection.execute(
        "INSERT INTO cairn.database_origin (log_records) VALUES (%s) ON CONFLICT DO NOTHING",
        (records,),
    )


def find_later_origin(connection: Conn, within_days: int | None) -> tuple[datetime, int] | None:
    """When the database was made and the records of the log then, where there were any.

    ``within_days``: only if that was so many days ago at most.
    """
    origins = rows(
        connection,
        "SELECT made_at, log_records FROM database_origin WHERE log_records > 0"
        " AND (%s::int IS NULL OR made_at > now() - interval '1 day' * %s)",
        *(within_days, within_days),
    )
    return next(((row["made_at"], row["log_records"]) for row in origins), None)
