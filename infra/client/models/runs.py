# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Runs are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model
from infra.client.models.runs_parts import Hint
from infra.client.models.shared import SectionReference


class AcceptedRemovals(Model):
    run_id: str
    root: str
    source_ids: list[str]


class Batch(Model):
    """``basis_seq`` is the ledger it was chosen from."""

    run_id: str
    lane: str
    trigger: str
    status: str
    batch_no: int
    basis_seq: int
    committed: bool
    hint: Hint


class CancelRequest(Model):
    reason: str = ""


class DeltaReport(Model):
    """What had changed for a run, and what it read and wrote again.

    ``settled_at`` and the sections are None until the artifacts have been written for its end.
    """

    run_id: str
    project_id: str
    trigger: str
    trigger_key: str
    root: str
    lane: str
    status: str
    files_added: list[str]
    files_modified: list[str]
    files_removed: list[str]
    files_renamed: list[str]
    chunks_reextracted: int
    chunks_reanchored: int
    atoms_touched: int
    atom_changes: dict[str, int]
    sections_recomputed: list[SectionReference] | None
    sections_kept: list[SectionReference] | None
    settled_at: int | None


class ResumeRequest(Model):
    """``retry_poison``: also what the run gave up."""

    retry_poison: bool = False


class Run(Model):
    """A run with what it did so far; what it has not told yet is None.

    The times in milliseconds are from the first content to the first atom, and to the first version
    of PRD and features that has a statement; ``target_missed`` names those that took too long.
    """

    run_id: str
    lane: str | None
    trigger: str | None
    trigger_key: str | None
    root: str | None
    engine: str | None
    coverage_target: str | None
    status: str | None
    stop_reason: str | None
    limits: dict[str, Any] | None
    versions: dict[str, Any] | None
    sources_processed: int | None
    sources_skipped: int | None
    chunks_processed: int | None
    chunks_skipped: int | None
    chunks_poison: int | None
    atoms_created: int | None
    atoms_merged: int | None
    atoms_obsoleted: int | None
    atoms_rejected: int | None
    contradictions_found: int | None
    tokens: int | None
    cost_usd: float | None
    removals_held: int
    batch_count: int | None
    last_successful_chunk_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    stop_detail: str | None
    withdrawn_batches: list[int] | None
    unfinished_sources: list[str] | None
    resumed_from: str | None
    first_atom_ms: int | None
    waiting_for_sources: int
    cancel_requested: bool
    prd_v0_ms: int | None
    features_v0_ms: int | None
    target_missed: list[str]


class RunBatch(Model):
    """A batch of a run; ``committed_at`` is null while it is read, ``withdrawn`` ones never
    were.

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


class RunRequest(Model):
    """A request about a run, as it was recorded; ``key`` makes it one request."""

    run_id: str
    key: str
