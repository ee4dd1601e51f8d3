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
    "undecidable",
]
SourceChangeKind = Literal["revised", "renamed", "duplicate", "removed"]


class Limits(Part):
    """The limits of one run; 0 tokens means no token budget.

    After ``low_batches`` batches in a row that each brought fewer than ``new_atoms_per_10k_tokens``
    new atoms the run stops; 0 means never.
    """

    batch_size: int
    planned_ahead: int
    horizon: int
    max_chunks_per_run: int
    token_budget: int
    max_concurrency: int
    new_atoms_per_10k_tokens: float = 0.0
    low_batches: int = 3


class RunStarted(Event):
    """A run began; ``basis_seq`` is the ledger sequence its first batches are chosen from.

    ``basis_gaps`` are the gaps of the ledger at that sequence; ``source_count`` counts the sources
    of the listing that this run may read, always its first ones. A run about a contradiction or
    about stale evidence has no listing and names its sources in ``source_ids``. A run that goes on
    with what ``resumed_from`` left shares its listing; with ``retry_poison`` it also reads what was
    given up.
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
    source_ids: list[str] = []
    resumed_from: str | None = None
    retry_poison: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|run_started|0"


def can_stop_early(started: RunStarted) -> bool:
    """Whether the results of a batch may end the run.

    The ledger then applies a batch only after the commit of the batch before. The offline engine's
    tokens are known before reading, so its budget is kept when a batch is chosen.
    """
    limits = started.limits
    return limits.new_atoms_per_10k_tokens > 0 or (
        started.engine == "model" and limits.token_budget > 0
    )


class CandidateChunk(Part):
    chunk_id: str
    source_id: str
    reason_code: ReasonCode
    expected_value_score: float
    priority_rank: int


class NextBatchHint(Part):
    """Which chunks a batch holds, which others could have been chosen, and why."""

    hint_version: int = 1
    decision_rule: DecisionRule
    selected_chunk_ids: list[str]
    candidate_chunks: list[CandidateChunk] = []
    gaps_targeted: list[Area] = []


class Reanchored(Part):
    """A chunk with the words of an earlier one, so that nobody has to read it.

    Both are the same chunk when a content has come back. The shifts are from old to new.
    """

    from_chunk_id: str
    to_chunk_id: str
    shift: int
    line_shift: int


class SourceChange(Part):
    """A change of a source that the ledger has to apply; hashes are of sanitized payloads.

    ``other_source_id``: the source that a duplicate repeats, or the one that a renamed source was.
    A revised source without ``new_hash`` has nothing to read any more. One revision may come in
    several changes, each with some of its ``reanchored`` chunks.
    """

    kind: SourceChangeKind
    source_id: str
    other_source_id: str | None = None
    old_hash: str | None = None
    new_hash: str | None = None
    reanchored: list[Reanchored] = []


class BatchPlanned(Event):
    """A batch was chosen; the commit record after its ``extract.requested`` records.

    It was chosen among the first ``horizon_end`` sources of the listing. A ``closing`` one has no
    chunks, only the remaining source changes.
    """

    type_name: ClassVar[str] = "ingestion.batch_planned"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    batch_no: int
    basis_seq: int
    horizon_end: int
    hint: NextBatchHint
    source_changes: list[SourceChange] = []
    closing: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.batch_no}|planned"


class DeepDiveQueued(Event):
    """The unread context of a contradiction of high severity is read in this run.

    Once for each run that can reach it and each ``updated_seq``, the ledger sequence of the
    contradiction's last change. No chunks: all of its context has been read, or is being read.
    """

    type_name: ClassVar[str] = "ingestion.deep_dive_queued"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    contradiction_id: str
    updated_seq: int
    run_id: str
    batch_no: int
    basis_seq: int
    chunk_ids: list[str] = []

    @property
    def aggregate_id(self) -> str:
        return self.contradiction_id

    @property
    def local_key(self) -> str:
        return f"{self.contradiction_id}|{self.updated_seq}|{self.run_id}|deep_dive"


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
    """The batch's last turn is in the ledger. It is the run's checkpoint.

    With a ``stop_reason`` it is the run's last one: batches planned after it are withdrawn.
    """

    type_name: ClassVar[str] = "ingestion.batch_committed"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    batch_no: int
    ledger_seq: int
    last_successful_chunk_id: str | None
    counters: Counters
    new_atoms_per_10k_tokens: float
    stop_reason: StopReason | None = None

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.batch_no}|committed"


class RunStopped(Event):
    """The run ended normally; its last turn in the ledger follows from this.

    ``removals_held`` are sources that are gone but were more than the removal threshold allows.
    ``stop_detail`` says why a run was cancelled: ``superseded``, or the words of who asked for it;
    of a run that code could not go on with (``undecidable``) the class of the error.
    """

    type_name: ClassVar[str] = "ingestion.run_stopped"
    topic: ClassVar[str] = "ingestion.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    stop_reason: StopReason
    stop_detail: str = ""
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
