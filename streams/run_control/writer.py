"""Run control: single writer of ``ingestion.v1``; turns requests into runs, batches and their ends.

A request starts one run a lane once its listing is whole. A run is a row of batches, chosen from
recorded states (``choice``); while earlier ones are being applied, ``planned_ahead`` further ones
are under way. A batch is committed when the ledger has applied its last turn; the run stops when
nothing is left that it may read.

Decided here:

- The preview run reads the sources of tier 1 or, where a listing has none, the first ``horizon``
  sources. They come first in the listing, so they are always a prefix of it.
- Limits are checked when a batch is chosen, not after it was applied: with the offline engine a
  chunk's tokens are known beforehand, so no batch that was planned ahead has ever to be withdrawn.
- A run starts when no earlier run of its project waits for its last turn in the ledger. So requests
  made one after another begin at the same ledger sequence on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.areas import Area
from schemas.envelope import Envelope
from schemas.events.atom import EXTRACTOR_VERSION, REFLECTION_VERSION
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import SourceProcessed, Versions
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    Limits,
    RunStarted,
    RunStopped,
    StopReason,
)
from schemas.events.ingestion_request import (
    IngestionRequested,
    RemovalsAccepted,
    RunLane,
    SourceReady,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.events.ledger import LedgerChanged
from schemas.fingerprint import FINGERPRINT_VERSION
from schemas.ids import run_id as derive_run_id
from streams.cause import Cause
from streams.run_control.changes import told_together
from streams.run_control.choice import Ranked, hint, rank
from streams.run_control.state import (
    Commit,
    LedgerPlace,
    Planned,
    ReadMark,
    RunControlState,
    RunRow,
    Trigger,
    batch_key,
    commit_after,
    told_by,
)
from streams.run_control.views import (
    RunView,
    close,
    drop_read,
    ready,
    remember,
    unfinished,
    view_of,
    widen,
)
from streams.stage import Decision, Record, Tables

LANES: tuple[RunLane, ...] = ("preview", "deep")
OFFLINE_LIMITS: dict[RunLane, Limits] = {
    "preview": Limits(
        batch_size=16,
        planned_ahead=1,
        horizon=32,
        max_chunks_per_run=400,
        token_budget=200_000,
        max_concurrency=2,
    ),
    "deep": Limits(
        batch_size=64,
        planned_ahead=2,
        horizon=256,
        max_chunks_per_run=1_000_000,
        token_budget=0,
        max_concurrency=2,
    ),
}


@dataclass(frozen=True, slots=True)
class Basis:
    """The ledger a batch is chosen from; ``preview_lasts``: as seen from there."""

    seq: int
    gaps: list[Area]
    preview_lasts: bool


class RunControl:
    """See ``streams.stage.Writer``."""

    name = "run_control"
    inputs = ("ingestion.request.v1", "ledger.v1")
    output = "ingestion.v1"
    state_version = 2

    def open(self, tables: Tables) -> RunControlState:
        return RunControlState(tables)

    def evolve(self, state: RunControlState, record: Record) -> None:
        project, event = record.envelope.project_id, record.envelope.event
        state.due.add(project)
        match event:
            case IngestionRequested():
                self._take_request(state, record.envelope, event)
            case RemovalsAccepted():
                self._take_acceptance(state, record.envelope, event)
            case SourcesListed():
                key = f"{project}|{event.trigger_key}|{event.part_index:06d}"
                state.listings.setdefault(key, event)
            case SourcesUnchanged():
                for source in event.source_ids:
                    state.ready.setdefault(f"{project}|{event.trigger_key}|{source}", "unchanged")
            case SourceReady():
                self._take_answer(state, project, event.processed)
            case LedgerChanged():
                self._take_turn(state, record.envelope, event)
            case RunStarted():
                run = RunRow(started=event, cause=Cause.of(record.envelope))
                state.runs.setdefault(f"{project}|{event.run_id}", run)
            case BatchPlanned():
                self._take_plan(state, project, event)
            case BatchCommitted():
                run = state.runs[f"{project}|{event.run_id}"]
                if event.batch_no == run.committed:
                    changed = {"committed": run.committed + 1}
                    totals = run.totals.plus(event.counters)
                    state.runs[f"{project}|{event.run_id}"] = run.model_copy(
                        update=changed | {"totals": totals}
                    )
            case RunStopped():
                mark_reanchored(state, project, event)
                key = f"{project}|{event.run_id}"
                ended = {"stopped": True, "unfinished": event.unfinished_sources}
                state.runs[key] = state.runs[key].model_copy(update=ended)
            case _:
                pass

    def decide(self, state: RunControlState) -> Decision | None:
        while state.due:
            project = min(state.due)
            for due in (self._commit, self._start, self._plan, self._stop):
                if decision := due(state, project):
                    return decision
            state.due.discard(project)
        return None

    # what is folded

    def _take_request(
        self,
        state: RunControlState,
        envelope: Envelope,
        event: IngestionRequested,
        accepts_run: str = "",
    ) -> None:
        project = envelope.project_id
        known = state.project_triggers(project)
        if all(trigger.requested.trigger_key != event.trigger_key for trigger in known):
            trigger = Trigger(
                arrival=len(known),
                cause=Cause.of(envelope),
                requested=event,
                accepts_run=accepts_run,
            )
            state.triggers[f"{project}|{trigger.arrival:08d}"] = trigger

    def _take_acceptance(
        self, state: RunControlState, envelope: Envelope, event: RemovalsAccepted
    ) -> None:
        """A request whose listing names nothing but what goes."""
        key = event.trigger_key
        requested = IngestionRequested(
            trigger_key=key, root=event.root, lanes=["deep"], accept_removals=True
        )
        self._take_request(state, envelope, requested, accepts_run=event.run_id)
        listing = SourcesListed(
            trigger_key=key,
            root=event.root,
            complete=False,
            part_index=0,
            part_count=1,
            removed=event.source_ids,
        )
        state.listings.setdefault(f"{envelope.project_id}|{key}|{0:06d}", listing)

    def _take_answer(
        self, state: RunControlState, project: str, processed: SourceProcessed
    ) -> None:
        source = processed.source.source_id
        known = state.sources.get(f"{project}|{source}")
        if known is None or processed.revision_seq >= known.revision_seq:
            if known and known.sanitized_hash != processed.sanitized_hash:
                state.earlier[f"{project}|{source}|{known.revision_seq:08d}"] = known
            state.sources[f"{project}|{source}"] = processed
        key = f"{project}|{processed.trigger_key}|{source}"
        state.ready.setdefault(key, processed.outcome)

    def _take_turn(self, state: RunControlState, envelope: Envelope, event: LedgerChanged) -> None:
        project = envelope.project_id
        place = state.place(project)
        if event.ledger_seq != place.seq + 1:
            return
        summary = event.summary
        state.places[project] = LedgerPlace(
            seq=event.ledger_seq,
            gaps=summary.gaps if summary else place.gaps,
            state_version=summary.state_version if summary else place.state_version,
            summary=summary.model_dump_json() if summary else place.summary,
        )
        if turn := event.turn:
            for change in event.changes:
                if change.op == "source_settled":
                    for source, told in told_by(change, event.ledger_seq).items():
                        state.told[f"{project}|{source}|{event.ledger_seq:012d}"] = told
            if turn.chunk_id:
                state.read[f"{project}|{turn.chunk_id}"] = ReadMark(
                    run_id=turn.run_id, seq=event.ledger_seq, poison=turn.outcome == "poison"
                )
                for view in state.views.values():
                    view.candidates.pop(turn.chunk_id, None)
            if turn.kind == "run_end":
                key = f"{project}|{turn.run_id}"
                if run := state.runs.get(key):
                    gaps = summary.gaps if summary else []
                    state.runs[key] = run.model_copy(
                        update={"ended_seq": event.ledger_seq, "ended_gaps": gaps}
                    )
                state.views.pop(turn.run_id, None)
            else:
                key = batch_key(project, turn.run_id, turn.batch_no)
                commit = state.commits.get(key, Commit())
                state.commits[key] = commit_after(commit, event, turn, Cause.of(envelope))

    def _take_plan(self, state: RunControlState, project: str, event: BatchPlanned) -> None:
        key = f"{project}|{event.run_id}"
        run = state.runs[key]
        if event.batch_no != run.planned:
            return
        mark_reanchored(state, project, event)
        closing = any(change.kind == "removed" for change in event.source_changes)
        planned = Planned(
            chunk_ids=event.hint.selected_chunk_ids,
            horizon_end=event.horizon_end,
            changes_told=len(event.source_changes),
            closing=closing or event.horizon_end > run.started.source_count,
        )
        state.batches[batch_key(project, event.run_id, event.batch_no)] = planned
        state.runs[key] = run.model_copy(update={"planned": run.planned + 1})
        view = state.views.get(event.run_id)
        if view and view.horizon_end == event.horizon_end:
            remember(view, planned)
        else:
            state.views.pop(event.run_id, None)

    # what is decided

    def _commit(self, state: RunControlState, project: str) -> Decision | None:
        """The next batch whose last turn the ledger has applied."""
        for run in self._open_runs(state, project):
            if run.committed == run.planned:
                continue
            commit = state.commits.get(batch_key(project, run.started.run_id, run.committed))
            if commit and commit.cause and commit.seq:
                tokens = commit.counters.tokens
                rate = round(commit.counters.atoms_created * 10_000 / tokens, 3) if tokens else 0.0
                event = BatchCommitted(
                    run_id=run.started.run_id,
                    batch_no=run.committed,
                    ledger_seq=commit.seq,
                    last_successful_chunk_id=commit.last_chunk_id,
                    counters=commit.counters,
                    new_atoms_per_10k_tokens=rate,
                )
                return Decision((self._envelope(commit.cause, run, event),))
        return None

    def _start(self, state: RunControlState, project: str) -> Decision | None:
        """The next run of a request whose listing is whole."""
        runs = self._known_runs(state, project)
        for trigger in state.project_triggers(project):
            requested = trigger.requested
            missing = {
                lane: run_id
                for lane in LANES
                if lane in requested.lanes
                and (run_id := derive_run_id(project, requested.trigger_key, lane)) not in runs
            }
            listing = state.listing(project, requested.trigger_key) if missing else None
            if listing is None:
                continue
            for lane, run_id in missing.items():
                if any(run.stopped and not run.ended_seq for run in runs.values()):
                    return None
                limits = _limits(lane, requested)
                place = state.place(project)
                started = RunStarted(
                    run_id=run_id,
                    trigger_key=requested.trigger_key,
                    root=requested.root,
                    lane=lane,
                    trigger=requested.trigger,
                    coverage_target="tier1" if lane == "preview" else requested.coverage_target,
                    engine=requested.engine,
                    limits=limits,
                    versions=_versions(),
                    basis_seq=place.seq,
                    basis_gaps=place.gaps,
                    source_count=_scope(listing, lane),
                )
                return Decision((trigger.cause.caused(started, lane=lane, run_id=run_id),))
        return None

    def _plan(self, state: RunControlState, project: str) -> Decision | None:
        """The next batch of a run, as soon as its basis and its horizon are there."""
        for run in self._open_runs(state, project):
            limits = run.started.limits
            if run.stopped or run.planned - run.committed > limits.planned_ahead:
                continue
            if batch := self._choose(state, project, run):
                return self._planned(state, project, run, *batch)
        return None

    def _planned(
        self,
        state: RunControlState,
        project: str,
        run: RunRow,
        event: BatchPlanned,
        selected: list[Ranked],
    ) -> Decision:
        place = state.place(project)
        requests = [
            self._envelope(run.cause, run, self._request(run, event, at, entry, place))
            for at, entry in enumerate(selected, start=1)
        ]
        return Decision((*requests, self._envelope(run.cause, run, event)))

    def _choose(
        self, state: RunControlState, project: str, run: RunRow
    ) -> tuple[BatchPlanned, list[Ranked]] | None:
        """The next batch with its chunks; None when it has to wait or nothing is left to choose."""
        limits, batch_no = run.started.limits, run.planned
        view = view_of(state, project, run)
        room = min(limits.batch_size, limits.max_chunks_per_run - view.chunks_planned)
        if view.closing:
            return self._surplus(state, project, run, view)
        if room <= 0:
            return None
        basis = self._basis(state, project, run, batch_no)
        if basis is None or not ready(state, project, run, view, view.horizon_end):
            return None
        reserved = view.reserved if basis.preview_lasts else frozenset[str]()
        while True:
            open_ones = [
                candidate
                for candidate in view.candidates.values()
                if candidate.source.source.source_id not in reserved
            ]
            if len(open_ones) >= room or view.horizon_end >= len(view.sources):
                break
            end = min(view.horizon_end + limits.horizon, len(view.sources))
            if not ready(state, project, run, view, end):
                return None
            widen(state, project, run, view, end)
            drop_read(state, project, view)
        if not open_ones and view.candidates:
            ended = self._preview_of(state, project, run)
            if ended is None or not ended.ended_seq:
                return None
            basis = Basis(ended.ended_seq, ended.ended_gaps, preview_lasts=False)
            open_ones = list(view.candidates.values())
        gaps = basis.gaps
        ranked = rank(open_ones, frozenset(gaps), view.words)
        selected = _within_budget(ranked[:room], view.tokens_planned, limits.token_budget)
        if not selected and not view.changes:
            return None
        together = told_together(state, project, view.changes)
        if together < len(view.changes):
            selected = []
        event = BatchPlanned(
            run_id=run.started.run_id,
            batch_no=batch_no,
            basis_seq=basis.seq,
            horizon_end=view.horizon_end,
            hint=hint(ranked, selected, gaps),
            source_changes=view.changes[:together],
        )
        return event, selected

    def _surplus(
        self, state: RunControlState, project: str, run: RunRow, view: RunView
    ) -> tuple[BatchPlanned, list[Ranked]] | None:
        """A batch of nothing but changes, when more are left than fit into the run's end."""
        basis = self._basis(state, project, run, run.planned)
        together = told_together(state, project, view.changes)
        if basis is None or together == len(view.changes):
            return None
        event = BatchPlanned(
            run_id=run.started.run_id,
            batch_no=run.planned,
            basis_seq=basis.seq,
            horizon_end=view.horizon_end,
            hint=hint([], [], basis.gaps),
            source_changes=view.changes[:together],
        )
        return event, []

    def _stop(self, state: RunControlState, project: str) -> Decision | None:
        """The end of a run that has read all it may."""
        for run in self._open_runs(state, project):
            if run.stopped or run.committed != run.planned:
                continue
            view = view_of(state, project, run)
            if not ready(state, project, run, view, len(view.sources)):
                continue
            preview = self._preview_of(state, project, run)
            if view.candidates and preview and not preview.ended_seq:
                continue
            if self._choose(state, project, run) is not None:
                continue
            if not close(state, project, run, view):
                continue
            if told_together(state, project, view.changes) < len(view.changes):
                if batch := self._surplus(state, project, run, view):
                    return self._planned(state, project, run, *batch)
                continue
            event = RunStopped(
                run_id=run.started.run_id,
                stop_reason=self._stop_reason(run, view),
                totals=run.totals,
                batch_count=run.planned,
                sources_processed=len(view.sources) - view.skipped_sources,
                sources_skipped=view.skipped_sources,
                chunks_skipped=view.skipped_chunks,
                source_changes=view.changes,
                unfinished_sources=unfinished(state, project, view),
                removals_held=view.held,
            )
            return Decision((self._envelope(run.cause, run, event),))
        return None

    def _stop_reason(self, run: RunRow, view: RunView) -> StopReason:
        scope = set(view.sources[: run.started.source_count])
        left = any(each.source.source.source_id in scope for each in view.candidates.values())
        if left and view.chunks_planned >= run.started.limits.max_chunks_per_run:
            return "max_chunks_per_run"
        if left:
            return "budget_exhausted"
        return "mandatory_set_covered" if run.started.coverage_target == "tier1" else "exhausted"

    # what is derived

    def _known_runs(self, state: RunControlState, project: str) -> dict[str, RunRow]:
        return {run.started.run_id: run for run in state.project_runs(project)}

    def _open_runs(self, state: RunControlState, project: str) -> list[RunRow]:
        """Runs without their last turn: previews first, then in the order of their requests."""
        order = {
            trigger.requested.trigger_key: trigger.arrival
            for trigger in state.project_triggers(project)
        }
        runs = [run for run in state.project_runs(project) if self._known(state, project, run)]
        return sorted(
            runs,
            key=lambda run: (run.started.lane != "preview", order.get(run.started.trigger_key, -1)),
        )

    def _known(self, state: RunControlState, project: str, run: RunRow) -> bool:
        """Whether a run is open and all that it began with is folded (again)."""
        started = run.started
        if run.ended_seq or started.basis_seq > state.place(project).seq:
            return False
        return started.run_id in state.views or bool(state.listing(project, started.trigger_key))

    def _basis(
        self, state: RunControlState, project: str, run: RunRow, batch_no: int
    ) -> Basis | None:
        """What batch ``batch_no`` is chosen from: an earlier batch's commit, or the run's start.

        None while that commit is not folded (again).
        """
        started = run.started
        before = batch_no - 1 - started.limits.planned_ahead
        commit = state.commits.get(batch_key(project, started.run_id, before))
        if before < 0:
            return Basis(started.basis_seq, started.basis_gaps, preview_lasts=True)
        if commit is None or not commit.seq:
            return None
        return Basis(commit.seq, commit.gaps, preview_lasts=False)

    def _preview_of(self, state: RunControlState, project: str, run: RunRow) -> RunRow | None:
        """The preview run of the same request, seen from its deep run."""
        if run.started.lane == "preview":
            return None
        preview = derive_run_id(project, run.started.trigger_key, "preview")
        return state.runs.get(f"{project}|{preview}")

    def _request(
        self, run: RunRow, batch: BatchPlanned, position: int, entry: Ranked, place: LedgerPlace
    ) -> ExtractRequested:
        ref = entry.candidate.ref
        started = run.started
        return ExtractRequested(
            run_id=started.run_id,
            batch_no=batch.batch_no,
            position=position,
            lane=started.lane,
            engine="model" if started.engine == "model" else "heuristic",
            chunk_id=ref.chunk_id,
            source_id=entry.candidate.source.source.source_id,
            chunk_partition=ref.partition,
            chunk_offset=ref.offset,
            project_state_version=place.state_version,
            project_state=place.summary if started.lane == "preview" else "",
            max_output_tokens=2_000 if started.lane == "preview" else 4_000,
        )

    def _envelope(
        self,
        cause: Cause,
        run: RunRow,
        event: BatchCommitted | BatchPlanned | RunStopped | ExtractRequested,
    ) -> Envelope:
        return cause.caused(event, lane=run.started.lane, run_id=run.started.run_id)


def mark_reanchored(state: RunControlState, project: str, event: BatchPlanned | RunStopped) -> None:
    """A re-anchored chunk counts as read for the runs that begin after this one."""
    after = state.runs[f"{project}|{event.run_id}"].started.basis_seq + 1
    for change in event.source_changes:
        for pair in change.reanchored:
            key = f"{project}|{pair.to_chunk_id}"
            state.read.setdefault(key, ReadMark(run_id=event.run_id, seq=after))


def _scope(listing: SourcesListed, lane: RunLane) -> int:
    """How many of the listing's first sources a run may read."""
    if lane == "deep":
        return len(listing.sources)
    first_tier = sum(source.priority_tier == 1 for source in listing.sources)
    return first_tier or min(len(listing.sources), OFFLINE_LIMITS["preview"].horizon)


def _limits(lane: RunLane, requested: IngestionRequested) -> Limits:
    """The lane's limits with what the request overrides; unknown names are ignored by design."""
    given = {name: int(value) for name, value in requested.limits.items()}
    return OFFLINE_LIMITS[lane].model_copy(
        update={name: value for name, value in given.items() if name in Limits.model_fields}
    )


def _within_budget(ranked: list[Ranked], spent: int, budget: int) -> list[Ranked]:
    if not budget:
        return ranked
    within: list[Ranked] = []
    for entry in ranked:
        spent += entry.candidate.ref.token_estimate
        if spent > budget:
            break
        within.append(entry)
    return within


def _versions() -> dict[str, str]:
    versions = Versions()
    return {
        "hygiene_version": versions.hygiene,
        "chunker_version": versions.chunk,
        "heuristics_version": EXTRACTOR_VERSION,
        "reflection_version": REFLECTION_VERSION,
        "fingerprint_version": str(FINGERPRINT_VERSION),
    }


RUN_CONTROL = RunControl()
