"""Memories and named workflows as the events left them.

What a turn stores is keyed by its conversation, what the owner does by their namespace, so the two
come in any order: each writes columns of its own, and forgetting is final. Two events that store
one memory are the same fact from two turns; the earlier one counts, whichever comes first.
"""

from __future__ import annotations

from typing import Any

from projections.fold.agents import keep_event
from projections.rows import Row, Rows, as_json
from projections.tables import OPERATIONAL
from schemas.envelope import Envelope, Event
from schemas.events.memory import (
    MemoryAdded,
    MemoryEdited,
    MemoryForgotten,
    MemoryStored,
    WorkflowRemoved,
    WorkflowSaved,
)

STORE = f"""
    INSERT INTO memories AS m (memory_id, {{columns}})
    SELECT memory_id, {{columns}} FROM json_populate_record(NULL::memories, %s)
    ON CONFLICT (memory_id) DO UPDATE SET ({{columns}}) = ROW ({{news}})
    WHERE m.namespace = excluded.namespace AND (m.created_at IS NULL OR
        (excluded.created_at, excluded.{OPERATIONAL}) < (m.created_at, m.stored_from_event_id))
"""
EDIT = f"""
    INSERT INTO memories AS m
        (memory_id, project_id, namespace, edited_text, edited_by_key, edited_at, {OPERATIONAL})
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (memory_id) DO UPDATE SET edited_text = excluded.edited_text,
        edited_by_key = excluded.edited_by_key, edited_at = excluded.edited_at,
        {OPERATIONAL} = excluded.{OPERATIONAL}
    WHERE m.forgotten_at IS NULL AND m.namespace = excluded.namespace
"""
FORGET = f"""
    INSERT INTO memories AS m (memory_id, project_id, namespace, forgotten_at, {OPERATIONAL})
    VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (memory_id) DO UPDATE SET text = NULL, edited_text = NULL, edited_by_key = NULL,
        forgotten_at = least(m.forgotten_at, excluded.forgotten_at),
        {OPERATIONAL} = excluded.{OPERATIONAL}
    WHERE m.namespace = excluded.namespace
"""


def memory_stored(rows: Rows, fact: Envelope, event: MemoryStored) -> None:
    keep_event(rows, fact, event)
    place = {"source_thread": event.source_thread, "source_turn": event.turn_id}
    _store(rows, fact, event, place | {"kind": event.kind})


def memory_added(rows: Rows, fact: Envelope, event: MemoryAdded) -> None:
    _store(rows, fact, event, {"source_thread": "", "source_turn": "", "kind": "fact"})


def memory_edited(rows: Rows, fact: Envelope, event: MemoryEdited) -> None:
    place = (event.memory_id, fact.project_id, event.namespace)
    edited = (_text(event.text), event.request_key, fact.occurred_at, fact.event_id)
    rows.then(EDIT, (*place, *edited))


def memory_forgotten(rows: Rows, fact: Envelope, event: MemoryForgotten) -> None:
    place = (event.memory_id, fact.project_id, event.namespace)
    rows.then(FORGET, (*place, fact.occurred_at, fact.event_id))


def workflow_saved(rows: Rows, fact: Envelope, event: WorkflowSaved) -> None:
    kept = {"prompt": event.prompt, "tools": event.tools, "saved_at": fact.occurred_at}
    _keep_workflow(rows, fact, event, kept | {"is_removed": False})


def workflow_removed(rows: Rows, fact: Envelope, event: WorkflowRemoved) -> None:
    kept = {"prompt": None, "tools": None, "saved_at": None}
    _keep_workflow(rows, fact, event, kept | {"is_removed": True})


def _store(rows: Rows, fact: Envelope, event: MemoryStored | MemoryAdded, place: Row) -> None:
    row = event.model_dump(include={"memory_id", "namespace", "text", "replaces"}) | {
        "project_id": fact.project_id,
        "metadata": {"relation": event.relation},
        "created_at": fact.occurred_at,
        "stored_from_event_id": fact.event_id,
        OPERATIONAL: fact.event_id,
    }
    row |= place
    columns = [name for name in row if name != "memory_id"]
    values = {name: f"excluded.{name}" for name in columns}
    values["text"] = "CASE WHEN m.forgotten_at IS NULL THEN excluded.text END"
    news = ", ".join(values.values())
    rows.then(STORE.format(columns=", ".join(columns), news=news), (as_json(row),))


def _keep_workflow(
    rows: Rows, fact: Envelope, event: WorkflowSaved | WorkflowRemoved, kept: Row
) -> None:
    row = {"owner": event.owner, "name": event.name, "last_request": event.request_key}
    rows.add(fact, "assistant_workflows", row | kept)


def _text(text: str) -> str:
    """PostgreSQL has no NUL in text."""
    return text.replace("\0", "\ufffd")


FOLDS: dict[type[Event], Any] = {
    MemoryStored: memory_stored,
    MemoryAdded: memory_added,
    MemoryEdited: memory_edited,
    MemoryForgotten: memory_forgotten,
    WorkflowSaved: workflow_saved,
    WorkflowRemoved: workflow_removed,
}
