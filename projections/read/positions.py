"""How far each projection has folded each partition of the log."""

from __future__ import annotations

from projections.read.session import Conn, rows


def read_next_offsets(connection: Conn) -> dict[tuple[str, str, int], int]:
    """The offset of the record to fold next, by projection, topic without prefix, partition."""
    records = rows(
        connection, "SELECT projection, topic, partition, next_offset FROM projection_offsets"
    )
    return {
        (row["projection"], row["topic"], row["partition"]): row["next_offset"] for row in records
    }
