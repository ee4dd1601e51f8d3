"""The sources of a project one by one: which are read, which are not and why.

What a listing found at a root and could not make a source of (a link, a submodule, an encrypted
member) is among them: whoever asks what was not read wants to know of it, too.
"""

from __future__ import annotations

from datetime import datetime

from projections.read.atoms import find_time
from projections.read.document_roles import COLUMNS, JOINED, ROLE, DocumentState
from projections.read.owed import IS_OWED
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, Row, like_of
from schemas.model_reading import describe_owed

# The list in its order, from two indexes. What only some of it needs is joined behind that, so that
# a page looks at the chunks of its own sources alone.
_LISTED = """
    SELECT project_id, root, path, source_id AS about, source_id, source_type, state, skip_reason,
        skip_detail, CASE WHEN gate_skip_reason IS NULL THEN duplicate_of END AS copy_of,
        greatest(revised_at, updated_at, removed_at) AS changed_at
    FROM sources
    UNION ALL
    SELECT project_id, root, path, code, NULL, NULL, 'skipped', code, detail, NULL, listed_at
    FROM listing_notices
"""
# A source all of whose chunks need no reading is skipped for the reason of its first one.
_UNREAD = """
    SELECT skip_reason AS reason, skip_detail AS detail FROM chunks
    WHERE chunks.source_id = x.source_id AND NOT obsolete AND (
        SELECT bool_and(state = 'skipped') FROM chunks every
        WHERE every.source_id = x.source_id AND NOT obsolete)
    ORDER BY anchor_start LIMIT 1
"""
# Chunks that rules have read in place of a model.
_BY_RULES = f"""
    SELECT sum(n)::int AS n, jsonb_object_agg(cause, n) AS causes FROM (
        SELECT c.read_error AS cause, count(*) AS n FROM chunks c
        WHERE c.source_id = x.source_id AND {IS_OWED} GROUP BY 1) counted
"""
BY_RULES = "read_by_rules"
REASON = f"coalesce(x.skip_reason, c.reason, CASE WHEN r.n > 0 THEN '{BY_RULES}' END)"
SOURCES = Listing(
    "sources",
    "x.root, x.path, x.source_id, x.source_type,"
    " CASE WHEN c.reason IS NULL THEN x.state ELSE 'skipped' END AS state,"
    f" {REASON} AS reason,"
    " CASE WHEN x.copy_of IS NOT NULL THEN 'same content as ' || coalesce(o.path, x.copy_of)"
    "   ELSE coalesce(x.skip_detail, c.detail, '') END AS detail, r.causes, r.n AS by_rules,"
    f" {COLUMNS}",
    f"({_LISTED}) x LEFT JOIN sources o ON o.source_id = x.copy_of"
    f" LEFT JOIN LATERAL ({_UNREAD}) c ON x.state = 'sanitized'"
    f" LEFT JOIN LATERAL ({_BY_RULES}) r ON x.state = 'sanitized'"
    + JOINED.format(source="x.source_id"),
    {"x.root": "text", "x.path": "text", "x.about": "text"},
)


class SourceState(DocumentState):
    """``state``: sanitized (to be read, or read), skipped, registered (not answered yet), removed.

    Without ``source_id`` it is something that a listing found and that is no source. ``reason`` and
    ``detail`` say why it is skipped, or why rules have read so many of its chunks (``by_rules``) in
    place of a model.
    """

    root: str
    path: str
    source_id: str | None
    source_type: str | None
    state: str
    reason: str | None
    detail: str
    by_rules: int = 0


def list_sources(
    connection: Conn,
    project_id: str,
    *,
    skipped: bool = False,
    reason: str | None = None,
    source: str | None = None,
    role: str | None = None,
    updated_since: int | datetime | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[SourceState]:
    """A page of sources by root and path. Raises Refusal for a bad cursor.

    ``skipped``: only those that are not read, or not by the model that was to read them;
    ``source`` is a glob over paths, ``role`` that of documents. ``updated_since``: only those that
    have changed after this change set or time, also those that are removed, which stand in no other
    list.
    """
    conditions: list[Condition] = [("x.project_id = %s", project_id)]
    if skipped:
        conditions.append(("(x.state = 'skipped' OR c.reason IS NOT NULL OR r.n > 0)",))
    if reason:
        conditions.append((f"{REASON} = %s", reason))
    if source:
        conditions.append(("x.path LIKE %s", like_of(source)))
    if role:
        conditions.append((f"{ROLE} = %s", role))
    if updated_since is None:
        conditions.append(("x.state <> 'removed'",))
    else:
        since = find_time(connection, project_id, updated_since)
        conditions.append(("x.changed_at > %s", since))
    records, following = page_of(connection, SOURCES, conditions, cursor, limit)
    return Page(items=[_build_state(row) for row in records], next_cursor=following)


def _build_state(row: Row) -> SourceState:
    causes, by_rules = row.pop("causes") or {}, row.pop("by_rules") or 0
    if causes and not row["detail"]:
        row["detail"] = describe_owed(causes)
    return SourceState(**row, by_rules=by_rules)
