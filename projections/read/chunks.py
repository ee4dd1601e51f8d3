"""The pieces of sources as they are read: where each stands, and what became of it."""

from __future__ import annotations

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows
from projections.read.sources import read_chunk_text

COLUMNS = (
    "c.chunk_id, c.source_id, c.path, c.source_type, c.priority_tier, c.sanitized_hash,"
    " c.anchor_type, c.anchor_start, c.anchor_end, c.line_start, c.line_end, c.structure_path,"
    " c.token_estimate, c.state, c.skip_reason, coalesce(c.skip_detail, '') AS detail"
)
CHUNKS = Listing(
    "chunks",
    COLUMNS,
    "chunks c",
    {"c.source_id": "text", "c.anchor_start": "int", "c.chunk_id": "text"},
)


class Chunk(ReadModel):
    """``state``: pending, scheduled, extracted or skipped (with a reason); places are characters
    of the sanitized text of its source, the end not included.
    """

    chunk_id: str
    source_id: str
    path: str
    source_type: str
    priority_tier: int
    sanitized_hash: str
    anchor_type: str
    anchor_start: int
    anchor_end: int
    line_start: int
    line_end: int
    structure_path: list[str]
    token_estimate: int
    state: str
    skip_reason: str | None
    detail: str


class WholeChunk(Chunk):
    """``text`` is what is read: secrets and personal data are replaced in it."""

    text: str | None


def list_chunks(
    connection: Conn,
    project_id: str,
    *,
    source_id: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Chunk]:
    """A page of the chunks of today's revisions, by source and place. Raises Refusal."""
    conditions: list[Condition] = [
        ("c.project_id = %s", project_id),
        ("c.source_id IS NOT NULL AND NOT c.obsolete",),
    ]
    if source_id:
        conditions.append(("c.source_id = %s", source_id))
    if state:
        conditions.append(("c.state = %s", state))
    records, following = page_of(connection, CHUNKS, conditions, cursor, limit)
    return Page(items=[Chunk(**row) for row in records], next_cursor=following)


def read_chunk(connection: Conn, project_id: str, chunk_id: str) -> WholeChunk:
    """A chunk, also one that is obsolete. Raises NotFound when the project has no such chunk."""
    records = rows(
        connection,
        f"SELECT {COLUMNS} FROM chunks c"
        " WHERE c.project_id = %s AND c.chunk_id = %s AND c.source_id IS NOT NULL",
        *(project_id, chunk_id),
    )
    if not records:
        raise NotFound(f"There is no chunk {chunk_id}.", code="unknown_chunk")
    return WholeChunk(**records[0], text=read_chunk_text(connection, chunk_id))
