"""The commits of batches and the end of runs: every stop rule of spec 06 §4, in its order.

Rules 1 and 2 depend on what a batch brought. They are judged with its commit, and the verdict
stands in it: the ledger begins no batch of such a run before the commit of the one before has said
that the run goes on (``guarded``). So what was planned ahead is withdrawn without a trace, on every
machine at the same batch. All other rules hold only when nothing is under way and, but for a
cancelled run, when all sources of the run are ready: its end tells the ledger what became of them.

What goes with a complete listing goes with a run that has read all it may; one that a commit or a
person has ended leaves it to the run that resumes it, or to the next listing.

A run that is not guarded and is cancelled lets its batches under way be applied: the ledger may
have begun them.
"""

from __future__ import annotations

from schemas.events.ingestion import (
    BatchCommitted,
    RunStopped,
    SourceChange,
    StopReason,
    can_stop_early,
)
from streams.run_control.cancelling import why_cancelled
from streams.run_control.changes import told_together
from streams.run_control.deep_dive import in_reach, next_dive
from streams.run_control.planning import choose, planned, surplus
from streams.run_control.state import Commit, RunControlState, RunRow, batch_key
from streams.run_control.views import RunView, close, ready, unfinished, view_of
from streams.stage import Decision


def commit(state: RunControlState, project: str) -> Decision | None:
    """The next batch whose last turn the ledger has applied."""
    for run in state.runs_at_hand(project):
        if run.committed == run.planned or run.stopping:
            continue
        applied = state.commits.get(batch_key(project, run.started.run_id, run.committed))
        if applied and applied.cause and applied.seq:
            event = BatchCommitted(
                run_id=run.started.run_id,
                batch_no=run.committed,
                ledger_seq=applied.seq,
                last_successful_chunk_id=applied.last_chunk_id,
                counters=applied.counters,
                new_atoms_per_10k_tokens=_yield_of(applied),
                stop_reason=_verdict(state, project, run, applied),
            )
            return Decision((run.caused(applied.cause, event),))
    return None


def after_commit(run: RunRow, event: BatchCommitted) -> RunRow:
    """The run with one more batch committed."""
    return run.model_copy(
        update={
            "committed": run.committed + 1,
            "totals": run.totals.plus(event.counters),
            "low": _low_in_a_row(run, event.new_atoms_per_10k_tokens, event.counters.tokens),
            "stopping": event.stop_reason,
        }
    )


def stop(state: RunControlState, project: str) -> Decision | None:
    """The end of a run, or the deep dive that has to come before it."""
    for run in state.runs_at_hand(project):
        if run.stopped:
            continue
        if run.stopping:
            return _end(state, project, run, run.stopping)
        if run.committed != run.planned:
            continue
        if why_cancelled(state, project, run) is not None:
            return _end(state, project, run, "cancelled")
        view = view_of(state, project, run)
        count = run.started.source_count
        if not ready(state, project, run, view, count):
            continue
        preview = state.preview_of(project, run)
        if view.unread() and preview and not preview.ended_seq:
            continue
        if choose(state, project, run) is not None:
            continue
        reason = _reason(run, view)
        if reason == "mandatory_set_covered" and not view.closing:
            seq = _last_seq(state, project, run)
            if not in_reach(state, project, run, view, seq, last=True):
                continue
            if dive := next_dive(state, project, run, view, seq, last=True):
                return Decision((run.caused(run.cause, dive),))
        if not close(state, project, run, view):
            continue
        if told_together(state, project, view.changes) < len(view.changes):
            if batch := surplus(state, project, run, view):
                return planned(state, project, run, *batch)
            continue
        return _end(state, project, run, reason)
    return None


def _verdict(
    state: RunControlState, project: str, run: RunRow, applied: Commit
) -> StopReason | None:
    """What the commit of a guarded run's batch says: go on, or why not."""
    limits = run.started.limits
    if not can_stop_early(run.started):
        return None
    if why_cancelled(state, project, run) is not None:
        return "cancelled"
    tokens = run.totals.tokens + applied.counters.tokens
    if 0 < limits.token_budget <= tokens:
        return "budget_exhausted"
    low = _low_in_a_row(run, _yield_of(applied), applied.counters.tokens)
    return "diminishing_returns" if 0 < limits.low_batches <= low else None


def _yield_of(applied: Commit) -> float:
    """New atoms for each 10,000 tokens of a batch."""
    tokens = applied.counters.tokens
    return round(applied.counters.atoms_created * 10_000 / tokens, 3) if tokens else 0.0


def _low_in_a_row(run: RunRow, new_atoms_per_10k_tokens: float, tokens: int) -> int:
    """Low batches up to this one; a batch that read nothing says nothing."""
    if not tokens:
        return run.low
    low = new_atoms_per_10k_tokens < run.started.limits.new_atoms_per_10k_tokens
    return run.low + 1 if low else 0


def _reason(run: RunRow, view: RunView) -> StopReason:
    """Why a run with nothing under way has nothing to choose: the first rule that holds."""
    limits = run.started.limits
    full = view.chunks_planned >= limits.max_chunks_per_run
    if 0 < limits.token_budget <= run.totals.tokens or (view.unread() and not full):
        return "budget_exhausted"
    if full:
        return "max_chunks_per_run"
    return "exhausted" if run.started.coverage_target == "best_effort" else "mandatory_set_covered"


def _last_seq(state: RunControlState, project: str, run: RunRow) -> int:
    """The ledger's place at the run's last commit, or at its start."""
    last = state.commits.get(batch_key(project, run.started.run_id, run.committed - 1))
    return last.seq if last else run.started.basis_seq


def _end(state: RunControlState, project: str, run: RunRow, reason: StopReason) -> Decision:
    """The run's last fact. What withdrawn batches would have told of sources is told by it."""
    view = view_of(state, project, run)
    run_id = run.started.run_id
    withdrawn = list(range(run.committed, run.planned))
    changes: list[SourceChange] = []
    again: set[str] = set()
    for batch_no in withdrawn:
        taken_back = state.batches[batch_key(project, run_id, batch_no)]
        changes += taken_back.source_changes
        again.update(taken_back.chunk_ids)
    seen = max(run.started.source_count, view.horizon_end)
    event = RunStopped(
        run_id=run_id,
        stop_reason=reason,
        stop_detail=(why_cancelled(state, project, run) or "") if reason == "cancelled" else "",
        totals=run.totals,
        batch_count=run.planned,
        sources_processed=seen - view.skipped_sources,
        sources_skipped=view.skipped_sources,
        chunks_skipped=view.skipped_chunks,
        source_changes=changes + view.changes,
        withdrawn_batches=withdrawn,
        unfinished_sources=unfinished(state, project, view, again),
        removals_held=view.held,
    )
    return Decision((run.caused(run.cause, event),))
