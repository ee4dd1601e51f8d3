"""What became of each document of an ingest: refused before it was read, or read by the stages."""

from __future__ import annotations

from typing import Literal

from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows

DocumentState = Literal["waiting", "ingested", "unchanged", "skipped", "refused"]
RESULTS = Listing(
    "ingested documents",
    "d.path, d.state, d.source_id, d.reason, d.message, d.index",
    # Those that were refused before anything was read come first.
    """(
        SELECT u.project_id, u.trigger_key, 0 AS part, r.index AS place, r.path,
            'refused' AS state, NULL AS source_id, r.code AS reason, r.message, r.index
        FROM uploads u CROSS JOIN LATERAL jsonb_to_recordset(u.refused)
            AS r(index int, path text, code text, message text)
        UNION ALL
        SELECT t.project_id, t.trigger_key, 1, t.position, s.path,
            CASE WHEN t.unchanged OR t.outcome = 'unchanged' THEN 'unchanged'
                WHEN t.outcome = 'sanitized' THEN 'ingested'
                WHEN t.outcome = 'skipped' THEN 'skipped' ELSE 'waiting' END,
            t.source_id, t.skip_reason, NULL, NULL
        FROM trigger_sources t LEFT JOIN sources s USING (source_id) WHERE t.position IS NOT NULL
    ) d""",
    {"d.part": "int", "d.place": "int"},
)


class DocumentResult(ReadModel):
    """What became of one document. ``index``: its place in the request, if it was refused.
    ``path`` is null until the document is recorded.

    ``skipped`` has nothing to be read, ``refused`` could not be taken at all; ``reason`` says why.
    """

    path: str | None
    state: DocumentState
    source_id: str | None
    reason: str | None
    message: str | None
    index: int | None


def list_document_results(
    connection: Conn,
    project_id: str,
    trigger_key: str,
    *,
    condition: str = "true",
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DocumentResult]:
    """A page of what became of each document. Raises Refusal for a bad cursor."""
    of_trigger = ("d.project_id = %s AND d.trigger_key = %s", project_id, trigger_key)
    found, following = page_of(connection, RESULTS, [of_trigger, (condition,)], cursor, limit)
    return Page(items=[DocumentResult(**row) for row in found], next_cursor=following)


def count_results(connection: Conn, project_id: str, trigger_key: str) -> dict[DocumentState, int]:
    counted = rows(
        connection,
        f"SELECT d.state, count(*) AS count FROM {RESULTS.tables}"
        " WHERE d.project_id = %s AND d.trigger_key = %s GROUP BY d.state ORDER BY d.state",
        *(project_id, trigger_key),
    )
    return {row["state"]: row["count"] for row in counted}


def find_upload(connection: Conn, project_id: str, trigger_key: str) -> Row:
    """The upload with its job; empty for an ingest that came another way."""
    found = rows(
        connection,
        "SELECT u.job_id, u.root, u.refused, u.outcome, u.problem, j.status, j.last_error,"
        " j.error_class FROM uploads u LEFT JOIN orchestration_jobs j USING (job_id)"
        " WHERE u.project_id = %s AND u.trigger_key = %s",
        *(project_id, trigger_key),
    )
    return found[0] if found else {}
