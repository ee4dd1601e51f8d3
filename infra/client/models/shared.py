# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of several areas are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model


class CitedAtom(Model):
    """A citation with the places (``path:line``) its atom was read from, fresh evidence first."""

    atom_id: str
    atom_revision: int
    places: list[str]


class CitingStatement(Model):
    statement_id: str
    text: str
    citations: list[CitedAtom]
    provisional: bool
    confidence: float
    contradiction_ids: list[str]
    artifact_ids: list[str] = []
    written_by: str | None = None
    backed_by: list[str] = []


class CitingSuggestion(Model):
    """What an edited section would say with what is new; the lines of people are among them."""

    statements: list[CitingStatement]
    gap: str
    input_hash: str


class CitingSection(Model):
    section_id: str
    title: str
    state: str
    statements: list[CitingStatement]
    gap: str
    content_hash: str
    input_hash: str
    edited_by: str | None = None
    suggestion: CitingSuggestion | None = None
    removed_atom_ids: list[str] = []
    engine: str = "heuristic"
    model: str | None = None
    prompt_version: str | None = None


class Item(Model):
    """An artifact of a type that has many: insight, epic, feature, task, sprint or report.

    ``fields`` and ``plan`` are what its type has besides statements; ``features`` are those of an
    epic, as number and title.
    """

    artifact_id: str
    number: str
    title: str
    artifact_state: str
    version: int
    sections: list[CitingSection]
    fields: dict[str, Any]
    plan: dict[str, Any]
    quality_tier: str | None
    blocked_by: list[str]
    upstream_artifact_ids: list[str]
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime
    features: list[str]


class SpeculativeArtifact(Model):
    """The sections of an artifact that no settled position has answered yet.

    ``input_ledger_seq`` is that of the youngest.
    """

    artifact_id: str
    title: str
    speculative: bool
    input_ledger_seq: int
    sections: list[CitingSection]


class BurndownDay(Model):
    """The end of a day, in points. ``ideal``: what is left if each day does the same share.

    The others are None for days to come, after the sprint was closed, and as long as no task was in
    it. ``remaining`` is ``scope`` without ``done``; ``added`` and ``dropped`` say how this day
    changed the scope.
    """

    day: str
    ideal: float | None
    remaining: int | None = None
    scope: int | None = None
    done: int | None = None
    added: int | None = None
    dropped: int | None = None


class Burndown(Model):
    """A sprint day by day; days are like ``2026-01-31``. ``committed``: the points it began
    with, None as long as it has not.

    ``closed_on`` is None for a sprint that is open.
    """

    sprint_id: str
    first_day: str
    last_day: str
    closed_on: str | None
    committed: int | None
    days: list[BurndownDay]


class SectionReference(Model):
    artifact_type: str
    artifact_id: str
    section_id: str


class Job(Model):
    """A job; ``transition`` counts what has happened to it. ``progress`` is what its handler
    said last. A lower ``priority`` is served first.
    """

    job_id: str
    project_id: str
    job_type: str
    idempotency_key: str
    priority: int
    status: str
    lease_owner: str | None
    lease_expires_at: datetime | None
    lease_epoch: int
    attempt_count: int
    max_attempts: int
    run_after: datetime
    payload: dict[str, Any]
    result: dict[str, Any] | None
    progress: dict[str, Any] | None
    last_error: str | None
    error_class: str | None
    correlation_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    transition: int


class NewJob(Model):
    """Work for the queue. ``payload`` is what its type takes; ``run_after``: not earlier."""

    job_type: str
    payload: dict[str, Any] = {}
    priority: Literal["urgent", "scheduled", "background"] = "scheduled"
    run_after: datetime | None = None
    max_attempts: int = 5


class Transition(Model):
    """One step of a job: what happened, and how the job was afterwards."""

    transition: int
    event_type: str
    status: str
    lease_owner: str | None
    lease_epoch: int
    attempt_count: int
    run_after: datetime
    last_error: str | None
    error_class: str | None
    occurred_at: datetime
    actor: str
