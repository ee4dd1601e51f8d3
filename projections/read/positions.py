"""How far each projection has folded each partition of the log, and which events it has folded."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from projections.read.session import Conn, rows


def read_next_offsets(connection: Conn) -> dict[tuple[str, str, int], int]:
    """The offset of the record to fold next, by projection, topic without prefix, partition."""
    records = rows(
        connection, "SELECT projection, topic, partition, next_offset FROM projection_offsets"
    )
    return {
        (row["projection"], row["topic"], row["partition"]): row["next_offset"] for row in records
    }


def list_folded(connection: Conn, event_ids: Sequence[UUID]) -> set[UUID]:
    """Which of the events the tables have taken in, whatever came after them."""
    query = "SELECT event_id FROM event_places WHERE event_id = ANY(%s)"
    return {row["event_id"] for row in rows(connection, query, list(event_ids))}
