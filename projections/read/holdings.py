"""What is held of outside sources: asked before an item is published, and for a census."""

from __future__ import annotations

from collections.abc import Collection

from projections.read.queries import Conn, Row, rows
from schemas.events.hygiene import VERSIONS

STANDS = (
    "gate_skip_reason IS DISTINCT FROM 'poison'"
    " AND (hygiene_version, redactor_version, annotator_version, chunk_version)"
    " = (%s, %s, %s, %s)"
)


def held(connection: Conn, project_id: str, source_ids: Collection[str]) -> list[Row]:
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


def inventory(connection: Conn, project_id: str, root: str, under: str = "") -> list[Row]:
    """Every source of a root that is not gone and whose path begins with ``under``, by path."""
    return rows(
        connection,
        "SELECT source_id, connector, root, external_ref, path, title, source_type, priority_tier"
        " FROM sources WHERE project_id = %s AND root = %s AND state IN ('sanitized', 'skipped')"
        " AND starts_with(path, %s) ORDER BY path",
        *(project_id, root, under),
    )


def titles(connection: Conn, project_id: str, root: str, paths: Collection[str]) -> dict[str, str]:
    """What the sources at these paths are called."""
    found = rows(
        connection,
        "SELECT path, title FROM sources"
        " WHERE project_id = %s AND root = %s AND path = ANY(%s)"
        " AND state IS DISTINCT FROM 'removed'",
        *(project_id, root, list(paths)),
    )
    return {str(row["path"]): str(row["title"]) for row in found}


def _versions() -> tuple[str, str, str, str]:
    now = VERSIONS
    return now.hygiene, now.redactor, now.annotator, now.chunk
