"""The audit log: one row for each write that was asked for, and one for what came of it."""

from __future__ import annotations

from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.audit import WriteBegun, WriteEnded


def write_begun(rows: Rows, fact: Envelope, event: WriteBegun) -> None:
    rows.add(
        fact,
        "api_audit",
        event.model_dump() | {"at": fact.occurred_at, "correlation_id": fact.correlation_id},
    )


def write_ended(rows: Rows, fact: Envelope, event: WriteEnded) -> None:
    rows.add(fact, "api_audit_outcomes", event.model_dump() | {"at": fact.occurred_at})


FOLDS: dict[type[Event], Any] = {WriteBegun: write_begun, WriteEnded: write_ended}
