"""What run control knows of one project, and of one run of it.

What is decided from stands in tables; views and indexes in memory are derived from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from schemas.areas import Area
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import DeepDiveQueued, RunStarted
from schemas.events.ingestion_request import RunCancelRequested, RunLane, SourcesListed
from schemas.ids import run_id as derive_run_id
from streams.run_control.rows import (
    Commit,
    Contradiction,
    LedgerPosition,
    LedgerSource,
    Planned,
    ReadMark,
    Resume,
    RunRow,
    Trigger,
    batch_key,
)
from streams.run_control.run_view import RunView
from streams.scoped_table import ScopedTable
from streams.stage import Table, Tables

V = TypeVar("V")
NO_POSITION = LedgerPosition()


@dataclass(slots=True)
class LeftOut:
    """The sources that no run of a trigger may read, the first of its listing at the end.

    ``seq`` and ``gaps`` are of the ledger as the last run about them has left it.
    """

    sources: list[str]
    seq: int
    gaps: list[Area]


class ProjectScope:
    """The rows of one project, and what is derived from them.

    ``sources`` has the last answer of stage 0 for a source, ``earlier`` the ones before whose
    payload was another. ``told`` is what ``ledger.v1`` says it knows of a source, by sequence.
    ``views`` and ``left_out`` are kept by run and by trigger key.
    """

    def __init__(self, tables: Tables, project: str) -> None:
        def scoped(name: str, kind: type[V]) -> ScopedTable[V]:
            return ScopedTable(tables.table(name, kind), project)

        self.id = project
        self.triggers = scoped("triggers", Trigger)
        self.listings = scoped("listings", SourcesListed)
        self.ready = scoped("ready", str)
        self.sources = scoped("sources", SourceProcessed)
        self.earlier = scoped("earlier", SourceProcessed)
        self.told = scoped("told", LedgerSource)
        self.read = scoped("read", ReadMark)
        self.runs = scoped("runs", RunRow)
        self.batches = scoped("batches", Planned)
        self.commits = scoped("commits", Commit)
        self.cancels = scoped("cancels", RunCancelRequested)
        self.resumes = scoped("resumes", Resume)
        self.contradictions = scoped("disputes", Contradiction)
        self.open_contradictions = scoped("dispute_now", str)
        self.places_of: ScopedTable[list[str]] = scoped("places_of", list)
        self.names_of: ScopedTable[list[str]] = scoped("names_of", list)
        self.dives = scoped("dives", DeepDiveQueued)
        self._positions: Table[LedgerPosition] = tables.table("places", LedgerPosition)
        self.views: dict[str, RunView] = {}
        self.left_out: dict[str, LeftOut] = {}
        self._contradictions = dict(self.contradictions.items())

    @property
    def position(self) -> LedgerPosition:
        """How far the project's ledger was last seen."""
        return self._positions.get(self.id, NO_POSITION)

    @position.setter
    def position(self, position: LedgerPosition) -> None:
        self._positions[self.id] = position

    def listing(self, trigger_key: str) -> SourcesListed | None:
        """The whole listing of a trigger in one, or None until all its parts are there."""
        parts = list(self.listings.under(trigger_key).values())
        if not parts or len(parts) < parts[0].part_count:
            return None
        sources = [source for part in parts for source in part.sources]
        removed = [source for part in parts for source in part.removed]
        return parts[0].model_copy(update={"sources": sources, "removed": removed})

    def trigger(self, trigger_key: str) -> Trigger | None:
        for trigger in self.triggers.values():
            if trigger.requested.trigger_key == trigger_key:
                return trigger
        return None

    def arrivals(self) -> dict[str, int]:
        """When each request came, by trigger key."""
        return {each.requested.trigger_key: each.arrival for each in self.triggers.values()}

    def open_runs(self) -> list[RunRow]:
        """Runs without their last turn: previews first, then in the order of their requests."""
        order = self.arrivals()
        return sorted(
            (run for run in self.runs.values() if not run.ended_seq),
            key=lambda run: (run.started.lane != "preview", order.get(run.started.trigger_key, -1)),
        )

    def runs_at_hand(self) -> list[RunScope]:
        """The open runs of which all that they began with is folded (again)."""
        return [RunScope(self, run) for run in self.open_runs() if self._is_at_hand(run.started)]

    def _is_at_hand(self, started: RunStarted) -> bool:
        if started.basis_seq > self.position.seq:
            return False
        if started.run_id in self.views or started.source_ids:
            return True
        return self.listing(started.trigger_key) is not None

    def asks_for(self, trigger_key: str, lane: RunLane) -> bool:
        """Whether the request of that key asks for a run in that lane."""
        return any(
            trigger.requested.trigger_key == trigger_key and lane in trigger.requested.lanes
            for trigger in self.triggers.values()
        )

    def known_contradictions(self) -> Iterable[Contradiction]:
        """Those of high severity, in the order of their changes."""
        return self._contradictions.values()

    def put_contradiction(self, key: str, contradiction: Contradiction) -> None:
        self.contradictions[key] = self._contradictions[key] = contradiction


@dataclass(frozen=True, slots=True)
class RunScope:
    """One run, begun or about to begin, with all that is known of its project."""

    project: ProjectScope
    run: RunRow

    @property
    def started(self) -> RunStarted:
        return self.run.started

    @property
    def run_id(self) -> str:
        return self.run.started.run_id

    def listing(self) -> SourcesListed | None:
        """What the run's trigger has listed, see ``ProjectScope.listing``."""
        return self.project.listing(self.started.trigger_key)

    def trigger(self) -> Trigger | None:
        return self.project.trigger(self.started.trigger_key)

    def reads_again(self, mark: ReadMark) -> bool:
        """Whether the run reads what was read before it began: a model what rules have read, or
        only in part a model; anybody what a model has given up.

        What was read later counts as read: the run itself had no model for it, or another one does
        not know of that yet.
        """
        if mark.seq > self.started.basis_seq:
            return False
        if mark.poison:
            return mark.engine == "model"
        is_owed = mark.engine == "heuristic" or bool(mark.error)
        return is_owed and self.started.engine == "model"

    def commit(self, batch_no: int) -> Commit | None:
        return self.project.commits.get(batch_key(self.run_id, batch_no))

    def preview(self) -> RunRow | None:
        """The preview run of the same request, seen from its deep run."""
        if self.started.lane == "preview":
            return None
        return self.project.runs.get(
            derive_run_id(self.project.id, self.started.trigger_key, "preview")
        )

    def caused(self, event: Event) -> Envelope:
        """The envelope of ``event``, an output of what the run was started by."""
        return self.run.caused(self.run.cause, event)
