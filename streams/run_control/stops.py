"""The commits of batches and the end of runs, by the first stop rule that holds.

Two rules depend on what a batch brought: the budget by tokens, and diminishing returns. They are
judged with the batch's commit, which carries the verdict: the ledger begins no batch of such a run
before the commit of the one before has said that the run goes on (``guarded``). So what was planned
ahead is withdrawn without a trace, on every machine at the same batch. All other rules hold only
when nothing is under way and, except for a cancelled run, when all sources of the run are ready:
its end tells the ledger what became of them.

The removals of a complete listing go with a run that has read all it may; one that a commit or a
person has ended leaves them to the run that resumes it, or to the next listing.

A run that is not guarded and is cancelled lets its batches under way be applied: the ledger may
have begun them.
"""

from __future__ import annotations

from schemas.envelope import Envelope
from schemas.events.ingestion import (
    BatchCommitted,
    RunStopped,
    SourceChange,
    StopReason,
    can_stop_early,
)
from streams.run_control.cancelling import why_cancelled
from streams.run_control.changes import count_for_one_turn
from streams.run_control.deep_dive import next_dive, reach_context
from streams.run_control.planning import choose, request_batch, surplus
from streams.run_control.rows import Commit, RunRow, batch_key
from streams.run_control.run_view import RunView
from streams.run_control.scope import RunScope
from streams.run_control.starting import GIVEN_UP
from streams.run_control.views import close, find_unfinished, is_ready, open_view
from streams.stage import Decision


def commit(scope: RunScope) -> Decision | None:
    """The commit of the run's next batch whose last turn the ledger has applied."""
    run = scope.run
    if run.committed == run.planned or run.stopping:
        return None
    applied = scope.commit(run.committed)
    if not (applied and applied.cause and applied.seq):
        return None
    event = BatchCommitted(
        run_id=run.started.run_id,
        batch_no=run.committed,
        ledger_seq=applied.seq,
        last_successful_chunk_id=applied.last_chunk_id,
        counters=applied.counters,
        new_atoms_per_10k_tokens=_yield_of(applied),
        stop_reason=_verdict(scope, applied),
    )
    return Decision((run.caused(applied.cause, event),))


def add_commit(run: RunRow, event: BatchCommitted) -> RunRow:
    """The run with one more batch committed."""
    return run.model_copy(
        update={
            "committed": run.committed + 1,
            "totals": run.totals.plus(event.counters),
            "low": _low_in_a_row(run, event.new_atoms_per_10k_tokens, event.counters.tokens),
            "stopping": event.stop_reason,
        }
    )


def stop(scope: RunScope) -> Decision | None:
    """The end of the run, or the deep dive that has to come before it."""
    run = scope.run
    if run.stopped:
        return None
    if error_class := run.started.versions.get(GIVEN_UP):
        return Decision((end_undecidable(scope, error_class),))
    if run.stopping:
        return _end(scope, run.stopping)
    if run.committed != run.planned:
        return None
    if why_cancelled(scope) is not None:
        return _end(scope, "cancelled")
    view = open_view(scope)
    count = run.started.source_count
    if not is_ready(scope, view, count):
        return None
    preview = scope.preview()
    if view.has_unread() and preview and not preview.ended_seq:
        return None
    if choose(scope) is not None:
        return None
    reason = _reason(run, view)
    if reason == "mandatory_set_covered" and not view.closing:
        seq = _last_seq(scope)
        if not reach_context(scope, view, seq, last=True):
            return None
        if dive := next_dive(scope, view, seq, last=True):
            return Decision((scope.caused(dive),))
    if not close(scope, view):
        return None
    if count_for_one_turn(scope.project, view.changes) < len(view.changes):
        batch = surplus(scope, view)
        return request_batch(scope, *batch) if batch else None
    return _end(scope, reason)


def end_undecidable(scope: RunScope, error_class: str) -> Envelope:
    """The end of a run that code cannot go on with; a resumed run reads what it leaves.

    What the ledger may have begun is applied. No source counts as read through, so nothing that it
    said before is taken as gone.
    """
    run, batches = scope.run, scope.project.batches
    withdrawn = list(range(run.committed, run.planned)) if can_stop_early(run.started) else []
    planned = [batches.get(batch_key(scope.run_id, number)) for number in range(run.planned)]
    told = [change for batch in planned if batch for change in batch.source_changes]
    event = RunStopped(
        run_id=scope.run_id,
        stop_reason="undecidable",
        stop_detail=error_class,
        totals=run.totals,
        batch_count=run.planned,
        sources_processed=0,
        sources_skipped=0,
        chunks_skipped=0,
        source_changes=[
            change
            for number in withdrawn
            if (batch := planned[number])
            for change in batch.source_changes
        ],
        withdrawn_batches=withdrawn,
        unfinished_sources=sorted({change.source_id for change in told}),
    )
    return scope.caused(event)


def _verdict(scope: RunScope, applied: Commit) -> StopReason | None:
    """What the commit of a guarded run's batch says: go on, or why not."""
    limits = scope.started.limits
    if not can_stop_early(scope.started):
        return None
    if why_cancelled(scope) is not None:
        return "cancelled"
    tokens = scope.run.totals.tokens + applied.counters.tokens
    if 0 < limits.token_budget <= tokens:
        return "budget_exhausted"
    low = _low_in_a_row(scope.run, _yield_of(applied), applied.counters.tokens)
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
    if view.has_unread() and not full:
        return "budget_exhausted"
    if full:
        return "max_chunks_per_run"
    return "exhausted" if run.started.coverage_target == "best_effort" else "mandatory_set_covered"


def _last_seq(scope: RunScope) -> int:
    """The ledger's sequence at the run's last commit, or at its start."""
    last = scope.commit(scope.run.committed - 1)
    return last.seq if last else scope.started.basis_seq


def _end(scope: RunScope, reason: StopReason) -> Decision:
    """The run's last fact; it also tells the source changes of withdrawn batches."""
    view = open_view(scope)
    run_id = scope.run_id
    withdrawn = list(range(scope.run.committed, scope.run.planned))
    changes: list[SourceChange] = []
    again: set[str] = set()
    for batch_no in withdrawn:
        withdrawn_batch = scope.project.batches[batch_key(run_id, batch_no)]
        changes += withdrawn_batch.source_changes
        again.update(withdrawn_batch.chunk_ids)
    seen = max(scope.started.source_count, view.horizon_end)
    if reason == "budget_exhausted" and not withdrawn and view.horizon_end >= seen:
        reason = _reason(scope.run, view)  # the last tokens of it may have read all there was
    event = RunStopped(
        run_id=run_id,
        stop_reason=reason,
        stop_detail=(why_cancelled(scope) or "") if reason == "cancelled" else "",
        totals=scope.run.totals,
        batch_count=scope.run.planned,
        sources_processed=seen - view.skipped_sources,
        sources_skipped=view.skipped_sources,
        chunks_skipped=view.skipped_chunks,
        source_changes=changes + view.changes,
        withdrawn_batches=withdrawn,
        unfinished_sources=find_unfinished(scope.project, view, again),
        removals_held=view.held,
    )
    return Decision((scope.caused(event),))
