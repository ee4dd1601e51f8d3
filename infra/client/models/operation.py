# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Operation are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model
from infra.client.models.operation_parts import Limits


class AuditRow(Model):
    """``code`` is ``done``, a problem's, or ``begun`` where nobody has written what came of it.

    ``spoken_by``: who has asked on behalf of ``actor``; empty where that is the same person.
    """

    audit_id: int
    at: datetime
    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    reason: str
    spoken_by: str
    status: int | None
    code: str
    correlation_id: str


class Capabilities(Model):
    """``engines`` read and write. ``model`` is asked first; without one nothing leaves the
    machine for a model, and without ``encoder`` likeness is counted in words. ``formats`` are
    suffixes of documents that are read as prose, beside code and configuration. ``areas`` are
    those of this API.
    """

    version: str
    api: str
    engines: list[str]
    model: str | None
    encoder: str | None
    connectors: list[str]
    formats: list[str]
    job_types: list[str]
    roles: list[str]
    areas: list[str]
    limits: Limits


class DeadLetter(Model):
    """What was given up, with place and reason; ``resolved``: it was decided after all."""

    dead_letter_id: str
    project_id: str
    stage: str
    origin_topic: str
    origin_partition: int
    origin_offset: int
    error_class: str
    error: str
    attempts: int
    recorded_at: datetime | None
    resolved: bool = False


class Health(Model):
    status: str


class Readiness(Model):
    """Each part is ``ok``, or says why not, without addresses: anybody may ask."""

    ready: bool
    broker: str
    database: str
    topics: str


class RetriedDeadLetter(Model):
    """``topic``, without prefix, is where the record of a dead letter stood."""

    dead_letter_id: str
    topic: str
