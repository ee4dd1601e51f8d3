"""The next batch of a run, chosen from recorded states as soon as its basis is there."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.areas import Area
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkRef
from schemas.events.ingestion import BatchPlanned
from streams.run_control.cancelling import why_cancelled
from streams.run_control.changes import count_for_one_turn
from streams.run_control.choice import Ranked, hint, rank
from streams.run_control.deep_dive import next_dive, reach_context
from streams.run_control.rows import LedgerPosition, RunRow
from streams.run_control.run_view import RunView
from streams.run_control.scope import RunScope
from streams.run_control.starting import GIVEN_UP
from streams.run_control.views import drop_read, is_ready, open_view, widen
from streams.stage import Decision


@dataclass(frozen=True, slots=True)
class Basis:
    """The ledger a batch is chosen from; ``preview_lasts``: as seen from there."""

    seq: int
    gaps: list[Area]
    preview_lasts: bool


def plan(scope: RunScope) -> Decision | None:
    """The next batch of the run, as soon as its basis and its horizon are there.

    What is unread around a contradiction is queued before the batch that reads it.
    """
    run = scope.run
    ahead = run.planned - run.committed
    if run.stopped or run.stopping or ahead > run.started.limits.planned_ahead:
        return None
    if GIVEN_UP in run.started.versions or why_cancelled(scope) is not None:
        return None
    basis = basis_of(scope, run.planned)
    view = open_view(scope)
    if not view.closing:
        if view.chunks_planned >= run.started.limits.max_chunks_per_run:
            return None
        if basis is None or not is_ready(scope, view, view.horizon_end):
            return None
        if not reach_context(scope, view, basis.seq, last=False):
            return None
        if dive := next_dive(scope, view, basis.seq, last=False):
            return Decision((scope.caused(dive),))
    batch = choose(scope)
    return request_batch(scope, *batch) if batch else None


def request_batch(
    scope: RunScope,
    event: BatchPlanned,
    selected: list[Ranked],
) -> Decision:
    """A batch with the requests for its chunks."""
    position = scope.project.position
    requests = [
        request_of(
            scope.run,
            (event.batch_no, at, len(selected)),
            chosen.ref,
            chosen.source.source.source_id,
            position,
        )
        for at, chosen in enumerate((entry.candidate for entry in selected), start=1)
    ]
    return Decision(tuple(scope.caused(fact) for fact in (*requests, event)))


def choose(scope: RunScope) -> tuple[BatchPlanned, list[Ranked]] | None:
    """The next batch with its chunks; None when it has to wait or nothing is left to choose."""
    limits, batch_no = scope.started.limits, scope.run.planned
    view = open_view(scope)
    if view.closing:
        return surplus(scope, view)
    room = min(limits.batch_size, limits.max_chunks_per_run - view.chunks_planned)
    if room <= 0:
        return None
    basis = basis_of(scope, batch_no)
    if basis is None or not is_ready(scope, view, view.horizon_end):
        return None
    reserved = view.reserved if basis.preview_lasts else frozenset[str]()
    while True:
        open_ones = [
            candidate
            for candidate in view.candidates.values()
            if view.may_read(candidate) and candidate.source.source.source_id not in reserved
        ]
        if len(open_ones) >= room or view.horizon_end >= scope.started.source_count:
            break
        end = min(view.horizon_end + limits.horizon, scope.started.source_count)
        if not is_ready(scope, view, end):
            return None
        widen(scope, view, end)
        drop_read(scope, view)
    if not open_ones and view.has_unread():
        ended = scope.preview()
        if ended is None or not ended.ended_seq:
            return None
        basis = Basis(ended.ended_seq, ended.ended_gaps, preview_lasts=False)
        open_ones = [c for c in view.candidates.values() if view.may_read(c)]
    gaps = basis.gaps
    ranked = rank(open_ones, frozenset(gaps), view.words, view.dives)
    selected = keep_within_budget(ranked[:room], view.tokens_planned, limits.token_budget)
    if not selected and not view.changes:
        return None
    together = count_for_one_turn(scope.project, view.changes)
    if together < len(view.changes):
        selected = []
    dived = [view.dives.get(entry.candidate.ref.chunk_id, 0) for entry in selected]
    event = BatchPlanned(
        run_id=scope.run_id,
        batch_no=batch_no,
        basis_seq=max(basis.seq, *dived, 0),
        horizon_end=view.horizon_end,
        hint=hint(ranked, selected, gaps, scope.started.trigger),
        source_changes=view.changes[:together],
    )
    return event, selected


def surplus(scope: RunScope, view: RunView) -> tuple[BatchPlanned, list[Ranked]] | None:
    """A batch of nothing but changes, when more are left than fit into the run's end."""
    basis = basis_of(scope, scope.run.planned)
    together = count_for_one_turn(scope.project, view.changes)
    if basis is None or together == len(view.changes):
        return None
    event = BatchPlanned(
        run_id=scope.run_id,
        batch_no=scope.run.planned,
        basis_seq=basis.seq,
        horizon_end=view.horizon_end,
        hint=hint([], [], basis.gaps, scope.started.trigger),
        source_changes=view.changes[:together],
        closing=True,
    )
    return event, []


def basis_of(scope: RunScope, batch_no: int) -> Basis | None:
    """What batch ``batch_no`` is chosen from: an earlier batch's commit, or the run's start.

    None while that commit is not folded (again).
    """
    started = scope.started
    before = batch_no - 1 - started.limits.planned_ahead
    commit = scope.commit(before)
    if before < 0:
        first = started.resumed_from is None  # else the preview is over
        return Basis(started.basis_seq, started.basis_gaps, preview_lasts=first)
    if commit is None or not commit.seq:
        return None
    return Basis(commit.seq, commit.gaps, preview_lasts=False)


def request_of(
    run: RunRow,
    place: tuple[int, int, int],
    ref: ChunkRef,
    source_id: str,
    ledger: LedgerPosition,
) -> ExtractRequested:
    """The request for one chunk at its ``place``: batch, position, chunks of the batch.

    A reader by rules looks neither at the project's state nor at the size of the batch.
    """
    started = run.started
    batch_no, position, size = place
    by_model = started.engine == "model"
    is_told = by_model or started.lane == "preview"
    return ExtractRequested(
        run_id=started.run_id,
        batch_no=batch_no,
        position=position,
        batch_size=size if by_model else 0,
        lane=started.lane,
        engine="model" if by_model else "heuristic",
        chunk_id=ref.chunk_id,
        source_id=source_id,
        chunk_partition=ref.partition,
        chunk_offset=ref.offset,
        project_state_version=ledger.state_version,
        project_state=ledger.summary if is_told else "",
        max_output_tokens=2_000 if started.lane == "preview" else 4_000,
    )


def keep_within_budget(ranked: list[Ranked], spent: int, budget: int) -> list[Ranked]:
    if not budget:
        return ranked
    within: list[Ranked] = []
    for entry in ranked:
        spent += entry.candidate.ref.token_estimate
        if spent > budget:
            break
        within.append(entry)
    return within
