"""Consultations of the oracle and sessions of the brainstormer, as the events left them."""

from __future__ import annotations

from typing import Any

from projections.rows import Row, Rows
from schemas.envelope import Envelope, Event
from schemas.events.development_talk import (
    BrainstormDesignWritten,
    BrainstormHandedOff,
    BrainstormMessageAdded,
    ConsultationCompleted,
)


def consultation_completed(rows: Rows, fact: Envelope, event: ConsultationCompleted) -> None:
    rows.add(fact, "oracle_consultations", _row(fact, event))


def message_added(rows: Rows, fact: Envelope, event: BrainstormMessageAdded) -> None:
    rows.add(fact, "brainstorm_messages", _row(fact, event, "title"))
    if event.title:
        begun: Row = {
            "brainstorm_id": event.brainstorm_id,
            "title": event.title,
            "started_by": event.author,
            "started_at": fact.occurred_at,
        }
        rows.add(fact, "brainstorm_sessions", begun)


def design_written(rows: Rows, fact: Envelope, event: BrainstormDesignWritten) -> None:
    rows.add(fact, "brainstorm_designs", _row(fact, event))


def handed_off(rows: Rows, fact: Envelope, event: BrainstormHandedOff) -> None:
    row = _row(fact, event) | {"handed_off_by": fact.actor.id}
    rows.add(fact, "brainstorm_handoffs", row)


def _row(fact: Envelope, event: Event, *left_out: str) -> Row:
    return event.model_dump(exclude=set(left_out)) | {"created_at": fact.occurred_at}


FOLDS: dict[type[Event], Any] = {
    ConsultationCompleted: consultation_completed,
    BrainstormMessageAdded: message_added,
    BrainstormDesignWritten: design_written,
    BrainstormHandedOff: handed_off,
}
