"""The commits of batches, and the end of a run that has read all it may."""

from __future__ import annotations

from schemas.events.ingestion import BatchCommitted, RunStopped, StopReason
from streams.run_control.planning import choose
from streams.run_control.state import RunControlState, RunRow, batch_key
from streams.run_control.views import RunView, ready, view_of
from streams.stage import Decision


def commit(state: RunControlState, project: str) -> Decision | None:
    """The next batch whose last turn the ledger has applied."""
    for run in state.open_runs(project):
        if run.committed == run.planned:
            continue
        applied = state.commits.get(batch_key(project, run.started.run_id, run.committed))
        if applied and applied.cause and applied.seq:
            tokens = applied.counters.tokens
            rate = round(applied.counters.atoms_created * 10_000 / tokens, 3) if tokens else 0.0
            event = BatchCommitted(
                run_id=run.started.run_id,
                batch_no=run.committed,
                ledger_seq=applied.seq,
                last_successful_chunk_id=applied.last_chunk_id,
                counters=applied.counters,
                new_atoms_per_10k_tokens=rate,
            )
            return Decision((run.caused(applied.cause, event),))
    return None


def stop(state: RunControlState, project: str) -> Decision | None:
    """The end of a run that has read all it may."""
    for run in state.open_runs(project):
        if run.stopped or run.committed != run.planned:
            continue
        view = view_of(state, project, run)
        if not ready(state, project, run, view, len(view.sources)):
            continue
        preview = state.preview_of(project, run)
        if view.candidates and preview and not preview.ended_seq:
            continue
        if choose(state, project, run) is not None:
            continue
        event = RunStopped(
            run_id=run.started.run_id,
            stop_reason=_stop_reason(run, view),
            totals=run.totals,
            batch_count=run.planned,
            sources_processed=len(view.sources) - view.skipped_sources,
            sources_skipped=view.skipped_sources,
            chunks_skipped=view.skipped_chunks,
            source_changes=view.changes,
        )
        return Decision((run.caused(run.cause, event),))
    return None


def _stop_reason(run: RunRow, view: RunView) -> StopReason:
    left = bool(view.candidates)
    if left and view.chunks_planned >= run.started.limits.max_chunks_per_run:
        return "max_chunks_per_run"
    if left:
        return "budget_exhausted"
    return "mandatory_set_covered" if run.started.coverage_target == "tier1" else "exhausted"
