"""Run control: single writer of ``ingestion.v1``; turns requests into runs, batches and their ends.

A request starts one run a lane once its listing is whole. A run is a row of batches, chosen from
recorded states (``choice``); while earlier ones are being applied, ``planned_ahead`` further ones
are under way. A batch is committed when the ledger has applied its last turn; the run stops by the
first rule of spec 06 §4 that holds. This module folds; what is decided stands in ``starting``,
``deep_dive``, ``planning`` and ``stops``.

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
from schemas.events.ledger import LedgerChanged
from streams.cause import Cause
from streams.run_control.awaiting import asked, awaited
from streams.run_control.deep_dive import dive_key, start_dive, take_changes
from streams.run_control.planning import plan
from streams.run_control.rereading import start_reread
from streams.run_control.starting import start
from streams.run_control.state import (
    Commit,
    LedgerPlace,
    Planned,
    ReadMark,
    Resume,
    RunControlState,
    RunRow,
    Trigger,
    batch_key,
    commit_after,
    told_by,
)
from streams.run_control.stops import after_commit, commit, stop
from streams.run_control.views import remember
from streams.stage import Decision, Record, Tables


class RunControl:
    """See ``streams.stage.Writer``."""

    name = "run_control"
    inputs = ("ingestion.request.v1", "ledger.v1")
    output = "ingestion.v1"
    state_version = 3  # 3: knows the bytes of the last change set

    def open(self, tables: Tables) -> RunControlState:
        return RunControlState(tables)

    def evolve(self, state: RunControlState, record: Record) -> None:
        project, event = record.envelope.project_id, record.envelope.event
        if event.topic == self.output:
            state.due.had_its_turn(project)
        else:
            state.due.add(project)
        match event:
            case IngestionRequested():
                self._take_request(state, record.envelope, event)
            case RemovalsAccepted():
                self._take_acceptance(state, record.envelope, event)
            case SourcesListed():
                key = f"{project}|{event.trigger_key}|{event.part_index:06d}"
                state.listings.setdefault(key, event)
            case SourcesUnchanged():
                for source in event.source_ids:
                    state.ready.setdefault(f"{project}|{event.trigger_key}|{source}", "unchanged")
            case SourceReady():
                self._take_answer(state, project, event.processed)
            case RunCancelRequested():
                state.cancels.setdefault(f"{project}|{event.run_id}", event)
            case RunResumeRequested():
                key = f"{project}|{event.run_id}|{event.request_key}"
                resume = Resume(cause=Cause.of(record.envelope), requested=event)
                state.resumes.setdefault(key, resume)
            case LedgerChanged():
                if state.order.accepts(project, event):
                    state.order.take(project, event, record.value_hash)
                    self._take_turn(state, record.envelope, event)
            case RunStarted():
                run = RunRow(started=event, cause=Cause.of(record.envelope))
                state.runs.setdefault(f"{project}|{event.run_id}", run)
            case DeepDiveQueued():
                seq, about = event.updated_seq, event.contradiction_id
                state.dives.setdefault(dive_key(project, event.run_id, about, seq), event)
                if view := state.views.get(event.run_id):
                    view.dive_into(event)
            case BatchPlanned():
                self._take_plan(state, project, event)
            case BatchCommitted():
                run = state.runs[f"{project}|{event.run_id}"]
                if event.batch_no == run.committed:
                    state.runs[f"{project}|{event.run_id}"] = after_commit(run, event)
            case RunStopped():
                mark_reanchored(state, project, event)
                key = f"{project}|{event.run_id}"
                ended = {"stopped": True, "unfinished": event.unfinished_sources}
                state.runs[key] = state.runs[key].model_copy(update=ended)
            case _:
                pass

    def decide(self, state: RunControlState) -> Decision | None:
        while project := state.due.first():
            for due in (commit, start, start_dive, start_reread, plan, stop):
                if decision := due(state, project):
                    return decision
            state.due.discard(project)
        return None

    def awaited(self, state: RunControlState) -> Iterator[str]:
        """What has to be answered before the next batch can be committed, by keys."""
        return awaited(state)

    def asked(self, state: RunControlState, keys: Collection[str]) -> list[Envelope]:
        """The requests behind the keys that are still awaited."""
        return asked(state, keys)

    # what is folded

    def _take_request(
        self,
        state: RunControlState,
        envelope: Envelope,
        event: IngestionRequested,
        accepts_run: str = "",
    ) -> None:
        project = envelope.project_id
        known = state.project_triggers(project)
        if all(trigger.requested.trigger_key != event.trigger_key for trigger in known):
            trigger = Trigger(
                arrival=len(known),
                cause=Cause.of(envelope),
                requested=event,
                accepts_run=accepts_run,
            )
            state.triggers[f"{project}|{trigger.arrival:08d}"] = trigger

    def _take_acceptance(
        self, state: RunControlState, envelope: Envelope, event: RemovalsAccepted
    ) -> None:
        """A request whose listing names nothing but what goes."""
        key = event.trigger_key
        requested = IngestionRequested(
            trigger_key=key, root=event.root, lanes=["deep"], accept_removals=True
        )
        self._take_request(state, envelope, requested, accepts_run=event.run_id)
        listing = SourcesListed(
            trigger_key=key,
            root=event.root,
            complete=False,
            part_index=0,
            part_count=1,
            removed=event.source_ids,
        )
        state.listings.setdefault(f"{envelope.project_id}|{key}|{0:06d}", listing)

    def _take_answer(
        self, state: RunControlState, project: str, processed: SourceProcessed
    ) -> None:
        source = processed.source.source_id
        known = state.sources.get(f"{project}|{source}")
        if known is None or processed.revision_seq >= known.revision_seq:
            if known and known.sanitized_hash != processed.sanitized_hash:
                state.earlier[f"{project}|{source}|{known.revision_seq:08d}"] = known
            state.sources[f"{project}|{source}"] = processed
        key = f"{project}|{processed.trigger_key}|{source}"
        state.ready.setdefault(key, processed.outcome)

    def _take_turn(self, state: RunControlState, envelope: Envelope, event: LedgerChanged) -> None:
        project = envelope.project_id
        place = state.place(project)
        summary, turn = event.summary, event.turn
        begun = place.run_id
        if turn:
            begun = "" if turn.kind == "run_end" else turn.run_id
        owner = turn.run_id if turn else begun
        take_changes(state, project, event, owner, Cause.of(envelope))
        state.places[project] = LedgerPlace(
            seq=event.ledger_seq,
            run_id=begun,
            gaps=summary.gaps if summary else place.gaps,
            state_version=summary.state_version if summary else place.state_version,
            summary=summary.model_dump_json() if summary else place.summary,
        )
        if turn:
            for change in event.changes:
                if change.op == "source_settled":
                    for source, told in told_by(change, event.ledger_seq).items():
                        state.told[f"{project}|{source}|{event.ledger_seq:012d}"] = told
            if turn.chunk_id:
                state.read[f"{project}|{turn.chunk_id}"] = ReadMark(
                    run_id=turn.run_id, seq=event.ledger_seq, poison=turn.outcome == "poison"
                )
                for view in state.views.values():
                    view.candidates.pop(turn.chunk_id, None)
            if turn.kind == "run_end":
                key = f"{project}|{turn.run_id}"
                if run := state.runs.get(key):
                    gaps = summary.gaps if summary else []
                    state.runs[key] = run.model_copy(
                        update={"ended_seq": event.ledger_seq, "ended_gaps": gaps}
                    )
                state.views.pop(turn.run_id, None)
            else:
                key = batch_key(project, turn.run_id, turn.batch_no)
                known = state.commits.get(key, Commit())
                state.commits[key] = commit_after(known, event, turn, Cause.of(envelope))

    def _take_plan(self, state: RunControlState, project: str, event: BatchPlanned) -> None:
        key = f"{project}|{event.run_id}"
        run = state.runs[key]
        if event.batch_no != run.planned:
            return
        mark_reanchored(state, project, event)
        planned = Planned(
            chunk_ids=event.hint.selected_chunk_ids,
            horizon_end=event.horizon_end,
            source_changes=event.source_changes,
            closing=event.closing,
        )
        state.batches[batch_key(project, event.run_id, event.batch_no)] = planned
        state.runs[key] = run.model_copy(update={"planned": run.planned + 1})
        view = state.views.get(event.run_id)
        if view and view.horizon_end == event.horizon_end:
            remember(view, planned)
        else:
            state.views.pop(event.run_id, None)


def mark_reanchored(state: RunControlState, project: str, event: BatchPlanned | RunStopped) -> None:
    """A re-anchored chunk counts as read for the runs that begin after this one."""
    after = state.runs[f"{project}|{event.run_id}"].started.basis_seq + 1
    for change in event.source_changes:
        for pair in change.reanchored:
            key = f"{project}|{pair.to_chunk_id}"
            state.read.setdefault(key, ReadMark(run_id=event.run_id, seq=after))


RUN_CONTROL = RunControl()
