"""Triggers, runs and batches: from the ingestion topics."""

from __future__ import annotations

from typing import Any

from projections.fold.sources import fields
from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    DeepDiveQueued,
    RunStarted,
    RunStopped,
    SourceChange,
)
from schemas.events.ingestion_request import (
    IngestionRequested,
    RunCancelRequested,
    RunResumeRequested,
    SourcesListed,
    SourcesUnchanged,
)

# A chunk of a batch that was taken back is a candidate again, unless a later batch has it by now.
UNSCHEDULE = (
    "UPDATE chunks SET scheduled_run_id = NULL, scheduled_batch_no = NULL"
    " WHERE scheduled_run_id = %s AND scheduled_batch_no = ANY(%s)"
)
# A complete listing names all that is at the root and no source.
FORGET_NOTICES = (
    "DELETE FROM listing_notices WHERE project_id = %s AND root = %s AND listed_at < %s"
)

STATUS_AFTER = {"cancelled": "cancelled", "undecidable": "failed"}  # by stop reason


def ingestion_requested(rows: Rows, fact: Envelope, event: IngestionRequested) -> None:
    rows.add(
        fact,
        "ingestion_triggers",
        {
            "project_id": fact.project_id,
            "trigger_key": event.trigger_key,
            "trigger": event.trigger,
            "root": event.root,
            "lanes": event.lanes,
            "coverage_target": event.coverage_target,
            "engine": event.engine,
            "limits": event.limits,
            "requested_at": fact.recorded_at,
        },
    )


def sources_listed(rows: Rows, fact: Envelope, event: SourcesListed) -> None:
    trigger = {"project_id": fact.project_id, "trigger_key": event.trigger_key}
    part = {"part_index": event.part_index, "part_count": event.part_count}
    rows.add(fact, "trigger_listings", trigger | part | {"complete": event.complete})
    for position, source in enumerate(event.sources, start=event.part_index * 1_000_000):
        place = {"source_id": source.source_id, "position": position}
        rows.add(fact, "trigger_sources", trigger | place)
    for notice in event.notices:
        row = {"root": event.root, "listed_at": fact.recorded_at}
        rows.add(fact, "listing_notices", fields(notice) | row)
    if event.complete and event.part_index == 0:
        rows.then(FORGET_NOTICES, (fact.project_id, event.root, fact.recorded_at))


def sources_unchanged(rows: Rows, fact: Envelope, event: SourcesUnchanged) -> None:
    for source_id in event.source_ids:
        rows.add(
            fact,
            "trigger_sources",
            {
                "project_id": fact.project_id,
                "trigger_key": event.trigger_key,
                "source_id": source_id,
                "unchanged": True,
            },
        )


def run_started(rows: Rows, fact: Envelope, event: RunStarted) -> None:
    rows.add(
        fact,
        "ingestion_runs",
        {
            "run_id": event.run_id,
            "lane": event.lane,
            "trigger": event.trigger,
            "trigger_key": event.trigger_key,
            "root": event.root,
            "coverage_target": event.coverage_target,
            "engine": event.engine,
            "limits": event.limits,
            "versions": event.versions,
            "basis_seq": event.basis_seq,
            "source_count": event.source_count,
            "source_ids": event.source_ids,
            "resumed_from": event.resumed_from,
            "retry_poison": event.retry_poison,
            "status": "running",
            "started_at": fact.recorded_at,
            "started_event_id": fact.event_id,
        },
    )


def cancel_requested(rows: Rows, fact: Envelope, event: RunCancelRequested) -> None:
    asked = {"run_id": event.run_id, "kind": "cancel", "request_key": event.request_key}
    by = {"actor": fact.actor.id, "requested_at": fact.recorded_at}
    rows.add(fact, "run_requests", asked | by | {"reason": event.reason})


def resume_requested(rows: Rows, fact: Envelope, event: RunResumeRequested) -> None:
    asked = {"run_id": event.run_id, "kind": "resume", "request_key": event.request_key}
    by = {"actor": fact.actor.id, "requested_at": fact.recorded_at}
    rows.add(fact, "run_requests", asked | by | {"retry_poison": event.retry_poison})


def deep_dive_queued(rows: Rows, fact: Envelope, event: DeepDiveQueued) -> None:
    rows.add(fact, "deep_dives", fields(event))


def batch_planned(rows: Rows, fact: Envelope, event: BatchPlanned) -> None:
    rows.add(
        fact,
        "ingestion_batches",
        {
            "run_id": event.run_id,
            "batch_no": event.batch_no,
            "basis_seq": event.basis_seq,
            "horizon_end": event.horizon_end,
            "hint": event.hint,
            "source_changes": event.source_changes,
            "planned_event_id": fact.event_id,
        },
    )
    for chunk_id in event.hint.selected_chunk_ids:
        scheduled = {"scheduled_run_id": event.run_id, "scheduled_batch_no": event.batch_no}
        rows.add(fact, "chunks", {"chunk_id": chunk_id} | scheduled)
    for change in event.source_changes:
        _change_source(rows, fact, event.run_id, change)


def batch_committed(rows: Rows, fact: Envelope, event: BatchCommitted) -> None:
    rows.add(
        fact,
        "ingestion_batches",
        {
            "run_id": event.run_id,
            "batch_no": event.batch_no,
            "ledger_seq": event.ledger_seq,
            "committed_at": fact.recorded_at,
            "tokens": event.counters.tokens,
            "new_atoms": event.counters.atoms_created,
            "new_atoms_per_10k_tokens": event.new_atoms_per_10k_tokens,
            "stop_reason": event.stop_reason,
        },
    )
    if event.last_successful_chunk_id is not None:
        checkpoint = {"last_successful_chunk_id": event.last_successful_chunk_id}
        rows.add(fact, "ingestion_runs", {"run_id": event.run_id} | checkpoint)


def run_stopped(rows: Rows, fact: Envelope, event: RunStopped) -> None:
    rows.add(
        fact,
        "ingestion_runs",
        {
            "run_id": event.run_id,
            "status": STATUS_AFTER.get(event.stop_reason, "stopped"),
            "stop_reason": event.stop_reason,
            "stop_detail": event.stop_detail,
            "batch_count": event.batch_count,
            "sources_processed": event.sources_processed,
            "sources_skipped": event.sources_skipped,
            "chunks_skipped": event.chunks_skipped,
            "withdrawn_batches": event.withdrawn_batches,
            "unfinished_sources": event.unfinished_sources,
            "removals_held": event.removals_held,
            "source_changes": event.source_changes,
            "finished_at": fact.recorded_at,
        }
        | event.totals.model_dump(),
    )
    for change in event.source_changes:
        _change_source(rows, fact, event.run_id, change)
    if event.withdrawn_batches:
        for batch_no in event.withdrawn_batches:
            batch = {"run_id": event.run_id, "batch_no": batch_no}
            rows.add(fact, "ingestion_batches", batch | {"withdrawn": True})
        rows.then(UNSCHEDULE, (event.run_id, event.withdrawn_batches))


def _change_source(rows: Rows, fact: Envelope, run_id: str, change: SourceChange) -> None:
    """A removal counts as long as stage 0 has not answered for the source again, see `sources`."""
    source = {"source_id": change.source_id}
    removed = {"removed_at": fact.recorded_at}
    match change.kind:
        case "duplicate":
            rows.add(fact, "sources", source | {"duplicate_of": change.other_source_id})
        case "revised":
            rows.add(fact, "sources", source | {"duplicate_of": None})
        case "removed":
            rows.add(fact, "sources", source | removed)
        case "renamed":
            rows.add(fact, "sources", source | {"duplicate_of": None})
            rows.add(fact, "sources", {"source_id": change.other_source_id} | removed)
    for pair in change.reanchored:
        reanchored = {"reanchored_from": pair.from_chunk_id, "reanchored_run_id": run_id}
        read = {"chunk_id": pair.to_chunk_id, "read_outcome": "extracted"}
        rows.add(fact, "chunks", read | reanchored)


FOLDS: dict[type[Event], Any] = {
    IngestionRequested: ingestion_requested,
    SourcesListed: sources_listed,
    SourcesUnchanged: sources_unchanged,
    RunCancelRequested: cancel_requested,
    RunResumeRequested: resume_requested,
    RunStarted: run_started,
    DeepDiveQueued: deep_dive_queued,
    BatchPlanned: batch_planned,
    BatchCommitted: batch_committed,
    RunStopped: run_stopped,
}
