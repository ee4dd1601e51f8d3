"""Records that were given up."""

from __future__ import annotations

from projections.read.session import Conn, Row, rows


def dead_letters(connection: Conn, dead_letter_id: str | None = None) -> list[Row]:
    """What was given up, with place and reason; the value itself only for one that is named."""
    value = ", value, origin_key" if dead_letter_id else ""
    return rows(
        connection,
        "SELECT dead_letter_id, project_id, stage, origin_topic, origin_partition, origin_offset,"
        f" error_class, error, attempts, recorded_at{value} FROM dead_letters"
        " WHERE dead_letter_id = coalesce(%s, dead_letter_id)"
        " ORDER BY origin_topic, origin_partition, origin_offset, stage",
        dead_letter_id,
    )
