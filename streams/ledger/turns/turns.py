"""Which turn is next: results wait here until those before them are applied.

What waits is folded from the inputs and dropped when the ledger's own output says that its turn was
applied. Every table is fed from one topic alone and emptied by the other, and a fact whose turn is
already applied is not taken in; so the topics may be folded in any interleaving, also the own
output first.

Decided against: one queue of results in order of arrival. The order of turns is that of the plans,
and a result is looked up under the place its request was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.envelope import Envelope, Part
from schemas.events.atom import AtomAdjudicated, AtomReflected, Reading
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    RunStarted,
    RunStopped,
    SourceChange,
    can_stop_early,
)
from schemas.events.judgement import PairJudged
from schemas.events.ledger import Turn
from schemas.ledger_order import Progress
from streams.cause import Cause
from streams.ledger.turns.fold import LedgerView
from streams.ledger.turns.judgements import Judgements, batch_key, drop_under
from streams.stage import Table, Tables

END_BATCH = -1


class OpenRun(Part):
    """A run without its last turn; ``arrival`` counts the runs of a project as they began.

    A batch of a ``guarded`` run begins when the commit of the one before says that the run goes on.
    One that ``judges`` asks a model about doubtful pairs (``judgements``).
    """

    run_id: str
    trigger_key: str
    lane: Literal["preview", "deep"]
    arrival: int
    guarded: bool = False
    judges: bool = False


class WaitingPlan(Part):
    cause: Cause
    chunk_ids: list[str]
    source_changes: list[SourceChange]


class WaitingResult(Part):
    cause: Cause
    reflected: AtomReflected


class WaitingVerdict(Part):
    """The verdict on one borderline candidate of a result."""

    adjudicated: AtomAdjudicated


class WaitingEnd(Part):
    cause: Cause
    batch_count: int
    withdrawn: list[int]
    source_changes: list[SourceChange]
    unfinished: list[str]
    held: int = 0


@dataclass(frozen=True, slots=True)
class DueTurn:
    """A turn all of whose predecessors are applied, with what it applies.

    ``part`` stands in for the end of a run that does not fit into one change set. A turn of chunks
    that ``judges`` notes doubtful pairs; ``judged`` are the answers that a turn of pairs applies.
    """

    turn: Turn
    cause: Cause
    source_changes: list[SourceChange]
    reflected: AtomReflected | None = None
    unfinished: tuple[str, ...] = ()
    held: int = 0
    part: Turn | None = None
    judges: bool = False
    judged: tuple[PairJudged, ...] = ()


class Turns:
    """The waiting turns of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView, judgements: Judgements) -> None:
        self._view = view
        self._judgements = judgements
        self.runs: Table[OpenRun] = tables.table("open_runs", OpenRun)
        self.arrivals: Table[int] = tables.table("run_arrivals", int)
        self.plans: Table[WaitingPlan] = tables.table("waiting_plans", WaitingPlan)
        self.results: Table[WaitingResult] = tables.table("waiting_results", WaitingResult)
        self.verdicts: Table[WaitingVerdict] = tables.table("waiting_verdicts", WaitingVerdict)
        self.goes: Table[int] = tables.table("batches_released", int)
        self.ends: Table[WaitingEnd] = tables.table("waiting_ends", WaitingEnd)
        self.parts: Table[Cause] = tables.table("end_parts", Cause)

    def projects(self) -> set[str]:
        """The projects in which something may wait."""
        return {key.split("|", 1)[0] for key, _ in self.runs.items()}

    def take(self, envelope: Envelope) -> None:
        """Fold an input; the first one for a place wins, one for an applied turn is dropped."""
        match envelope.event:
            case RunStarted() as started:
                self._open(envelope.project_id, started)
            case BatchPlanned() as planned:
                self._plan(envelope, planned)
            case BatchCommitted(stop_reason=None) as committed:
                if not self._progress(envelope, committed.run_id).ended:
                    key = f"{envelope.project_id}|{committed.run_id}"
                    self.goes[key] = max(self.goes.get(key, 0), committed.batch_no + 1)
            case AtomReflected() as reflected:
                self._result(envelope, reflected)
            case AtomAdjudicated() as adjudicated:
                self._verdict(envelope, adjudicated)
            case RunStopped() as stopped:
                self._stop(envelope, stopped)
            case _:
                pass

    def drop_applied(self, envelope: Envelope, turn: Turn) -> None:
        """Drop what waited for ``turn``, which the ledger has applied with this change set."""
        project = envelope.project_id
        run_key = f"{project}|{turn.run_id}"
        if turn.kind == "run_end":
            for waiting in (self.runs, self.ends, self.goes, self.parts):
                waiting.pop(run_key, None)
            for table in (self.plans, self.results, self.verdicts):
                drop_under(table, f"{run_key}|")
            return
        place = _place(project, turn.run_id, turn.batch_no, turn.position)
        self.results.pop(place, None)
        drop_under(self.verdicts, f"{place}|")
        if turn.kind == "sources" and not turn.last_in_batch:
            self.parts[run_key] = Cause.of(envelope)
        if turn.last_in_batch:
            self.plans.pop(batch_key(project, turn.run_id, turn.batch_no), None)

    def next(self, project: str) -> DueTurn | None:
        """The turn to apply now, or None while the one that is next has not come."""
        runs = {run.run_id: run for _, run in self.runs.with_prefix(f"{project}|")}
        if begun := self._view.place(project).begun_run:
            return self._next_of(project, runs[begun]) if begun in runs else None
        for run in _in_turn(runs):
            if due := self._next_of(project, run):
                return due
        return None

    def _open(self, project: str, started: RunStarted) -> None:
        key = f"{project}|{started.run_id}"
        if key in self.runs or self._view.progress_of(project, started.run_id).ended:
            return
        arrival = self.arrivals.get(project, 0)
        self.arrivals[project] = arrival + 1
        self.runs[key] = OpenRun(
            run_id=started.run_id,
            trigger_key=started.trigger_key,
            lane=started.lane,
            arrival=arrival,
            guarded=can_stop_early(started),
            judges=started.engine == "model" and started.lane == "deep",
        )

    def _plan(self, envelope: Envelope, planned: BatchPlanned) -> None:
        if self._progress(envelope, planned.run_id).has_committed(planned.batch_no):
            return
        plan = WaitingPlan(
            cause=Cause.of(envelope),
            chunk_ids=planned.hint.selected_chunk_ids,
            source_changes=planned.source_changes,
        )
        key = batch_key(envelope.project_id, planned.run_id, planned.batch_no)
        self.plans.setdefault(key, plan)

    def _result(self, envelope: Envelope, reflected: AtomReflected) -> None:
        key = self._open_place(envelope, reflected.reading)
        if key and key not in self.results:
            waiting = WaitingResult(cause=Cause.of(envelope), reflected=reflected)
            self.results[key] = waiting

    def _verdict(self, envelope: Envelope, adjudicated: AtomAdjudicated) -> None:
        if key := self._open_place(envelope, adjudicated.reading):
            candidate = adjudicated.judged.candidate.candidate_id
            waiting = WaitingVerdict(adjudicated=adjudicated)
            self.verdicts.setdefault(f"{key}|{candidate}", waiting)

    def _open_place(self, envelope: Envelope, reading: Reading) -> str | None:
        """The key of the turn that a reading answers, None when that has been applied."""
        progress = self._progress(envelope, reading.run_id)
        place = (reading.batch_no, reading.position)
        if progress.ended or place <= (progress.batch_no, progress.position):
            return None
        return _place(envelope.project_id, reading.run_id, *place)

    def _stop(self, envelope: Envelope, stopped: RunStopped) -> None:
        if self._progress(envelope, stopped.run_id).ended:
            return
        end = WaitingEnd(
            cause=Cause.of(envelope),
            batch_count=stopped.batch_count,
            withdrawn=stopped.withdrawn_batches,
            source_changes=stopped.source_changes,
            unfinished=stopped.unfinished_sources,
            held=len(stopped.removals_held),
        )
        self.ends.setdefault(f"{envelope.project_id}|{stopped.run_id}", end)

    def _progress(self, envelope: Envelope, run_id: str) -> Progress:
        return self._view.progress_of(envelope.project_id, run_id)

    def _next_of(self, project: str, run: OpenRun) -> DueTurn | None:
        progress = self._view.progress_of(project, run.run_id)
        end = self.ends.get(f"{project}|{run.run_id}")
        if not progress.done:
            at = progress.position + 1
            if end and progress.batch_no == end.batch_count:
                return self._end_of(project, run, end, at)
            return self._in_batch(project, run, progress.batch_no, at)
        batch_no = progress.batch_no + 1
        if end:
            while batch_no in end.withdrawn:
                batch_no += 1
            if batch_no >= end.batch_count:
                return self._end_of(project, run, end, 0)
        if run.guarded and batch_no > self.goes.get(f"{project}|{run.run_id}", 0):
            return None
        return self._in_batch(project, run, batch_no, 0)

    def _in_batch(self, project: str, run: OpenRun, batch_no: int, position: int) -> DueTurn | None:
        plan = self.plans.get(batch_key(project, run.run_id, batch_no))
        if plan is None:
            return None
        if position == 0 and plan.chunk_ids and not plan.source_changes:
            position = 1
        last = position == len(plan.chunk_ids)
        if position == 0:
            turn = Turn(
                run_id=run.run_id,
                batch_no=batch_no,
                position=0,
                kind="sources",
                lane=run.lane,
                last_in_batch=last,
            )
            return DueTurn(turn, plan.cause, plan.source_changes)
        if position > len(plan.chunk_ids):
            return self._pairs_of(project, run, batch_no, position)
        place = _place(project, run.run_id, batch_no, position)
        result = self.results.get(place)
        verdicts = self._verdicts_on(place, result.reflected) if result else None
        if result is None or verdicts is None:
            return None
        reflected, reading = settle(result.reflected, verdicts), result.reflected.reading
        paid: list[Reading | AtomAdjudicated] = [reading, *verdicts]
        turn = Turn(
            run_id=run.run_id,
            batch_no=batch_no,
            position=position,
            kind="chunk",
            lane=run.lane,
            chunk_id=reading.chunk_id,
            outcome=reading.outcome,
            engine=reading.engine,
            error=reading.error or "",
            tokens=sum(it.input_tokens + it.output_tokens for it in paid),
            cost_usd=round(sum(it.cost_usd for it in paid), 9),
            rejected_count=len(reflected.rejected),
            last_in_batch=last,
        )
        return DueTurn(turn, result.cause, [], reflected=reflected, judges=run.judges)

    def _pairs_of(self, project: str, run: OpenRun, batch_no: int, position: int) -> DueTurn | None:
        """What ends a batch whose last chunk has asked about pairs."""
        answers = self._judgements.answers_of(project, run.run_id, batch_no)
        if not answers:
            return None
        judged = tuple(it.judged for it in answers)
        turn = Turn(
            run_id=run.run_id,
            batch_no=batch_no,
            position=position,
            kind="pairs",
            lane=run.lane,
            tokens=sum(it.input_tokens + it.output_tokens for it in judged),
            cost_usd=round(sum(it.cost_usd for it in judged), 9),
            last_in_batch=True,
        )
        return DueTurn(turn, answers[0].cause, [], judged=judged)

    def _verdicts_on(self, place: str, reflected: AtomReflected) -> list[AtomAdjudicated] | None:
        """The verdicts on the result's borderline candidates in order; None until all are there."""
        keys = (f"{place}|{it.candidate.candidate_id}" for it in reflected.adjudicate)
        found = [self.verdicts.get(key) for key in keys]
        verdicts = [it.adjudicated for it in found if it is not None]
        return verdicts if len(verdicts) == len(found) else None

    def _end_of(self, project: str, run: OpenRun, end: WaitingEnd, part: int) -> DueTurn:
        """The end of a run; its parts but the last one are told like a batch behind all others.

        The first one tells the changes of sources; each of the others has the one before as cause.
        """
        before = self.parts.get(f"{project}|{run.run_id}") if part else None
        turn = Turn(
            run_id=run.run_id, batch_no=END_BATCH, position=0, kind="run_end", lane=run.lane
        )
        in_part = Turn(
            run_id=run.run_id,
            batch_no=end.batch_count,
            position=part,
            kind="sources",
            lane=run.lane,
        )
        return DueTurn(
            turn,
            before or end.cause,
            [] if part else end.source_changes,
            unfinished=tuple(end.unfinished),
            held=end.held,
            part=in_part,
        )


def settle(reflected: AtomReflected, verdicts: Sequence[AtomAdjudicated]) -> AtomReflected:
    """The result with its borderline candidates as the verdicts leave them, behind the others."""
    if not verdicts:
        return reflected
    judged = [it.judged for it in verdicts]
    kept = [it for it in judged if it.status != "rejected"]
    fallen = [it for it in judged if it.status == "rejected"]
    settled = {
        "accepted": [*reflected.accepted, *kept],
        "rejected": [*reflected.rejected, *fallen],
        "adjudicate": [],
    }
    return reflected.model_copy(update=settled)


def _in_turn(runs: dict[str, OpenRun]) -> Iterator[OpenRun]:
    """The runs that may begin a batch: previews first, deep runs not before their own preview."""
    previews = {run.trigger_key for run in runs.values() if run.lane == "preview"}
    for run in sorted(runs.values(), key=lambda run: (run.lane != "preview", run.arrival)):
        if run.lane == "preview" or run.trigger_key not in previews:
            yield run


def _place(project: str, run_id: str, batch_no: int, position: int) -> str:
    return f"{batch_key(project, run_id, batch_no)}|{position:08d}"
