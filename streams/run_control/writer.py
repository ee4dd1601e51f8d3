"""Run control: single writer of ``ingestion.v1``; turns requests into runs, batches and their ends.

A request starts one run a lane once its listing is whole. A run is a row of batches, chosen from
recorded states (``choice``); while earlier ones are being applied, ``planned_ahead`` further ones
are under way. A batch is committed when the ledger has applied its last turn; the run stops by the
first stop rule that holds. This module folds; ``starting``, ``deep_dive``, ``rereading``,
``planning`` and ``stops`` decide, in the order of ``steps``; ``giving_up`` where one raises.

Decided here:

- The preview run reads the sources of tier 1 or, where a listing has none, the first 32. They come
  first in the listing, so they are always a prefix of it.
- Limits that are known before reading are kept when a batch is chosen; what depends on what a batch
  brought is judged with its commit (``stops``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from schemas.envelope import Envelope
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    DeepDiveQueued,
    RunStarted,
    RunStopped,
)
from schemas.events.ingestion_request import (
    IngestionRequested,
    RemovalsAccepted,
    RunCancelRequested,
    RunResumeRequested,
    SourceReady,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.events.ledger import LedgerChanged, Turn
from streams.cause import Cause
from streams.run_control.awaiting import find_awaited, repeat_requests
from streams.run_control.deep_dive import dive_key, take_changes
from streams.run_control.giving_up import answer_without
from streams.run_control.rows import (
    Commit,
    LedgerPosition,
    Planned,
    ReadMark,
    Resume,
    RunRow,
    Trigger,
    add_turn,
    batch_key,
    derive_ledger_sources,
)
from streams.run_control.scope import ProjectScope
from streams.run_control.state import RunControlState
from streams.run_control.steps import Steps
from streams.run_control.stops import add_commit
from streams.run_control.views import remember
from streams.stage import Decision, Record, Tables
from streams.undecidable import Trouble

PASSED_OVER = ("atoms", "evidence", "mentions", "contradictions")  # of a change set


class RunControl:
    """See ``streams.stage.Writer``. ``steps`` are what it decides by."""

    name = "run_control"
    inputs = ("ingestion.request.v1", "ledger.v1")
    output = "ingestion.v1"
    state_version = 6  # 6: knows why a model has not read a chunk

    def __init__(self, steps: Steps = Steps()) -> None:  # noqa: B008  # it is immutable
        self._steps = steps

    def open(self, tables: Tables) -> RunControlState:
        return RunControlState(tables)

    def evolve(self, state: RunControlState, record: Record) -> None:
        envelope, event = record.envelope, record.envelope.event
        if event.topic == self.output:
            state.due.had_its_turn(envelope.project_id)
        else:
            state.due.add(envelope.project_id)
        project = state.project(envelope.project_id)
        if not isinstance(event, LedgerChanged):
            _take(project, envelope)
        elif state.order.accepts(project.id, event):
            state.order.take(project.id, event, record.value_hash)
            _take_change_set(project, event, Cause.of(envelope))

    def decide(self, state: RunControlState) -> Decision | None:
        while project := state.due.first():
            for question in self._steps.questions(state.project(project)):
                if decision := question.ask():
                    return decision
            state.due.discard(project)
        return None

    def give_up(self, state: RunControlState, trouble: Trouble, *, whole: bool) -> Decision:
        """See ``giving_up``."""
        project = state.due.first()
        assert project is not None
        return answer_without(state.project(project), self._steps, trouble, whole=whole)

    def pass_over(self, state: RunControlState, record: Record, letter_id: str) -> None:
        """A change set has its place and turn, all else what it has in any case."""
        envelope, event = record.envelope, record.envelope.event
        state.due.add(envelope.project_id)
        project = state.project(envelope.project_id)
        match event:
            case LedgerChanged() if state.order.accepts(project.id, event):
                state.order.take(project.id, event, record.value_hash)
                bare = event.model_copy(update=dict.fromkeys(PASSED_OVER, []))
                _take_change_set(project, bare, Cause.of(envelope))
            case _ if not isinstance(event, LedgerChanged):
                _take(project, envelope)
            case _:
                pass

    def rest(self, state: RunControlState) -> None:
        if project := state.due.first():
            state.due.discard(project)

    def list_awaited(self, state: RunControlState) -> Iterator[str]:
        """What has to be answered before the next batch can be committed, by keys."""
        return find_awaited(state)

    def repeat_requests(self, state: RunControlState, keys: Collection[str]) -> list[Envelope]:
        """The requests behind the keys that are still awaited."""
        return repeat_requests(state, keys)


def _take(project: ProjectScope, envelope: Envelope) -> None:
    """Fold a request or a fact of our own; the first one of a key wins."""
    match event := envelope.event:
        case IngestionRequested():
            _take_request(project, Cause.of(envelope), event)
        case RemovalsAccepted():
            _take_acceptance(project, Cause.of(envelope), event)
        case SourcesListed():
            project.listings.under(event.trigger_key).setdefault(f"{event.part_index:06d}", event)
        case SourcesUnchanged():
            ready = project.ready.under(event.trigger_key)
            for source in event.source_ids:
                ready.setdefault(source, "unchanged")
        case SourceReady():
            _take_answer(project, event.processed)
        case RunCancelRequested():
            project.cancels.setdefault(event.run_id, event)
        case RunResumeRequested():
            resume = Resume(cause=Cause.of(envelope), requested=event)
            project.resumes.under(event.run_id).setdefault(event.request_key, resume)
        case RunStarted():
            run = RunRow(started=event, cause=Cause.of(envelope))
            project.runs.setdefault(event.run_id, run)
        case DeepDiveQueued():
            key = dive_key(event.run_id, event.contradiction_id, event.updated_seq)
            project.dives.setdefault(key, event)
            if view := project.views.get(event.run_id):
                view.dive_into(event)
        case BatchPlanned():
            _take_plan(project, event)
        case BatchCommitted():
            run = project.runs[event.run_id]
            if event.batch_no == run.committed:
                project.runs[event.run_id] = add_commit(run, event)
        case RunStopped():
            _mark_reanchored(project, event)
            stopped = {"stopped": True, "unfinished": event.unfinished_sources}
            _update_run(project, event.run_id, stopped)
        case _:
            pass


def _update_run(project: ProjectScope, run_id: str, changed: dict[str, object]) -> None:
    project.runs[run_id] = project.runs[run_id].model_copy(update=changed)


def _take_request(
    project: ProjectScope, cause: Cause, event: IngestionRequested, accepts_run: str = ""
) -> None:
    arrivals = project.arrivals()
    if event.trigger_key not in arrivals:
        arrival = len(arrivals)
        project.triggers[f"{arrival:08d}"] = Trigger(
            arrival=arrival, cause=cause, requested=event, accepts_run=accepts_run
        )


def _take_acceptance(project: ProjectScope, cause: Cause, event: RemovalsAccepted) -> None:
    """A request whose listing names nothing but what is removed."""
    key = event.trigger_key
    requested = IngestionRequested(
        trigger_key=key, root=event.root, lanes=["deep"], accept_removals=True
    )
    _take_request(project, cause, requested, accepts_run=event.run_id)
    listing = SourcesListed(
        trigger_key=key,
        root=event.root,
        complete=False,
        part_index=0,
        part_count=1,
        removed=event.source_ids,
    )
    project.listings.under(key).setdefault(f"{0:06d}", listing)


def _take_answer(project: ProjectScope, processed: SourceProcessed) -> None:
    source = processed.source.source_id
    known = project.sources.get(source)
    if known is None or processed.revision_seq >= known.revision_seq:
        if known and known.sanitized_hash != processed.sanitized_hash:
            project.earlier.under(source)[f"{known.revision_seq:08d}"] = known
        project.sources[source] = processed
    project.ready.under(processed.trigger_key).setdefault(source, processed.outcome)


def _take_change_set(project: ProjectScope, event: LedgerChanged, cause: Cause) -> None:
    before, summary, turn = project.position, event.summary, event.turn
    begun = before.run_id
    if turn:
        begun = "" if turn.kind == "run_end" else turn.run_id
    take_changes(project, event, turn.run_id if turn else begun, cause)
    project.position = LedgerPosition(
        seq=event.ledger_seq,
        run_id=begun,
        gaps=summary.gaps if summary else before.gaps,
        state_version=summary.state_version if summary else before.state_version,
        summary=summary.model_dump_json() if summary else before.summary,
    )
    if turn:
        _take_turn(project, event, turn, cause)


def _take_turn(project: ProjectScope, event: LedgerChanged, turn: Turn, cause: Cause) -> None:
    for change in event.changes:
        if change.op == "source_settled":
            for source, told in derive_ledger_sources(change, event.ledger_seq).items():
                project.told.under(source)[f"{event.ledger_seq:012d}"] = told
    if turn.chunk_id:
        project.read[turn.chunk_id] = ReadMark(
            run_id=turn.run_id,
            seq=event.ledger_seq,
            poison=turn.outcome == "poison",
            engine=turn.engine,
            error=turn.error,
        )
        for view in project.views.values():
            view.candidates.pop(turn.chunk_id, None)
    if turn.kind == "run_end":
        _end_run(project, event, turn.run_id)
    else:
        key = batch_key(turn.run_id, turn.batch_no)
        known = project.commits.get(key, Commit())
        project.commits[key] = add_turn(known, event, turn, cause)


def _end_run(project: ProjectScope, event: LedgerChanged, run_id: str) -> None:
    if run_id in project.runs:
        gaps = event.summary.gaps if event.summary else []
        _update_run(project, run_id, {"ended_seq": event.ledger_seq, "ended_gaps": gaps})
    project.views.pop(run_id, None)


def _take_plan(project: ProjectScope, event: BatchPlanned) -> None:
    run = project.runs[event.run_id]
    if event.batch_no != run.planned:
        return
    _mark_reanchored(project, event)
    planned = Planned(
        chunk_ids=event.hint.selected_chunk_ids,
        horizon_end=event.horizon_end,
        source_changes=event.source_changes,
        closing=event.closing,
    )
    project.batches[batch_key(event.run_id, event.batch_no)] = planned
    _update_run(project, event.run_id, {"planned": run.planned + 1})
    view = project.views.get(event.run_id)
    if view and view.horizon_end == event.horizon_end:
        remember(view, planned)
    else:
        project.views.pop(event.run_id, None)


def _mark_reanchored(project: ProjectScope, event: BatchPlanned | RunStopped) -> None:
    """A re-anchored chunk counts as read for the runs that begin after this one, by whom it was."""
    after = project.runs[event.run_id].started.basis_seq + 1
    for change in event.source_changes:
        for pair in change.reanchored:
            mark = project.read.get(pair.from_chunk_id) or ReadMark(run_id=event.run_id, seq=after)
            moved = mark.model_copy(update={"run_id": event.run_id, "seq": after})
            project.read.setdefault(pair.to_chunk_id, moved)


RUN_CONTROL = RunControl()
