# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Views are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model
from infra.client.models.shared import CitingSection


class Artifact(Model):
    """An artifact of a type that has one instance."""

    artifact_id: str
    number: str
    title: str
    artifact_state: str
    version: int
    sections: list[CitingSection]
    content_hash: str
    rendered_markdown: str
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    blocked_by: list[str]
    created_at: datetime | None
    updated_at: datetime


class RemovedItem(Model):
    """An item that says nothing any more."""

    artifact_id: str
    title: str
    why: str | None
    input_ledger_seq: int
