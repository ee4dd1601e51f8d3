"""Sources and their texts: what is there of them, and what has to be sent again."""

from __future__ import annotations

from collections.abc import Collection

from projections.read.session import Conn, Row, rows
from schemas.events.hygiene import VERSIONS

STANDS = (
    "gate_skip_reason IS DISTINCT FROM 'poison'"
    " AND (hygiene_version, redactor_version, annotator_version, chunk_version)"
    " = (%s, %s, %s, %s)"
)


def list_stored_sources(
    connection: Conn, project_id: str, source_ids: Collection[str]
) -> list[Row]:
    """Of these sources those that are not gone, with hash, revision and title.

    The hash is empty where the content has to be sent again: it was given up, or processed under
    other versions of stage 0.
    """
    return rows(
        connection,
        f"SELECT source_id, CASE WHEN {STANDS} THEN raw_sha256 ELSE '' END AS raw_sha256,"
        " revision_ref, title FROM sources WHERE project_id = %s AND source_id = ANY(%s)"
        " AND state IN ('sanitized', 'skipped')",
        *(*_versions(), project_id, list(source_ids)),
    )


def read_inventory(connection: Conn, project_id: str, root: str, under: str = "") -> list[Row]:
    """Every source of a root that is not gone and whose path begins with ``under``, by path."""
    return rows(
        connection,
        "SELECT source_id, connector, root, external_ref, path, title, source_type, priority_tier"
        " FROM sources WHERE project_id = %s AND root = %s AND state IN ('sanitized', 'skipped')"
        " AND starts_with(path, %s) ORDER BY path",
        *(project_id, root, under),
    )


def place_of(connection: Conn, project_id: str, source_id: str) -> tuple[str, str] | None:
    """Root and path of a source of the project, also of one that is gone."""
    records = rows(
        connection,
        "SELECT root, path FROM sources"
        " WHERE project_id = %s AND source_id = %s AND path IS NOT NULL",
        *(project_id, source_id),
    )
    return (str(records[0]["root"]), str(records[0]["path"])) if records else None


def read_titles(
    connection: Conn, project_id: str, root: str, paths: Collection[str]
) -> dict[str, str]:
    """What the sources at these paths are called."""
    records = rows(
        connection,
        "SELECT path, title FROM sources"
        " WHERE project_id = %s AND root = %s AND path = ANY(%s)"
        " AND state IS DISTINCT FROM 'removed'",
        *(project_id, root, list(paths)),
    )
    return {str(row["path"]): str(row["title"]) for row in records}


def find_last_accepted(connection: Conn, project_id: str) -> dict[str, str]:
    """``raw_sha256`` of each source whose last revision stage 0 answered under today's versions.

    Sources that are gone or were given up (``poison``) are left out: they have to be sent again.
    """
    cursor = connection.execute(
        "SELECT source_id, raw_sha256 FROM sources WHERE project_id = %s"
        f" AND state IN ('sanitized', 'skipped') AND {STANDS}".encode(),
        (project_id, *_versions()),
    )
    return {source_id: raw_sha256 for source_id, raw_sha256 in cursor}


def read_chunk_text(connection: Conn, chunk_id: str) -> str | None:
    """The text of a chunk, cut out of its source's sanitized text; None when it is not there."""
    row = connection.execute(
        "SELECT substr(string_agg(t.text, '' ORDER BY t.part_index), c.anchor_start + 1,"
        " c.anchor_end - c.anchor_start) FROM chunks c"
        " JOIN source_texts t USING (source_id, sanitized_hash)"
        " WHERE c.chunk_id = %s GROUP BY c.anchor_start, c.anchor_end",
        (chunk_id,),
    ).fetchone()
    return str(row[0]) if row else None


def _versions() -> tuple[str, str, str, str]:
    now = VERSIONS
    return now.hygiene, now.redactor, now.annotator, now.chunk
