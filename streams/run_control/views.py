"""Makes a run's view from the tables, and widens it source by source.

A view that was dropped is made again when the run next decides. Only complete knowledge enters it:
a source is taken in when all before it are ready.
"""

from __future__ import annotations

from schemas.events.ingestion import SourceChange
from streams.run_control.changes import (
    content_of,
    derive_changes,
    derive_duplicate,
    derive_removals,
    find_duplicates,
    find_removed,
    ledger_payload,
    withdraw_rows,
)
from streams.run_control.rows import Planned
from streams.run_control.run_view import Candidate, RemovedSources, RunView
from streams.run_control.scope import ProjectScope, RunScope


def open_view(scope: RunScope) -> RunView:
    """The run's view, made anew from the tables when it is not at hand."""
    run_id = scope.run_id
    if run_id not in scope.project.views:
        view = _make_view(scope)
        for planned in scope.project.batches.under(run_id).values():
            if planned.closing:
                close(scope, view)
            widen(scope, view, planned.horizon_end)
            remember(view, planned)
        for queued in scope.project.dives.under(run_id).values():
            view.dive_into(queued)
        if view.dives and len(view.sources) > scope.started.source_count:
            widen(scope, view, len(view.sources))
        drop_read(scope, view)
        if not is_ready(scope, view, view.horizon_end):
            return view  # not all is folded (again): neither kept nor decided from
        scope.project.views[run_id] = view
    return scope.project.views[run_id]


def widen(scope: RunScope, view: RunView, end: int) -> None:
    """Take the sources before ``end`` into the horizon; all of them must be ready."""
    for source_id in view.sources[view.horizon_end : end]:
        _take_in(scope, view, source_id, mine=source_id not in view.reserved)
    view.horizon_end = max(view.horizon_end, end)


def _take_in(scope: RunScope, view: RunView, source_id: str, mine: bool) -> None:
    """One source into the horizon; the changes are this run's to tell when it is ``mine``."""
    processed = scope.project.sources.get(source_id)
    _release(scope, view, source_id, mine)
    if processed is None or processed.outcome == "skipped" or not processed.raw_normalized_hash:
        view.skipped_sources += 1
        view.skipped |= {content_of(processed)} if processed else set()
        view.changes += withdraw_rows(scope, processed) if mine else []
        return
    content = processed.raw_normalized_hash
    original = view.kept.setdefault(content, source_id)
    if original != source_id:
        view.skipped_sources += 1
        view.copies.setdefault(content, []).append(source_id)
        view.changes += derive_duplicate(scope, source_id, original) if mine else []
        return
    changes = derive_changes(scope, view.removed, processed)
    view.changes += changes if mine else []
    _note_moves(view, changes)
    same = {pair.to_chunk_id for change in changes for pair in change.reanchored}
    for ref in processed.chunks:
        if ref.skip_reason:
            view.skipped_chunks += 1
        elif ref.chunk_id not in same:
            view.candidates[ref.chunk_id] = Candidate(ref, processed, bool(changes))


def _release(scope: RunScope, view: RunView, source_id: str, mine: bool) -> None:
    """A source that no longer says what it kept leaves that to the first one that repeats it."""
    before = ledger_payload(scope, source_id)
    now = scope.project.sources.get(source_id)
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
        _take_in(scope, view, copy, mine or copy not in view.reserved)


def _note_moves(view: RunView, changes: list[SourceChange]) -> None:
    for change in changes:
        if change.other_source_id:
            view.moved[change.other_source_id] = change.source_id


def close(scope: RunScope, view: RunView) -> bool:
    """Take in what else the ledger must know, now that nothing is left to choose.

    False while not all of it is there.

    Sources beyond those the run may read matter only where others were removed: they may be
    the same under another name.
    """
    if view.closing:
        return True
    trigger = scope.trigger()
    lanes = trigger.requested.lanes if trigger else []
    last = scope.started.lane == ("deep" if "deep" in lanes else "preview")
    end = scope.started.source_count
    if last and view.removed.contents and (listing := scope.listing()):
        view.sources = [source.source_id for source in listing.sources]
        end = len(view.sources)
    if not is_ready(scope, view, end):
        return False
    widen(scope, view, end)
    drop_read(scope, view)
    if last:
        _take_over_elsewhere(scope, view)
        present = {*view.kept, *view.skipped}
        gone, view.held = derive_removals(scope, view.removed, present)
        view.changes += [change for change in gone if change.source_id not in view.moved]
    view.closing = True
    return True


def _take_over_elsewhere(scope: RunScope, view: RunView) -> None:
    """A duplicate under another root that is the only copy now takes the rows over."""
    if not any(view.removed.rows_of.values()):
        return
    listed = set(view.sources)
    for source_id, original in find_duplicates(scope).items():
        processed = scope.project.sources.get(source_id)
        if processed and original in view.removed.contents and source_id not in listed:
            content = processed.raw_normalized_hash or ""
            if view.kept.setdefault(content, source_id) == source_id:
                changes = derive_changes(scope, view.removed, processed)
                view.changes += changes
                _note_moves(view, changes)


def find_unfinished(project: ProjectScope, view: RunView, again: set[str]) -> list[str]:
    """The sources with chunks that nobody has read yet, and those whose rows moved there.

    The chunks of withdrawn batches are to be read ``again``. Also the sources that an earlier run
    has left so and that this one had nothing to do with.
    """
    left = {candidate.source.source.source_id for candidate in view.candidates.values()}
    for source in view.sources[: view.horizon_end] if again else ():
        processed = project.sources.get(source)
        if processed and any(ref.chunk_id in again for ref in processed.chunks):
            left.add(source)
    left |= {origin for origin, source in view.moved.items() if source in left}
    mine = {*view.sources, *view.moved}
    for run in project.runs.values():
        left |= {
            source
            for source in run.unfinished
            if source not in mine and _has_unread(project, source)
        }
    return sorted(left)


def _has_unread(project: ProjectScope, source: str) -> bool:
    processed = project.sources.get(source)
    return processed is not None and any(
        not ref.skip_reason and ref.chunk_id not in project.read for ref in processed.chunks
    )


def drop_read(scope: RunScope, view: RunView) -> None:
    """Take out the candidates that some run has read already, or given up."""
    retry = scope.started.retry_poison
    read = [
        chunk
        for chunk in view.candidates
        if (mark := scope.project.read.get(chunk))
        and not (retry and mark.poison)
        and not scope.reads_again(mark)
    ]
    for chunk_id in read:
        del view.candidates[chunk_id]


def remember(view: RunView, planned: Planned) -> None:
    """A batch was chosen: its chunks cannot be chosen again, its changes are told."""
    for chunk_id in planned.chunk_ids:
        if candidate := view.candidates.pop(chunk_id, None):
            view.words.update(candidate.ref.words)
            view.tokens_planned += candidate.ref.token_estimate
    view.chunks_planned += len(planned.chunk_ids)
    del view.changes[: len(planned.source_changes)]
    view.planned_end = planned.horizon_end


def is_ready(scope: RunScope, view: RunView, end: int) -> bool:
    """Whether stage 0 or the feeder has answered for the run's first ``end`` sources, and for all
    that go with it.
    """
    if view.removed.awaited:
        return False
    if scope.started.source_ids:
        return all(source in scope.project.sources for source in view.sources[:end])
    answered = scope.project.ready.under(scope.started.trigger_key)
    while view.ready_end < end and view.sources[view.ready_end] in answered:
        view.ready_end += 1
    return view.ready_end >= end


def _make_view(scope: RunScope) -> RunView:
    listing = scope.listing()
    listed = [source.source_id for source in listing.sources] if listing else []
    preview = scope.preview()
    shared = preview.started.source_count if preview else 0
    removed = find_removed(scope)
    count = scope.started.source_count
    sources = scope.started.source_ids or listed[: _reach(scope)]
    return RunView(
        sources=sources,
        reserved=frozenset(listed[:shared]),
        own=frozenset(sources[:count]),
        kept=_find_kept_before(scope, removed),
        removed=removed,
    )


def _reach(scope: RunScope) -> int:
    """How many of the listing's first sources a deep dive of the run may look at.

    A preview leaves what lies behind its target to the deep run of the same request.
    """
    started = scope.started
    if started.lane == "preview" and scope.project.asks_for(started.trigger_key, "deep"):
        return started.source_count
    return max(started.source_count, started.limits.horizon)


def _find_kept_before(scope: RunScope, removed: RemovedSources) -> dict[str, str]:
    """Which source keeps a content, as the runs that ended before this one left it."""
    arrival = scope.project.arrivals()
    earlier = [
        other
        for other in scope.project.runs.values()
        if 0 < other.ended_seq <= scope.started.basis_seq
    ]
    seen: dict[str, None] = {}
    for other in sorted(
        earlier, key=lambda row: (arrival.get(row.started.trigger_key, 0), row.started.lane)
    ):
        listing = scope.project.listing(other.started.trigger_key)
        for listed in listing.sources[: other.started.source_count] if listing else ():
            seen[listed.source_id] = None
    kept: dict[str, str] = {}
    for source_id in seen:
        held = ledger_payload(scope, source_id)
        if held and held.raw_normalized_hash and source_id not in removed.contents:
            kept.setdefault(held.raw_normalized_hash, source_id)
    return kept
