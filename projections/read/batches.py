"""Which chunks each run chose last, which others could have been chosen, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows
from schemas.areas import Area
from schemas.events.ingestion import CandidateChunk

BATCH_COLUMNS = """r.run_id, r.lane, r.trigger, r.status, b.batch_no, b.basis_seq,
    b.committed_at IS NOT NULL AS committed, b.hint
    FROM ingestion_runs r JOIN ingestion_batches b USING (run_id)"""
ONE_BATCH = f"""
    SELECT {BATCH_COLUMNS}
    WHERE r.project_id = %s AND r.run_id = %s AND b.batch_no = %s AND b.hint IS NOT NULL
"""
LAST_BATCHES = f"""
    SELECT DISTINCT ON (r.started_at, r.run_id) {BATCH_COLUMNS}
    WHERE r.project_id = %s AND r.run_id = coalesce(%s, r.run_id) AND NOT b.withdrawn
        AND b.hint IS NOT NULL
    ORDER BY r.started_at DESC, r.run_id, b.batch_no DESC
"""


class RankedChunk(CandidateChunk):
    """A chunk that could be chosen, and its place; None while the chunk is not in the tables."""

    selected: bool
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None


class Hint(ReadModel):
    """Why the batch holds what it holds."""

    hint_version: int
    decision_rule: str
    selected_chunk_ids: list[str]
    candidate_chunks: list[RankedChunk]
    gaps_targeted: list[Area]


class Batch(ReadModel):
    """``basis_seq`` is the ledger it was chosen from."""

    run_id: str
    lane: str
    trigger: str
    status: str
    batch_no: int
    basis_seq: int
    committed: bool
    hint: Hint


BATCHES = Listing(
    "batches",
    "b.run_id, b.batch_no, b.basis_seq, b.horizon_end, b.ledger_seq, b.committed_at, b.tokens,"
    " b.new_atoms, b.new_atoms_per_10k_tokens, b.withdrawn,"
    " coalesce(jsonb_array_length(b.hint->'selected_chunk_ids'), 0) AS chunks",
    "ingestion_batches b",
    {"b.batch_no": "int"},
)


class RunBatch(ReadModel):
    """A batch of a run; ``committed_at`` is null while it is read, ``withdrawn`` ones never were.

    ``basis_seq`` is the ledger it was chosen from, ``ledger_seq`` the one it was committed to.
    """

    run_id: str
    batch_no: int
    basis_seq: int | None
    horizon_end: int | None
    ledger_seq: int | None
    committed_at: datetime | None
    tokens: int | None
    new_atoms: int | None
    new_atoms_per_10k_tokens: float | None
    withdrawn: bool
    chunks: int


def list_batches(
    connection: Conn,
    project_id: str,
    run_id: str,
    *,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[RunBatch]:
    """A page of the batches of a run, oldest first unless said. Raises Refusal for a bad cursor."""
    of_run = [("b.project_id = %s", project_id), ("b.run_id = %s", run_id)]
    records, following = page_of(connection, BATCHES, of_run, cursor, limit, backwards=newest_first)
    return Page(items=[RunBatch(**row) for row in records], next_cursor=following)


def list_last_batches(connection: Conn, project_id: str, run_id: str | None = None) -> list[Batch]:
    """The batch each run planned last, the newest run first; withdrawn ones left out."""
    return _batches(connection, rows(connection, LAST_BATCHES, project_id, run_id))


def read_batch(connection: Conn, project_id: str, run_id: str, batch_no: int) -> Batch:
    """One batch with the choice behind it, also a withdrawn one. Raises NotFound."""
    batches = _batches(connection, rows(connection, ONE_BATCH, project_id, run_id, batch_no))
    if not batches:
        raise NotFound(f"Run {run_id} has no batch {batch_no}.", code="unknown_batch")
    return batches[0]


def _batches(connection: Conn, records: list[Row]) -> list[Batch]:
    shown = [chunk["chunk_id"] for row in records for chunk in row["hint"]["candidate_chunks"]]
    places = {
        row["chunk_id"]: row
        for row in rows(
            connection,
            "SELECT chunk_id, path, line_start, line_end FROM chunks WHERE chunk_id = ANY(%s)",
            shown,
        )
    }
    return [Batch(**row | {"hint": _hint(row["hint"], places)}) for row in records]


def _hint(hint: dict[str, Any], places: dict[str, dict[str, Any]]) -> Hint:
    selected = set(hint["selected_chunk_ids"])
    ranked = [
        chunk | places.get(chunk["chunk_id"], {}) | {"selected": chunk["chunk_id"] in selected}
        for chunk in hint["candidate_chunks"]
    ]
    return Hint.model_validate(hint | {"candidate_chunks": ranked})
