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
from streams.run_control.changes import (
    Departures,
    changes_of,
    content_of,
    departures,
    duplicated,
    duplicates_of,
    emptied,
    removals,
    told_payload,
)
from streams.run_control.state import Planned, RunControlState, RunRow


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
    for a batch; ``moved`` says where a source that is gone has turned up, ``copies`` which
    sources repeat a content, ``skipped`` what of them is not read. A ``closing`` view has
    nothing left to choose: with it come the changes that no horizon reached and, in the last run of
    a trigger, the removals but those that are ``held``.
    ``dives`` are chunks to be read first, with the ledger place they were chosen from.
    """

    sources: list[str]
    reserved: frozenset[str]
    own: frozenset[str]
    kept: dict[str, str]
    leaving: Departures
    horizon_end: int = 0
    planned_end: int = 0
    ready_end: int = 0
    candidates: dict[str, Candidate] = field(default_factory=dict)
    words: set[int] = field(default_factory=set)
    changes: list[SourceChange] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    copies: dict[str, list[str]] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    closing: bool = False
    held: list[str] = field(default_factory=list)
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
            if planned.closing:
                close(state, project, run, view)
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
        _take_in(state, project, run, view, source_id, mine=source_id not in view.reserved)
    view.horizon_end = max(view.horizon_end, end)


def _take_in(
    state: RunControlState, project: str, run: RunRow, view: RunView, source_id: str, mine: bool
) -> None:
    """One source into the horizon; the changes are this run's to tell when it is ``mine``."""
    processed = state.sources.get(f"{project}|{source_id}")
    _release(state, project, run, view, source_id, mine)
    if processed is None or processed.outcome == "skipped" or not processed.raw_normalized_hash:
        view.skipped_sources += 1
        view.skipped |= {content_of(processed)} if processed else set()
        view.changes += emptied(state, project, run, processed) if mine else []
        return
    content = processed.raw_normalized_hash
    original = view.kept.setdefault(content, source_id)
    if original != source_id:
        view.skipped_sources += 1
        view.copies.setdefault(content, []).append(source_id)
        view.changes += duplicated(state, project, run, source_id, original) if mine else []
        return
    changes = changes_of(state, project, run, view.leaving, processed)
    view.changes += changes if mine else []
    _note_moves(view, changes)
    same = {pair.to_chunk_id for change in changes for pair in change.reanchored}
    for ref in processed.chunks:
        if ref.skip_reason:
            view.skipped_chunks += 1
        elif ref.chunk_id not in same:
            view.candidates[ref.chunk_id] = Candidate(ref, processed, bool(changes))


def _release(
    state: RunControlState, project: str, run: RunRow, view: RunView, source_id: str, mine: bool
) -> None:
    """A source that no longer says what it kept leaves that to the first one that repeats it."""
    before = told_payload(state, project, run, source_id)
    now = state.sources.get(f"{project}|{source_id}")
    content = before.raw_normalized_hash if before else None
    if content is None or now is None or view.kept.get(content) != source_id:
        return
    if now.skip_reason == "poison" or (
        now.outcome != "skipped" and now.raw_normalized_hash == content
    ):
        return
    del view.kept[content]
    copies = view.copies.pop(content, [])
    view.skipped_sources -= len(copies)
    for copy in copies:
        _take_in(state, project, run, view, copy, mine or copy not in view.reserved)


def _note_moves(view: RunView, changes: list[SourceChange]) -> None:
    for change in changes:
        if change.other_source_id:
            view.moved[change.other_source_id] = change.source_id


def close(state: RunControlState, project: str, run: RunRow, view: RunView) -> bool:
    """Nothing is left to choose: take in what else the ledger must know. False: not all is there.

    Sources beyond those the run may read matter only where others are gone: they may be these.
    """
    if view.closing:
        return True
    trigger = state.trigger(project, run.started.trigger_key)
    lanes = trigger.requested.lanes if trigger else []
    last = run.started.lane == ("deep" if "deep" in lanes else "preview")
    end = run.started.source_count
    if last and view.leaving.gone:
        listing = state.listing(project, run.started.trigger_key)
        if listing:
            view.sources = [source.source_id for source in listing.sources]
            end = len(view.sources)
    if not ready(state, project, run, view, end):
        return False
    widen(state, project, run, view, end)
    drop_read(state, project, run, view)
    if last:
        _take_over_elsewhere(state, project, run, view)
        present = {*view.kept, *view.skipped}
        gone, view.held = removals(state, project, run, view.leaving, present)
        view.changes += [change for change in gone if change.source_id not in view.moved]
    view.closing = True
    return True


def _take_over_elsewhere(state: RunControlState, project: str, run: RunRow, view: RunView) -> None:
    """A duplicate under another root that is the only copy now takes the rows over."""
    if not any(view.leaving.rows_of.values()):
        return
    listed = set(view.sources)
    for source_id, original in duplicates_of(state, project, run).items():
        processed = state.sources.get(f"{project}|{source_id}")
        if processed and original in view.leaving.gone and source_id not in listed:
            content = processed.raw_normalized_hash or ""
            if view.kept.setdefault(content, source_id) == source_id:
                changes = changes_of(state, project, run, view.leaving, processed)
                view.changes += changes
                _note_moves(view, changes)


def unfinished(state: RunControlState, project: str, view: RunView, again: set[str]) -> list[str]:
    """The sources with chunks that nobody has read yet, and those whose rows moved there.

    The chunks of withdrawn batches are to be read ``again``. Also the sources that an earlier run
    has left so and that this one had nothing to do with.
    """
    left = {candidate.source.source.source_id for candidate in view.candidates.values()}
    for source in view.sources[: view.horizon_end] if again else ():
        processed = state.sources.get(f"{project}|{source}")
        if processed and any(ref.chunk_id in again for ref in processed.chunks):
            left.add(source)
    left |= {origin for origin, source in view.moved.items() if source in left}
    mine = {*view.sources, *view.moved}
    for run in state.project_runs(project):
        left |= {
            source
            for source in run.unfinished
            if source not in mine and _has_unread(state, project, source)
        }
    return sorted(left)


def _has_unread(state: RunControlState, project: str, source: str) -> bool:
    processed = state.sources.get(f"{project}|{source}")
    return processed is not None and any(
        not ref.skip_reason and f"{project}|{ref.chunk_id}" not in state.read
        for ref in processed.chunks
    )


def drop_read(state: RunControlState, project: str, run: RunRow, view: RunView) -> None:
    """Take out the candidates that some run has read already, or given up."""
    retry = run.started.retry_poison
    read = [
        chunk
        for chunk in view.candidates
        if (mark := state.read.get(f"{project}|{chunk}")) and not (retry and mark.poison)
    ]
    for chunk_id in read:
        del view.candidates[chunk_id]


def remember(view: RunView, planned: Planned) -> None:
    """A batch was chosen: its chunks no longer stand for choice, its changes are told."""
    for chunk_id in planned.chunk_ids:
        if candidate := view.candidates.pop(chunk_id, None):
            view.words.update(candidate.ref.words)
            view.tokens_planned += candidate.ref.token_estimate
    view.chunks_planned += len(planned.chunk_ids)
    del view.changes[: len(planned.source_changes)]
    view.planned_end = planned.horizon_end


def ready(state: RunControlState, project: str, run: RunRow, view: RunView, end: int) -> bool:
    """Whether stage 0 or the feeder has answered for the run's first ``end`` sources, and for all
    that go with it.
    """
    if view.leaving.awaited:
        return False
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
    leaving = departures(state, project, run)
    count = run.started.source_count
    sources = run.started.source_ids or listed[: _reach(state, project, run)]
    return RunView(
        sources=sources,
        reserved=frozenset(listed[:shared]),
        own=frozenset(sources[:count]),
        kept=_kept_before(state, project, run, leaving),
        leaving=leaving,
    )


def _reach(state: RunControlState, project: str, run: RunRow) -> int:
    """How many of the listing's first sources a deep dive of the run may look at.

    A preview leaves what lies behind its target to the deep run of the same request.
    """
    started = run.started
    if started.lane == "preview" and state.asks_for(project, started.trigger_key, "deep"):
        return started.source_count
    return max(started.source_count, started.limits.horizon)


def _kept_before(
    state: RunControlState, project: str, run: RunRow, leaving: Departures
) -> dict[str, str]:
    """Which source keeps a content, as the runs that ended before this one left it."""
    arrival = {
        trigger.requested.trigger_key: trigger.arrival
        for trigger in state.project_triggers(project)
    }
    earlier = [
        other
        for other in state.project_runs(project)
        if 0 < other.ended_seq <= run.started.basis_seq
    ]
    seen: dict[str, None] = {}
    for other in sorted(
        earlier, key=lambda row: (arrival.get(row.started.trigger_key, 0), row.started.lane)
    ):
        listing = state.listing(project, other.started.trigger_key)
        for listed in listing.sources[: other.started.source_count] if listing else ():
            seen[listed.source_id] = None
    kept: dict[str, str] = {}
    for source_id in seen:
        held = told_payload(state, project, run, source_id)
        if held and held.raw_normalized_hash and source_id not in leaving.gone:
            kept.setdefault(held.raw_normalized_hash, source_id)
    return kept
