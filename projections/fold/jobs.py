"""The history of jobs: one row for each transition, with the whole job as it was after it."""

from __future__ import annotations

import json
from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.job import (
    JobAttemptFailed,
    JobCancelled,
    JobChanged,
    JobClaimed,
    JobDead,
    JobEnqueued,
    JobLeaseExpired,
    JobSucceeded,
)


def fold_transition(rows: Rows, fact: Envelope, event: JobChanged) -> None:
    job = event.job
    texts = {
        "payload": json.loads(job.payload),
        "result": None if job.result is None else json.loads(job.result),
    }
    rows.add(
        fact,
        "job_history",
        job.model_dump()
        | texts
        | {
            "event_type": event.type_name,
            "occurred_at": fact.occurred_at,
            "actor": f"{fact.actor.type}:{fact.actor.id}",
        },
    )


FOLDS: dict[type[Event], Any] = dict.fromkeys(
    (
        JobEnqueued,
        JobClaimed,
        JobLeaseExpired,
        JobAttemptFailed,
        JobSucceeded,
        JobDead,
        JobCancelled,
    ),
    fold_transition,
)
