"""Calls of language models: one row a call, its texts for 90 days, answers for replays, budgets."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.model_calls import (
    AnswerRecorded,
    CallCompleted,
    CallEvent,
    CallFailed,
    CallOverBudget,
    PayloadRecorded,
)
from schemas.events.project import BudgetSet
from schemas.topics import BY_NAME

KEPT = timedelta(milliseconds=BY_NAME[PayloadRecorded.topic].retention_ms)
FORGET = "DELETE FROM llm_call_payloads WHERE expires_at < %s"


def call_told(rows: Rows, fact: Envelope, event: CallEvent) -> None:
    rows.add(
        fact,
        "llm_calls",
        event.call.model_dump()
        | {"correlation_id": fact.correlation_id, "occurred_at": fact.occurred_at},
    )


def payload_recorded(rows: Rows, fact: Envelope, event: PayloadRecorded) -> None:
    at = fact.recorded_at or fact.occurred_at
    rows.add(fact, "llm_call_payloads", event.model_dump() | {"expires_at": at + KEPT})
    rows.then(FORGET, (at,))


def answer_recorded(rows: Rows, fact: Envelope, event: AnswerRecorded) -> None:
    rows.add(fact, "llm_answers", event.model_dump())


def budget_set(rows: Rows, fact: Envelope, event: BudgetSet) -> None:
    rows.add(fact, "budgets", event.model_dump())


FOLDS: dict[type[Event], Any] = {
    CallCompleted: call_told,
    CallFailed: call_told,
    CallOverBudget: call_told,
    PayloadRecorded: payload_recorded,
    AnswerRecorded: answer_recorded,
    BudgetSet: budget_set,
}
