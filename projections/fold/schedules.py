"""Scheduled work as the last fact left it, the hours that projects keep, and their heartbeats.

Facts about one piece of work name different columns, and their order counts: so each is a statement
of its own. What comes after a removal changes nothing: the heartbeat may not have seen it yet.
"""

from __future__ import annotations

import json
from typing import Any

from projections.rows import Rows, as_json, upsert_statement
from projections.tables import OPERATIONAL, TABLES
from schemas.envelope import Envelope, Event
from schemas.events.project import SettingsChanged
from schemas.events.schedule import (
    HeartbeatTicked,
    ScheduleCreated,
    ScheduleRemoved,
    ScheduleUpdated,
    WorkItemDeferred,
    WorkItemFinished,
    WorkItemReceived,
    WorkItemRouted,
)

BY_NAME = {table.name: table for table in TABLES}
CHANGE = (
    "UPDATE scheduled_work SET ({columns}) ="
    " (SELECT {columns} FROM json_populate_record(NULL::scheduled_work, %s))"
    " WHERE work_item_id = %s AND status <> 'removed'"
)


def settings_changed(rows: Rows, fact: Envelope, event: SettingsChanged) -> None:
    fields = event.model_dump(exclude_none=True, exclude={"has_no_quiet_hours"})
    if event.has_no_quiet_hours:
        fields["quiet_hours"] = None
    if fields:
        _put(rows, fact, "project_settings", fields)


def schedule_created(rows: Rows, fact: Envelope, event: ScheduleCreated) -> None:
    row = event.model_dump() | {"payload": json.loads(event.payload)}
    begun = {"counts_from": fact.occurred_at, "status": "waiting", "origin": "user"}
    _put(rows, fact, "scheduled_work", row | begun | _creation(fact))


def schedule_updated(rows: Rows, fact: Envelope, event: ScheduleUpdated) -> None:
    fields = event.model_dump(
        exclude_none=True, include={"title", "priority", "recurrence", "next_run_at"}
    )
    if event.has_no_run:
        fields["next_run_at"] = None
    if event.recurrence is not None:
        fields |= {"counts_from": fact.occurred_at, "status": "waiting"}
    _change(rows, fact, event.work_item_id, fields)


def schedule_removed(rows: Rows, fact: Envelope, event: ScheduleRemoved) -> None:
    _change(rows, fact, event.work_item_id, {"status": "removed", "next_run_at": None})


def heartbeat_ticked(rows: Rows, fact: Envelope, event: HeartbeatTicked) -> None:
    rows.add(fact, "heartbeats", event.model_dump())


def work_item_received(rows: Rows, fact: Envelope, event: WorkItemReceived) -> None:
    row = event.model_dump(exclude={"rule", "occasion"}) | {"payload": json.loads(event.payload)}
    begun = {"status": "waiting", "received_at": fact.occurred_at}
    _put(rows, fact, "scheduled_work", row | begun | _creation(fact))


def work_item_routed(rows: Rows, fact: Envelope, event: WorkItemRouted) -> None:
    fields = event.model_dump(include={"due_at", "job_id", "next_run_at"})
    routed = {"status": "routed", "not_before": None, "reason": None}
    times = {"last_run_at": fact.occurred_at, "counts_from": fact.occurred_at}
    _change(rows, fact, event.work_item_id, fields | routed | times)


def work_item_deferred(rows: Rows, fact: Envelope, event: WorkItemDeferred) -> None:
    fields = event.model_dump(include={"not_before", "reason"})
    _change(rows, fact, event.work_item_id, fields)


def work_item_finished(rows: Rows, fact: Envelope, event: WorkItemFinished) -> None:
    result = event.model_dump(include={"outcome", "job_id", "detail"})
    status = "waiting" if event.goes_on else "finished"
    ended = {"status": status, "last_result": result, "not_before": None, "reason": None}
    _change(rows, fact, event.work_item_id, ended)


def _creation(fact: Envelope) -> dict[str, Any]:
    return {"created_at": fact.occurred_at, "created_by": f"{fact.actor.type}:{fact.actor.id}"}


def _put(rows: Rows, fact: Envelope, table: str, row: dict[str, Any]) -> None:
    """The row with these columns is there; others stay as they are."""
    row |= {"project_id": fact.project_id, OPERATIONAL: fact.event_id}
    rows.then(upsert_statement(BY_NAME[table], tuple(row)), (as_json([row]),))


def _change(rows: Rows, fact: Envelope, work_item_id: str, row: dict[str, Any]) -> None:
    row |= {OPERATIONAL: fact.event_id}
    statement = CHANGE.format(columns=", ".join(row))
    rows.then(statement, (as_json(row), work_item_id))


FOLDS: dict[type[Event], Any] = {
    SettingsChanged: settings_changed,
    ScheduleCreated: schedule_created,
    ScheduleUpdated: schedule_updated,
    ScheduleRemoved: schedule_removed,
    HeartbeatTicked: heartbeat_ticked,
    WorkItemReceived: work_item_received,
    WorkItemRouted: work_item_routed,
    WorkItemDeferred: work_item_deferred,
    WorkItemFinished: work_item_finished,
}
