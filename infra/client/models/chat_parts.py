# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Chat are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model


class AttachedDocument(Model):
    """A text with the name of its file, such as `minutes.md`."""

    name: str
    text: str


class ChatMessage(Model):
    """What a person or an agent said; ``engine`` and ``error`` are those of an answer."""

    turn_id: str
    role: str
    author: str
    content: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    sent_at: datetime


class Confirmation(Model):
    """A call that waits for a person, or what was decided of it."""

    confirmation_id: str
    project_id: str
    conversation_id: str
    turn_id: str
    tool: str
    arguments: dict[str, Any]
    summary: str
    requested_at: datetime
    decision: str | None
    changed_arguments: dict[str, Any] | None
    reason: str | None
    given_by: str | None
    given_at: datetime | None


class GraphEdge(Model):
    source: str
    target: str
    is_conditional: bool


class TurnAnswer(Model):
    turn_id: str
    conversation_id: str
    content: str
    author: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    sent_at: datetime
