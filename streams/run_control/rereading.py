"""Targeted re-ingestion: a changed source that its own trigger does not read is read by itself.

Spec 01 §7.3. A preview, or a run with a target, lists sources that it does not read. Where one of
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
from streams.run_control.changes import duplicates_of, told_of, told_payload
from streams.run_control.starting import limits_of, versions
from streams.run_control.state import LeftOut, RunControlState, RunRow, Trigger
from streams.stage import Decision


def reread_key(source_id: str, revision_seq: int) -> str:
    return f"reingest:{source_id}:{revision_seq}"


def start_reread(state: RunControlState, project: str) -> Decision | None:
    """A run over the next source whose evidence is stale without anybody reading it."""
    for trigger in state.project_triggers(project):
        left = _left_out(state, project, trigger)
        while left and left.sources:
            source = left.sources[-1]
            key = f"{project}|{trigger.requested.trigger_key}|{source}"
            processed = state.sources.get(f"{project}|{source}")
            if key not in state.ready or processed is None:
                break
            run = _run_over(project, trigger, processed, left)
            if known := state.runs.get(f"{project}|{run.started.run_id}"):
                if not known.ended_seq:
                    return None
                left.seq, left.gaps = known.ended_seq, known.ended_gaps
            elif _holds_stale(state, project, trigger, run, processed):
                return _started(state, project, run, source)
            left.sources.pop()
    return None


def _left_out(state: RunControlState, project: str, trigger: Trigger) -> LeftOut | None:
    """The listed sources that no run of the trigger may read; None until its runs have ended."""
    requested = trigger.requested
    key = f"{project}|{requested.trigger_key}"
    if key not in state.left_out:
        run_ids = (derive_run_id(project, requested.trigger_key, lane) for lane in requested.lanes)
        runs = [state.runs.get(f"{project}|{run_id}") for run_id in run_ids]
        ended = [run for run in runs if run and run.ended_seq]
        if not ended or len(ended) < len(runs):
            return None
        listing = state.listing(project, requested.trigger_key)
        if listing is None:
            return None
        scope = max(run.started.source_count for run in ended)
        last = max(ended, key=lambda run: run.ended_seq)
        left = [source.source_id for source in listing.sources[scope:]]
        state.left_out[key] = LeftOut(left[::-1], last.ended_seq, last.ended_gaps)
    return state.left_out[key]


def _run_over(project: str, trigger: Trigger, processed: SourceProcessed, left: LeftOut) -> RunRow:
    """The run that reads the revision, not begun yet, in the broadest lane that was asked for."""
    requested, source = trigger.requested, processed.source.source_id
    lane: RunLane = "deep" if "deep" in requested.lanes else "preview"
    key = reread_key(source, processed.revision_seq)
    started = RunStarted(
        run_id=derive_run_id(project, key, lane),
        trigger_key=key,
        root=requested.root,
        lane=lane,
        trigger="stale_evidence",
        coverage_target="best_effort",
        engine=requested.engine,
        limits=limits_of(lane, requested),
        versions=versions(),
        basis_seq=left.seq,
        basis_gaps=left.gaps,
        source_count=1,
        source_ids=[source],
    )
    return RunRow(started=started, cause=trigger.cause)


def _holds_stale(
    state: RunControlState, project: str, trigger: Trigger, run: RunRow, processed: SourceProcessed
) -> bool:
    """Whether the revision came with the trigger and leaves evidence behind as of the basis."""
    if processed.trigger_key != trigger.requested.trigger_key or processed.skip_reason == "poison":
        return False
    source = processed.source.source_id
    held = told_payload(state, project, run, source)
    if held is None:
        return False
    if held.sanitized_hash != processed.sanitized_hash:
        return any(_is_read(state, project, run, ref.chunk_id) for ref in held.chunks)
    return told_of(state, project, run, source) is not None and not all(
        ref.skip_reason or _is_read(state, project, run, ref.chunk_id) for ref in processed.chunks
    )


def _is_read(state: RunControlState, project: str, run: RunRow, chunk_id: str) -> bool:
    mark = state.read.get(f"{project}|{chunk_id}")
    return mark is not None and mark.seq <= run.started.basis_seq


def _started(state: RunControlState, project: str, run: RunRow, source: str) -> Decision:
    """The run with those sources that repeat what the source no longer says."""
    copies = [
        copy for copy, origin in duplicates_of(state, project, run).items() if origin == source
    ]
    named = [source, *copies]
    started = run.started.model_copy(update={"source_ids": named, "source_count": len(named)})
    return Decision((run.caused(run.cause, started),))
