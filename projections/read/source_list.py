"""The sources of a project one by one: which are read, which are not and why.

What a listing found at a root and could not make a source of (a link, a submodule, an encrypted
member) is among them: whoever asks what was not read wants to know of it, too.
"""

from __future__ import annotations

from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, like_of

# A source all of whose chunks need no reading is skipped for the reason of its first one.
_SOURCES = """
    SELECT s.project_id, s.root, s.path, s.source_id AS about, s.source_type, s.source_id,
        CASE WHEN c.reason IS NULL THEN s.state ELSE 'skipped' END AS state,
        coalesce(s.skip_reason, c.reason) AS reason,
        CASE WHEN s.gate_skip_reason IS NULL AND s.duplicate_of IS NOT NULL
            THEN 'same content as ' || coalesce(o.path, s.duplicate_of)
            ELSE coalesce(s.skip_detail, c.detail, '') END AS detail
    FROM sources s
    LEFT JOIN sources o ON o.source_id = s.duplicate_of
    LEFT JOIN LATERAL (
        SELECT (array_agg(skip_reason ORDER BY anchor_start))[1] AS reason,
            (array_agg(skip_detail ORDER BY anchor_start))[1] AS detail
        FROM chunks WHERE chunks.source_id = s.source_id AND NOT obsolete
        HAVING bool_and(state = 'skipped')
    ) c ON s.state = 'sanitized'
    WHERE s.state <> 'removed'
"""
_NOTICES = """
    SELECT project_id, root, path, code AS about, NULL, NULL, 'skipped', code, detail
    FROM listing_notices
"""
SOURCES = Listing(
    "sources",
    "x.root, x.path, x.source_id, x.source_type, x.state, x.reason, x.detail",
    f"({_SOURCES} UNION ALL {_NOTICES}) x",
    {"x.root": "text", "x.path": "text", "x.about": "text"},
)


class SourceState(ReadModel):
    """``state``: sanitized (to be read, or read), skipped, or registered (not answered yet).

    Without ``source_id`` it is something that a listing found and that is no source. ``reason`` and
    ``detail`` say why it is skipped.
    """

    root: str
    path: str
    source_id: str | None
    source_type: str | None
    state: str
    reason: str | None
    detail: str


def source_states(
    connection: Conn,
    project_id: str,
    *,
    skipped: bool = False,
    reason: str | None = None,
    source: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[SourceState]:
    """A page of sources by root and path. Raises Refusal for a bad cursor.

    ``skipped``: only those that are not read; ``source`` is a glob over paths.
    """
    conditions: list[Condition] = [("x.project_id = %s", project_id)]
    if skipped:
        conditions.append(("x.state = 'skipped'",))
    if reason:
        conditions.append(("x.reason = %s", reason))
    if source:
        conditions.append(("x.path LIKE %s", like_of(source)))
    found, following = page_of(connection, SOURCES, conditions, cursor, limit)
    return Page(items=[SourceState(**row) for row in found], next_cursor=following)
