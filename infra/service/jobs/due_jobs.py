"""The job of work that is due: its own, or a turn of the agents that are asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from infra.service.asking.turn_payload import TurnPayload, turn_job
from infra.service.foundation.job_kind import JobKind
from infra.store.jobs.queue import NewJob
from projections.read.schedules import ScheduledWork
from schemas.events.job import JobType
from schemas.ids import derive_id

Kinds = Mapping[JobType, JobKind]
TURN: JobType = "agent_turn"
ROLE = "viewer"  # nobody is there to answer for a change, and deliveries are words of strangers


def make_job(
    work: ScheduledWork, due_at: datetime, kinds: Kinds, run_at: datetime
) -> NewJob | None:
    """The job, or None where no type of job does such work.

    ``run_at`` is when it will run, on the clocks of the project. Raises Invalid for a payload that
    its type does not take.
    """
    if work.job_type is None:
        return _make_turn(work, due_at) if TURN in kinds else None
    kind = kinds.get(work.job_type)
    if kind is None:
        return None
    given = _dated(kind, work.payload, run_at)
    return NewJob(
        project_id=work.project_id,
        job_type=work.job_type,
        key=_key_of(work, due_at),
        payload=kind.check(given).model_dump(mode="json", exclude_unset=True),
        created_by=work.created_by,
        priority=work.priority,
        correlation_id=work.work_item_id,
    )


def _make_turn(work: ScheduledWork, due_at: datetime) -> NewJob | None:
    """A turn of the work's own conversation, which asks what the work says; None: it says nothing
    that can be asked, as where words stay under a key.
    """
    text = work.payload.get("ask") or (work.title if work.origin == "user" else "")
    if not text:
        return None
    conversation_id = derive_id("cnv", work.project_id, work.work_item_id)
    asked = TurnPayload(
        conversation_id=conversation_id,
        turn_id=derive_id("trn", conversation_id, due_at.isoformat()),
        text=text,
        role=ROLE,
    )
    job = turn_job(work.project_id, asked, _key_of(work, due_at), work.created_by)
    return replace(job, priority=work.priority)


def _key_of(work: ScheduledWork, due_at: datetime) -> str:
    return f"{work.work_item_id}|{due_at.isoformat()}"


def _dated(kind: JobKind, payload: dict[str, Any], run_at: datetime) -> dict[str, Any]:
    """A job that is about a day is about the day on which it runs, where none is given."""
    if "as_of" in kind.payload.model_fields and kind.payload.model_fields["as_of"].is_required():
        return {"as_of": run_at.date().isoformat()} | payload
    return payload
