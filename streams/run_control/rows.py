"""The rows of run control's tables, folded from requests, the ledger and its own output."""

from __future__ import annotations

from schemas.areas import Area
from schemas.envelope import Envelope, Event, Part
from schemas.events.ingestion import Counters, RunStarted, SourceChange, StopReason
from schemas.events.ingestion_request import (
    IngestionRequested,
    RunResumeRequested,
)
from schemas.events.ledger import Change, LedgerChanged, Turn
from streams.cause import Cause


class Trigger(Part):
    """A request for ingestion; ``arrival`` counts the project's requests from 0.

    ``accepts_run``: the run whose blocked removals a person has accepted.
    """

    arrival: int
    cause: Cause
    requested: IngestionRequested
    accepts_run: str = ""


class ReadMark(Part):
    """A chunk was read: by which run, and at which ledger sequence its turn was applied.

    ``poison``: it was given up. For one that was re-anchored ``seq`` is the first that a run can
    begin at and know of it. ``engine`` read it; ``error`` is why a model that was to read it did
    not, or not all of it.
    """

    run_id: str
    seq: int
    poison: bool = False
    engine: str = "heuristic"
    error: str = ""


class LedgerSource(Part):
    """What the ledger knows of a source since ``seq``; without ``payload`` it has no rows of it."""

    seq: int
    payload: str = ""
    duplicate_of: str = ""
    gone: bool = False


class Commit(Part):
    """The turns of one batch as the ledger applied them; ``seq`` 0 until the last one is there."""

    counters: Counters = Counters()
    last_chunk_id: str | None = None
    seq: int = 0
    gaps: list[Area] = []
    cause: Cause | None = None


class Planned(Part):
    """What must be kept of a batch that was chosen; ``closing``: nothing but changes were left."""

    chunk_ids: list[str]
    horizon_end: int
    source_changes: list[SourceChange] = []
    closing: bool = False


class RunRow(Part):
    """One run as its own facts tell it; ``ended_seq`` is its last turn's ledger place, or 0.

    ``low`` counts the last batches in a row that brought too little; ``stopping`` is the stop rule
    that a commit made fire.
    """

    started: RunStarted
    cause: Cause
    planned: int = 0
    committed: int = 0
    totals: Counters = Counters()
    low: int = 0
    stopping: StopReason | None = None
    stopped: bool = False
    ended_seq: int = 0
    ended_gaps: list[Area] = []
    unfinished: list[str] = []

    def caused(self, cause: Cause, event: Event) -> Envelope:
        """The envelope of ``event``, an output of ``cause`` for this run."""
        return cause.caused(event, lane=self.started.lane, run_id=self.started.run_id)


class Resume(Part):
    """A request to go on with a run that has ended."""

    cause: Cause
    requested: RunResumeRequested


class Contradiction(Part):
    """A contradiction of high severity from its change at ``updated_seq`` until ``closed_seq``.

    ``owner`` is the run whose turn changed it, empty when none was under way. ``places`` are
    ``source|chunk`` of both sides' evidence, ``names`` those of the entities they share.
    """

    contradiction_id: str
    updated_seq: int
    closed_seq: int = 0
    owner: str
    places: list[str]
    names: list[str]
    cause: Cause


class LedgerPosition(Part):
    """How far the ledger was seen; ``run_id`` is the run of its last turn until that run's end."""

    seq: int = 0
    run_id: str = ""
    gaps: list[Area] = []
    state_version: str = ""
    summary: str = ""


def batch_key(run_id: str, batch_no: int) -> str:
    return f"{run_id}|{batch_no:08d}"


def add_turn(commit: Commit, change_set: LedgerChanged, turn: Turn, cause: Cause) -> Commit:
    """The commit with one more turn of its batch."""
    created = sum(change.op == "atom_created" for change in change_set.changes)
    counters = commit.counters.plus(
        Counters(
            chunks_processed=turn.kind == "chunk" and turn.outcome != "poison",
            chunks_poison=turn.outcome == "poison",
            atoms_created=created,
            atoms_merged=len(change_set.merge_ops),
            atoms_obsoleted=sum(change.op == "atom_obsoleted" for change in change_set.changes),
            atoms_rejected=turn.rejected_count,
            contradictions_found=sum(
                change.op == "contradiction_opened" for change in change_set.changes
            ),
            tokens=turn.tokens,
            cost_usd=turn.cost_usd,
        )
    )
    last = turn.chunk_id if turn.kind == "chunk" else commit.last_chunk_id
    done = turn.last_in_batch
    return Commit(
        counters=counters,
        last_chunk_id=last,
        seq=change_set.ledger_seq if done else commit.seq,
        gaps=change_set.summary.gaps if done and change_set.summary else commit.gaps,
        cause=cause if done else commit.cause,
    )


def derive_ledger_sources(change: Change, seq: int) -> dict[str, LedgerSource]:
    """What a ``source_settled`` of the ledger says of its sources, by source."""
    source, other = change.target_id, change.other_id or ""
    match change.reason:
        case "revised":
            return {source: LedgerSource(seq=seq, payload=other)}
        case "removed":
            return {source: LedgerSource(seq=seq, gone=True)}
        case "duplicate":
            return {source: LedgerSource(seq=seq, duplicate_of=other)}
        case "renamed":
            return {
                source: LedgerSource(seq=seq, payload=change.detail),
                other: LedgerSource(seq=seq, gone=True),
            }
        case _:
            return {}
