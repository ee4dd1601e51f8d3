"""What became of the text of one source: the atoms and refusals that quote each place of it."""

from __future__ import annotations

from typing import Literal

from infra.platform.errors import Conflict, NotFound
from projections.log_reader import Place
from projections.read.session import Conn, ReadModel, Row, like_holding, rows, select
from schemas.confirmations import describe_status

Result = Literal["atom", "merged", "refused"]
SUGGESTED = 5

_SOURCE = """
    SELECT s.source_id, s.root, s.path, s.state, coalesce(s.sanitized_hash, '') AS sanitized_hash,
        CASE WHEN s.duplicate_of IS NOT NULL THEN 'duplicate' ELSE s.skip_reason END AS reason,
        CASE WHEN s.duplicate_of IS NOT NULL
            THEN 'same content as ' || coalesce(o.path, s.duplicate_of)
            ELSE coalesce(s.skip_detail, '') END AS detail
    FROM sources s LEFT JOIN sources o ON o.source_id = s.duplicate_of
    WHERE s.project_id = %s AND s.state <> 'removed'
        AND (s.path = %s OR s.root || ':' || s.path = %s) ORDER BY s.root
"""
_ALIKE = (
    "SELECT DISTINCT path FROM sources WHERE project_id = %s AND state <> 'removed'"
    " AND path LIKE %s ORDER BY path LIMIT %s"
)
_TEXT = (
    "SELECT text FROM source_texts WHERE source_id = %s AND sanitized_hash = %s ORDER BY part_index"
)
_CHUNKS = """
    SELECT c.chunk_id, c.state, c.skip_reason, coalesce(c.skip_detail, '') AS detail,
        c.anchor_start AS char_start, c.anchor_end AS char_end, p.topic, p.partition, p."offset"
    FROM chunks c LEFT JOIN event_places p ON p.event_id = c.created_event_id
    WHERE c.source_id = %s AND c.sanitized_hash = %s AND NOT c.obsolete ORDER BY c.anchor_start
"""
# The rows of an atom that was merged stand with the one that took it in; its merge names them.
_QUOTED = """
    SELECT e.char_start, e.char_end, a.atom_id AS about, a.kind, a.title, a.status,
        a.status_reason, a.attributes, a.verified_by,
        CASE WHEN m.loser IS NULL THEN 'atom' ELSE 'merged' END AS result,
        CASE WHEN m.loser IS NULL THEN '' ELSE m.loser || ' was merged into it' END AS because
    FROM ledger_evidence e JOIN ledger_atoms a USING (atom_id)
    LEFT JOIN LATERAL (
        SELECT o.loser_atom_id AS loser FROM ledger_merge_ops o
        WHERE o.winner_atom_id = a.atom_id AND o.loser_atom_id IS NOT NULL
            AND e.evidence_id = ANY(o.evidence_added)
        ORDER BY o.ledger_seq DESC LIMIT 1) m ON true
    WHERE e.source_id = %s AND e.sanitized_hash = %s
    ORDER BY e.char_start, e.char_end, about
"""
_REFUSED = """
    SELECT (row->>'char_start')::int AS char_start, (row->>'char_end')::int AS char_end,
        'refused' AS result, r.candidate_id AS about, r.kind, r.title, 'refused' AS status,
        coalesce((SELECT string_agg(DISTINCT (f->>'rule') || ' ' || (f->>'code'), ', ')
            FROM jsonb_array_elements(r.findings) f
            WHERE f->>'code' NOT IN ('engine_cap', 'insufficient_evidence_draft')), '') AS because
    FROM ledger_rejections r, jsonb_array_elements(r.candidate->'evidence') row
    WHERE r.source_id = %s AND r.rejected = 'candidate' AND r.chunk_id IN (
        SELECT chunk_id FROM chunks WHERE source_id = r.source_id AND sanitized_hash = %s)
    ORDER BY char_start, char_end, about
"""


class SourceText(ReadModel):
    """A source with its sanitized text; ``reason`` and ``detail`` where it is not read."""

    source_id: str
    root: str
    path: str
    state: str
    sanitized_hash: str
    reason: str | None
    detail: str
    text: str


class ChunkPlace(ReadModel):
    """A chunk of a text, why it was not read, and where its fact stands in the log."""

    chunk_id: str
    state: str
    skip_reason: str | None
    detail: str
    char_start: int
    char_end: int
    topic: str | None
    partition: int | None
    offset: int | None

    @property
    def place(self) -> Place | None:
        if self.topic is None or self.partition is None or self.offset is None:
            return None
        return Place(self.topic, self.partition, self.offset)


class QuotedPlace(ReadModel):
    """Characters of a text that an atom or a refused candidate quotes; ``about`` is its id."""

    char_start: int
    char_end: int
    result: Result
    about: str
    kind: str
    title: str
    status: str
    because: str


def read_source(connection: Conn, project_id: str, path: str) -> SourceText:
    """The source at ``path``, or ``root:path`` where several roots have one.

    Raises NotFound with paths that are alike, and Conflict where it is not clear which is meant.
    """
    records = rows(connection, _SOURCE, project_id, path, path)
    if not records:
        name = path.rpartition("/")[2]
        alike = rows(connection, _ALIKE, project_id, like_holding(name), SUGGESTED)
        text = f"; alike are {', '.join(row['path'] for row in alike)}" if alike else ""
        raise NotFound(f"The project has no source at {path}{text}.")
    if len(records) > 1:
        named = ", ".join(f"{row['root']}:{row['path']}" for row in records)
        raise Conflict(f"Several sources are at {path}: name one of {named}.")
    (source,) = records
    parts = rows(connection, _TEXT, source["source_id"], source["sanitized_hash"])
    return SourceText(**source, text="".join(part["text"] for part in parts))


def list_chunks(connection: Conn, source: SourceText) -> list[ChunkPlace]:
    """The chunks of the text as it is now, in its order."""
    return select(connection, ChunkPlace, _CHUNKS, source.source_id, source.sanitized_hash)


def _explain_status(row: Row) -> QuotedPlace:
    """The place with why its atom is active or a draft, where no merge is to be told of."""
    reason, attributes, verified_by = (
        row.pop(name) for name in ("status_reason", "attributes", "verified_by")
    )
    status = describe_status(row["status"], reason, attributes, verified_by=verified_by)
    return QuotedPlace.model_validate(row | {"because": row["because"] or status})


def list_quoted(connection: Conn, source: SourceText) -> list[QuotedPlace]:
    """What atoms and refused candidates quote of the text, atoms first."""
    key = source.source_id, source.sanitized_hash
    quoted = [_explain_status(row) for row in rows(connection, _QUOTED, *key)]
    return quoted + select(connection, QuotedPlace, _REFUSED, *key)
