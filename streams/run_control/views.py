"""What the choice of a run's next batch is made from: the unread chunks of its horizon, at hand.

A view is derived from the tables alone, so it may be dropped at any time; it is made again when the
run next decides. Only complete knowledge enters it: sources are taken in when all before them are
ready.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.events.hygiene import ChunkRef, SourceProcessed
from schemas.events.ingestion import DeepDiveQueued, SourceChange
from schemas.ids import run_id as derive_run_id
from streams.run_control.state import GIVEN_UP, Planned, RunControlState, RunRow


@dataclass(slots=True)
class Candidate:
    """An unread chunk that stands for choice."""

    ref: ChunkRef
    source: SourceProcessed
    changed: bool


@dataclass(slots=True)
class RunView:
    """One run's sources and what of them is unread.

    ``sources`` are the ids within reach, in listing order: the run's own are the first
    ``source_count`` of them, those behind can only be read by a deep dive. Those before
    ``horizon_end`` are taken in, those before ``ready_end`` known to be ready; the last batch was
    chosen among those before ``planned_end``. ``reserved`` ones belong to the preview
    of the same request while it lasts. ``kept`` says which source keeps a content. ``changes`` wait
    for a batch. ``dives`` are chunks to be read first, with the ledger place they were chosen from.
    """

    sources: list[str]
    reserved: frozenset[str]
    own: frozenset[str]
    kept: dict[str, str]
    horizon_end: int = 0
    planned_end: int = 0
    ready_end: int = 0
    candidates: dict[str, Candidate] = field(default_factory=dict)
    words: set[int] = field(default_factory=set)
    changes: list[SourceChange] = field(default_factory=list)
    chunks_planned: int = 0
    tokens_planned: int = 0
    skipped_sources: int = 0
    skipped_chunks: int = 0
    dives: dict[str, int] = field(default_factory=dict)

    def dive_into(self, queued: DeepDiveQueued) -> None:
        for chunk_id in queued.chunk_ids:
            self.dives.setdefault(chunk_id, queued.basis_seq)

    def unread(self) -> bool:
        """Whether the run may still read something: its own chunks, or those of a deep dive."""
        return any(self.may_read(candidate) for candidate in self.candidates.values())

    def may_read(self, candidate: Candidate) -> bool:
        own = candidate.source.source.source_id in self.own
        return own or candidate.ref.chunk_id in self.dives


def view_of(state: RunControlState, project: str, run: RunRow) -> RunView:
    """The run's view, made anew from the tables when it is not at hand."""
    run_id = run.started.run_id
    if run_id not in state.views:
        view = _empty_view(state, project, run)
        for _, planned in state.batches.with_prefix(f"{project}|{run_id}|"):
            widen(state, project, run, view, planned.horizon_end)
            remember(view, planned)
        for _, queued in state.dives.with_prefix(f"{project}|{run_id}|"):
            view.dive_into(queued)
        if view.dives and len(view.sources) > run.started.source_count:
            widen(state, project, run, view, len(view.sources))
        drop_read(state, project, run, view)
        if not ready(state, project, run, view, view.horizon_end):
            return view  # not all is folded (again): neither kept nor decided from
        state.views[run_id] = view
    return state.views[run_id]


def widen(state: RunControlState, project: str, run: RunRow, view: RunView, end: int) -> None:
    """Take the sources before ``end`` into the horizon; all of them must be ready."""
    for source_id in view.sources[view.horizon_end : end]:
        processed = state.sources.get(f"{project}|{source_id}")
        if processed is None or processed.outcome == "skipped" or not processed.raw_normalized_hash:
            view.skipped_sources += 1
            continue
        mine = source_id not in view.reserved
        original = view.kept.setdefault(processed.raw_normalized_hash, source_id)
        if original != source_id:
            view.skipped_sources += 1
            if mine:
                view.changes.append(
                    SourceChange(kind="duplicate", source_id=source_id, other_source_id=original)
                )
            continue
        changed = (
            processed.outcome == "sanitized"
            and processed.trigger_key == run.started.trigger_key
            and processed.previous_sanitized_hash is not None
        )
        if changed and mine:
            view.changes.append(
                SourceChange(
                    kind="revised",
                    source_id=source_id,
                    old_hash=processed.previous_sanitized_hash,
                    new_hash=processed.sanitized_hash,
                )
            )
        for ref in processed.chunks:
            if ref.skip_reason:
                view.skipped_chunks += 1
            else:
                view.candidates[ref.chunk_id] = Candidate(ref, processed, changed)
    view.horizon_end = max(view.horizon_end, end)


def drop_read(state: RunControlState, project: str, run: RunRow, view: RunView) -> None:
    """Take out the candidates that some run has read already, or given up."""
    again = {0, GIVEN_UP} if run.started.retry_poison else {0}
    read = [c for c in view.candidates if state.read.get(f"{project}|{c}", 0) not in again]
    for chunk_id in read:
        del view.candidates[chunk_id]


def remember(view: RunView, planned: Planned) -> None:
    """A batch was chosen: its chunks no longer stand for choice, its changes are told."""
    for chunk_id in planned.chunk_ids:
        if candidate := view.candidates.pop(chunk_id, None):
            view.words.update(candidate.ref.words)
            view.tokens_planned += candidate.ref.token_estimate
    view.chunks_planned += len(planned.chunk_ids)
    view.changes = []
    view.planned_end = planned.horizon_end


def ready(state: RunControlState, project: str, run: RunRow, view: RunView, end: int) -> bool:
    """Whether stage 0 or the feeder has answered for the run's first ``end`` sources."""
    if run.started.source_ids:
        return all(f"{project}|{source}" in state.sources for source in view.sources[:end])
    prefix = f"{project}|{run.started.trigger_key}|"
    while view.ready_end < end and f"{prefix}{view.sources[view.ready_end]}" in state.ready:
        view.ready_end += 1
    return view.ready_end >= end


def _empty_view(state: RunControlState, project: str, run: RunRow) -> RunView:
    listing = state.listing(project, run.started.trigger_key)
    listed = [source.source_id for source in listing.sources] if listing else []
    preview = state.runs.get(
        f"{project}|{derive_run_id(project, run.started.trigger_key, 'preview')}"
    )
    shared = preview.started.source_count if preview and run.started.lane == "deep" else 0
    count = run.started.source_count
    return RunView(
        sources=run.started.source_ids or listed[: _reach(state, project, run)],
        reserved=frozenset(listed[:shared]),
        own=frozenset(listed[:count]),
        kept=_kept_before(state, project, run),
    )


def _reach(state: RunControlState, project: str, run: RunRow) -> int:
    """How many of the listing's first sources a deep dive of the run may look at.

    A preview leaves what lies behind its target to the deep run of the same request.
    """
    started = run.started
    if started.lane == "preview" and state.asks_for(project, started.trigger_key, "deep"):
        return started.source_count
    return max(started.source_count, started.limits.horizon)


def _kept_before(state: RunControlState, project: str, run: RunRow) -> dict[str, str]:
    """Which source keeps a content, as the runs that ended before this one left it."""
    kept: dict[str, str] = {}
    arrival = {
        trigger.requested.trigger_key: trigger.arrival
        for trigger in state.project_triggers(project)
    }
    earlier = [
        other
        for other in state.project_runs(project)
        if 0 < other.ended_seq <= run.started.basis_seq
    ]
    for other in sorted(
        earlier, key=lambda row: (arrival.get(row.started.trigger_key, 0), row.started.lane)
    ):
        listing = state.listing(project, other.started.trigger_key)
        for listed in listing.sources[: other.started.source_count] if listing else ():
            processed = state.sources.get(f"{project}|{listed.source_id}")
            if processed and processed.outcome != "skipped" and processed.raw_normalized_hash:
                kept.setdefault(processed.raw_normalized_hash, listed.source_id)
    return kept
