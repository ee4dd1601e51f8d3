# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Onboarding are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model
from infra.client.models.onboarding_parts import Attached, StageRecord


class ExpectedVersion(Model):
    """``expected_version`` is the version that was looked at; without it the present one."""

    expected_version: int | None = None


class OnboardingRequest(Model):
    """``sources`` are addresses of git repositories, and with the owner's token of the
    installation paths of its machine; none: the sources that the project has.
    """

    sources: list[str] = []


class PipelineEvent(Model):
    """One change; ``seq`` is the version that it led to."""

    seq: int
    event: str
    data: dict[str, Any]
    actor: str
    occurred_at: datetime


class PipelineRecord(Model):
    """A pipeline after a change. ``actions``: what a person may do while it waits for one.

    ``sources`` are read by the pipeline; with none, it goes on from what the project has.
    """

    pipeline_id: str
    idempotency_key: str
    status: str
    current_stage: str
    stages: list[StageRecord]
    sources: list[str] = []
    artifacts: list[Attached] = []
    actions: list[str] = []
    last_checkpoint: str | None = None
    version: int
    created_by: str
    created_at: datetime
    updated_at: datetime


class SkipRequest(Model):
    expected_version: int | None = None
    reason: str
