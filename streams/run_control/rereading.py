"""Targeted re-ingestion: a changed source that its own trigger does not read is read by itself.

A preview, or a run with a target, lists sources that it does not read. Where one of
them holds evidence and has changed, a run of trigger ``stale_evidence`` reads that source alone
once the runs of its trigger have ended. Such runs come one after another in the order of their
listing, each from the ledger as the one before has left it, so they are the same on every machine.

Decided here: what a run was allowed to read and did not, because it was cancelled or its budget was
spent, is not read behind its back; a person resumes it. Nor does a newer listing end a
re-ingestion: a preview that lists its source as unchanged would not read it.
"""

from __future__ import annotations

from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import RunStarted
from schemas.events.ingestion_request import RunLane
from schemas.ids import run_id as derive_run_id
from streams.run_control.changes import find_duplicates, ledger_payload, ledger_source
from streams.run_control.rows import RunRow, Trigger
from streams.run_control.scope import LeftOut, ProjectScope, RunScope
from streams.run_control.starting import limits_of, list_versions
from streams.stage import Decision


def reread_key(source_id: str, revision_seq: int) -> str:
    return f"reingest:{source_id}:{revision_seq}"


def start_reread(project: ProjectScope) -> Decision | None:
    """A run over the next source whose evidence is stale without anybody reading it."""
    for trigger in project.triggers.values():
        left = _find_left_out(project, trigger)
        while left and left.sources:
            source = left.sources[-1]
            answered = project.ready.under(trigger.requested.trigger_key)
            processed = project.sources.get(source)
            if source not in answered or processed is None:
                break
            scope = _plan_run(project, trigger, processed, left)
            if known := project.runs.get(scope.run_id):
                if not known.ended_seq:
                    return None
                left.seq, left.gaps = known.ended_seq, known.ended_gaps
            elif _holds_stale(scope, trigger, processed):
                return _start_over(scope, source)
            left.sources.pop()
    return None


def _find_left_out(project: ProjectScope, trigger: Trigger) -> LeftOut | None:
    """The listed sources that no run of the trigger may read; None until its runs have ended."""
    requested = trigger.requested
    key = requested.trigger_key
    if key not in project.left_out:
        run_ids = (
            derive_run_id(project.id, requested.trigger_key, lane) for lane in requested.lanes
        )
        runs = [project.runs.get(run_id) for run_id in run_ids]
        ended = [run for run in runs if run and run.ended_seq]
        if not ended or len(ended) < len(runs):
            return None
        listing = project.listing(requested.trigger_key)
        if listing is None:
            return None
        within = max(run.started.source_count for run in ended)
        last = max(ended, key=lambda run: run.ended_seq)
        left = [source.source_id for source in listing.sources[within:]]
        project.left_out[key] = LeftOut(left[::-1], last.ended_seq, last.ended_gaps)
    return project.left_out[key]


def _plan_run(
    project: ProjectScope, trigger: Trigger, processed: SourceProcessed, left: LeftOut
) -> RunScope:
    """The run that reads the revision, not begun yet, in the broadest lane that was asked for."""
    requested, source = trigger.requested, processed.source.source_id
    lane: RunLane = "deep" if "deep" in requested.lanes else "preview"
    key = reread_key(source, processed.revision_seq)
    started = RunStarted(
        run_id=derive_run_id(project.id, key, lane),
        trigger_key=key,
        root=requested.root,
        lane=lane,
        trigger="stale_evidence",
        coverage_target="best_effort",
        engine=requested.engine,
        limits=limits_of(lane, requested),
        versions=list_versions(requested.engine, lane),
        basis_seq=left.seq,
        basis_gaps=left.gaps,
        source_count=1,
        source_ids=[source],
    )
    return RunScope(project, RunRow(started=started, cause=trigger.cause))


def _holds_stale(scope: RunScope, trigger: Trigger, processed: SourceProcessed) -> bool:
    """Whether the revision came with the trigger and leaves evidence behind as of the basis."""
    if processed.trigger_key != trigger.requested.trigger_key or processed.skip_reason == "poison":
        return False
    source = processed.source.source_id
    held = ledger_payload(scope, source)
    if held is None:
        return False
    if held.sanitized_hash != processed.sanitized_hash:
        return any(_is_read(scope, ref.chunk_id) for ref in held.chunks)
    return ledger_source(scope, source) is not None and not all(
        ref.skip_reason or _is_read(scope, ref.chunk_id) for ref in processed.chunks
    )


def _is_read(scope: RunScope, chunk_id: str) -> bool:
    mark = scope.project.read.get(chunk_id)
    return mark is not None and mark.seq <= scope.started.basis_seq


def _start_over(scope: RunScope, source: str) -> Decision:
    """The run with those sources that repeat what the source no longer says."""
    copies = [copy for copy, origin in find_duplicates(scope).items() if origin == source]
    named = [source, *copies]
    started = scope.started.model_copy(update={"source_ids": named, "source_count": len(named)})
    return Decision((scope.caused(started),))
