"""One source with its text as the stages read it."""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.document_roles import COLUMNS, JOINED, DocumentState
from projections.read.session import Conn, ReadModel, rows

SOURCE = f"""
    SELECT s.source_id, s.connector, s.root, s.external_ref, s.path, s.title, s.source_type,
        s.priority_tier, s.language, s.state, s.skip_reason, coalesce(s.skip_detail, '') AS detail,
        s.duplicate_of, s.revision_seq, s.revision_ref, s.raw_sha256, s.sanitized_hash,
        s.line_count, s.redaction_count, s.chunk_count, s.occurred_at, s.revised_at,
        {COLUMNS}, coalesce(d.headings, '[]') AS headings,
        (SELECT string_agg(t.text, '' ORDER BY t.part_index) FROM source_texts t
            WHERE t.source_id = s.source_id AND t.sanitized_hash = s.sanitized_hash) AS text
    FROM sources s {JOINED.format(source="s.source_id")}
    WHERE s.project_id = %s AND s.source_id = %s AND s.path IS NOT NULL
"""


class DocumentHeading(ReadModel):
    """A heading of a document that says what stands under it, and the section of a PRD that it
    announces; ``nowhere``: what stands under it says nothing of the product.
    """

    title: str
    line: int
    role: str
    section: str


class SourceDetail(DocumentState):
    """``text`` is the sanitized one: secrets and personal data are replaced in it.

    ``headings`` are those that say what stands under them.
    """

    source_id: str
    connector: str | None
    root: str | None
    external_ref: str | None
    path: str
    title: str | None
    source_type: str | None
    priority_tier: int | None
    language: str | None
    state: str | None
    skip_reason: str | None
    detail: str
    duplicate_of: str | None
    revision_seq: int | None
    revision_ref: str | None
    raw_sha256: str | None
    sanitized_hash: str | None
    line_count: int | None
    redaction_count: int | None
    chunk_count: int | None
    occurred_at: datetime | None
    revised_at: datetime | None
    headings: list[DocumentHeading]
    text: str | None


def read_source(connection: Conn, project_id: str, source_id: str) -> SourceDetail:
    """Raises NotFound when the project has no such source."""
    records = rows(connection, SOURCE, project_id, source_id)
    if not records:
        raise NotFound(f"There is no source {source_id}.", code="unknown_source_id")
    return SourceDetail(**records[0])
