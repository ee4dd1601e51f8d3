"""Facts of run control: which chunks are read, in which batch, and why. Key ``project_id``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.areas import Area
from schemas.envelope import Event, Part
from schemas.events.ingestion_request import CoverageTarget, RunLane, Trigger

DecisionRule = Literal[
    "contradiction_deep_dive", "mandatory_set", "delta", "gap_fill", "best_effort", "source_changes"
]
ReasonCode = Literal[
    "mandatory_set_uncovered",
    "contradiction_context",
    "changed_content",
    "stale_evidence",
    "gap_match",
    "high_value_source",
    "best_effort",
]
StopReason = Literal[
    "cancelled",
    "budget_exhausted",
    "diminishing_returns",
    "max_chunks_per_run",
    "mandatory_set_covered",
    "exhausted",
]
SourceChangeKind = Literal["revised", "renamed", "duplicate", "removed"]


class Limits(Part):
    """The limits of one run (spec 06 §2); 0 tokens means no token budget."""

    batch_size: int
    planned_ahead: int
    horizon: int
    max_chunks_per_run: int
    token_budget: int
    max_concurrency: int


class RunStarted(Event):
    """A run began; ``basis_seq`` is the ledger sequence its first batches are chosen from.

    ``basis_gaps`` are the gaps of the ledger at that sequence; ``source_count`` counts the sources
    of the listing that this run may read, always its first ones.
    """

    type_name: ClassVar[str] = "ingestion.run_started"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    trigger_key: str
    root: str
    lane: RunLane
    trigger: Trigger
    coverage_target: CoverageTarget
    engine: str
    limits: Limits
    versions: dict[str, str]
    basis_seq: int
    basis_gaps: list[Area] = []
    source_count: int

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|run_started|0"


class CandidateChunk(Part):
    chunk_id: str
    source_id: str
    reason_code: ReasonCode
    expected_value_score: float
    priority_rank: int


class NextBatchHint(Part):
    """Which chunks a batch holds, which others stood for choice, and why (spec 06 §3)."""

    hint_version: int = 1
    decision_rule: DecisionRule
    selected_chunk_ids: list[str]
    candidate_chunks: list[CandidateChunk] = []
    gaps_targeted: list[Area] = []


class Reanchored(Part):
    """A chunk that says what an earlier one said, so that nobody reads it (spec 01 §7.4).

    Both are the same chunk when a content has come back. The shifts are from old to new.
    """

    from_chunk_id: str
    to_chunk_id: str
    shift: int
    line_shift: int


class SourceChange(Part):
    """What happened to a source that the ledger has to know; hashes are of sanitized payloads.

    ``other_source_id``: the source that a duplicate repeats, or the one that a renamed source was.
    A source without ``new_hash`` that was revised has nothing to read any more. One revision may be
    told in several changes, each with some of its ``reanchored`` chunks.
    """

    kind: SourceChangeKind
    source_id: str
    other_source_id: str | None = None
    old_hash: str | None = None
    new_hash: str | None = None
    reanchored: list[Reanchored] = []


class BatchPlanned(Event):
    """A batch was chosen; the marker after its ``extract.requested`` records.

    It was chosen among the first ``horizon_end`` sources of the listing.
    """

    type_name: ClassVar[str] = "ingestion.batch_planned"
    schema_version: ClassVar[int] = 2
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    batch_no: int
    basis_seq: int
    horizon_end: int
    hint: NextBatchHint
    source_changes: list[SourceChange] = []

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.batch_no}|planned"


class Counters(Part):
    """Whole numbers, except money in US dollars."""

    chunks_processed: int = 0
    chunks_poison: int = 0
    atoms_created: int = 0
    atoms_merged: int = 0
    atoms_obsoleted: int = 0
    atoms_rejected: int = 0
    contradictions_found: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def plus(self, other: Counters) -> Counters:
        mine, theirs = self.model_dump(), other.model_dump()
        return Counters(**{name: mine[name] + theirs[name] for name in mine})


class BatchCommitted(Event):
    """The batch's last turn is in the ledger; the run's checkpoint."""

    type_name: ClassVar[str] = "ingestion.batch_committed"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    batch_no: int
    ledger_seq: int
    last_successful_chunk_id: str | None
    counters: Counters
    new_atoms_per_10k_tokens: float

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.batch_no}|committed"


class RunStopped(Event):
    """The run ended normally; its last turn in the ledger follows from this.

    ``removals_held`` are sources that are gone but were too many to let them go unasked.
    """

    type_name: ClassVar[str] = "ingestion.run_stopped"
    schema_version: ClassVar[int] = 2
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    stop_reason: StopReason
    totals: Counters
    batch_count: int
    sources_processed: int
    sources_skipped: int
    chunks_skipped: int
    source_changes: list[SourceChange] = []
    withdrawn_batches: list[int] = []
    unfinished_sources: list[str] = []
    removals_held: list[str] = []

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|run_stopped|0"
