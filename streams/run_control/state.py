"""What run control remembers of its projects, folded from requests, the ledger and its own output.

Everything that decides stands in tables; ``views`` are derived from them (see ``views``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.areas import Area
from schemas.envelope import Envelope, Event, Part
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import Counters, DeepDiveQueued, RunStarted, SourceChange, StopReason
from schemas.events.ingestion_request import (
    IngestionRequested,
    RunCancelRequested,
    RunLane,
    RunResumeRequested,
    SourcesListed,
)
from schemas.events.ledger import Change, LedgerChanged, Turn
from schemas.ids import run_id as derive_run_id
from schemas.ledger_order import LedgerOrder, Place, Progress
from streams.cause import Cause
from streams.due import DueProjects
from streams.stage import Table, Tables

if TYPE_CHECKING:
    from streams.run_control.views import RunView


class Trigger(Part):
    """A request for ingestion; ``arrival`` counts the project's requests from 0.

    ``accepts_run``: the run whose held removals a person has let go, if it is that.
    """

    arrival: int
    cause: Cause
    requested: IngestionRequested
    accepts_run: str = ""


class ReadMark(Part):
    """A chunk was read: by which run, and at which ledger sequence its turn was applied.

    ``poison``: it was given up. For one that was re-anchored ``seq`` is the first that a run can
    begin at and know of it.
    """

    run_id: str
    seq: int
    poison: bool = False


class Told(Part):
    """What the ledger was told of a source at ``seq``; without ``payload`` it holds no rows."""

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


class Dispute(Part):
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


class LedgerPlace(Part):
    """The ledger as last seen; ``run_id`` is the run of its last turn until that run's end."""

    seq: int = 0
    run_id: str = ""
    gaps: list[Area] = []
    state_version: str = ""
    summary: str = ""


@dataclass(slots=True)
class LeftOut:
    """The sources that no run of a trigger may read, the first of its listing at the end.

    ``seq`` and ``gaps`` are of the ledger as the last run about them has left it.
    """

    sources: list[str]
    seq: int
    gaps: list[Area]


class RunControlState:
    """The tables of one partition, and what is derived from them.

    ``sources`` holds the last answer of stage 0 for a source, ``earlier`` the ones before whose
    payload was another. ``told`` is what ``ledger.v1`` says it knows of a source, by sequence.
    """

    def __init__(self, tables: Tables) -> None:
        self.triggers: Table[Trigger] = tables.table("triggers", Trigger)
        self.listings: Table[SourcesListed] = tables.table("listings", SourcesListed)
        self.ready: Table[str] = tables.table("ready", str)
        self.sources: Table[SourceProcessed] = tables.table("sources", SourceProcessed)
        self.earlier: Table[SourceProcessed] = tables.table("earlier", SourceProcessed)
        self.told: Table[Told] = tables.table("told", Told)
        self.read: Table[ReadMark] = tables.table("read", ReadMark)
        self.runs: Table[RunRow] = tables.table("runs", RunRow)
        self.batches: Table[Planned] = tables.table("batches", Planned)
        self.commits: Table[Commit] = tables.table("commits", Commit)
        self.cancels: Table[RunCancelRequested] = tables.table("cancels", RunCancelRequested)
        self.resumes: Table[Resume] = tables.table("resumes", Resume)
        self.disputes: Table[Dispute] = tables.table("disputes", Dispute)
        self.dispute_now: Table[str] = tables.table("dispute_now", str)
        self.places_of: Table[list[str]] = tables.table("places_of", list)
        self.names_of: Table[list[str]] = tables.table("names_of", list)
        self.dives: Table[DeepDiveQueued] = tables.table("dives", DeepDiveQueued)
        self.places: Table[LedgerPlace] = tables.table("places", LedgerPlace)
        self.order = LedgerOrder(
            tables.table("ledger_places", Place),
            tables.table("ledger_progress", Progress),
            tables.table("ledger_causes", int),
        )
        self.views: dict[str, RunView] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.known_disputes: dict[str, dict[str, Dispute]] = {}
        for key, dispute in self.disputes.items():
            self.known_disputes.setdefault(key.split("|", 1)[0], {})[key] = dispute
        self.due = DueProjects({key.split("|", 1)[0] for key, _ in self.triggers.items()})

    def place(self, project: str) -> LedgerPlace:
        return self.places.get(project, LedgerPlace())

    def listing(self, project: str, trigger_key: str) -> SourcesListed | None:
        """The whole listing of a trigger in one, or None until all its parts are there."""
        parts = [part for _, part in self.listings.with_prefix(f"{project}|{trigger_key}|")]
        if not parts or len(parts) < parts[0].part_count:
            return None
        sources = [source for part in parts for source in part.sources]
        removed = [source for part in parts for source in part.removed]
        return parts[0].model_copy(update={"sources": sources, "removed": removed})

    def project_triggers(self, project: str) -> list[Trigger]:
        """The project's requests in order of arrival."""
        return [trigger for _, trigger in self.triggers.with_prefix(f"{project}|")]

    def trigger(self, project: str, trigger_key: str) -> Trigger | None:
        for trigger in self.project_triggers(project):
            if trigger.requested.trigger_key == trigger_key:
                return trigger
        return None

    def open_runs(self, project: str) -> list[RunRow]:
        """Runs without their last turn: previews first, then in the order of their requests."""
        order = {
            trigger.requested.trigger_key: trigger.arrival
            for trigger in self.project_triggers(project)
        }
        runs = [run for run in self.project_runs(project) if not run.ended_seq]
        return sorted(
            runs,
            key=lambda run: (run.started.lane != "preview", order.get(run.started.trigger_key, -1)),
        )

    def runs_at_hand(self, project: str) -> list[RunRow]:
        """The open runs of which all that they began with is folded (again)."""
        return [run for run in self.open_runs(project) if self._at_hand(project, run.started)]

    def _at_hand(self, project: str, started: RunStarted) -> bool:
        if started.basis_seq > self.place(project).seq:
            return False
        if started.run_id in self.views or started.source_ids:
            return True
        return self.listing(project, started.trigger_key) is not None

    def preview_of(self, project: str, run: RunRow) -> RunRow | None:
        """The preview run of the same request, seen from its deep run."""
        if run.started.lane == "preview":
            return None
        preview = derive_run_id(project, run.started.trigger_key, "preview")
        return self.runs.get(f"{project}|{preview}")

    def asks_for(self, project: str, trigger_key: str, lane: RunLane) -> bool:
        """Whether the request of that key asks for a run in that lane."""
        return any(
            trigger.requested.trigger_key == trigger_key and lane in trigger.requested.lanes
            for trigger in self.project_triggers(project)
        )

    def disputes_of(self, project: str) -> Iterable[Dispute]:
        """The project's contradictions of high severity, in the order of their changes."""
        return self.known_disputes.get(project, {}).values()

    def put_dispute(self, project: str, key: str, dispute: Dispute) -> None:
        self.disputes[key] = dispute
        self.known_disputes.setdefault(project, {})[key] = dispute

    def project_runs(self, project: str) -> list[RunRow]:
        return [run for _, run in self.runs.with_prefix(f"{project}|")]


def batch_key(project: str, run_id: str, batch_no: int) -> str:
    return f"{project}|{run_id}|{batch_no:08d}"


def commit_after(commit: Commit, change_set: LedgerChanged, turn: Turn, cause: Cause) -> Commit:
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


def told_by(change: Change, seq: int) -> dict[str, Told]:
    """What a ``source_settled`` of the ledger says of the sources it speaks of."""
    source, other = change.target_id, change.other_id or ""
    match change.reason:
        case "revised":
            return {source: Told(seq=seq, payload=other)}
        case "removed":
            return {source: Told(seq=seq, gone=True)}
        case "duplicate":
            return {source: Told(seq=seq, duplicate_of=other)}
        case "renamed":
            return {source: Told(seq=seq, payload=change.detail), other: Told(seq=seq, gone=True)}
        case _:
            return {}
