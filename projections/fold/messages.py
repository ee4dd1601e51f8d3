"""A message to the webhooks of a project: which thing to ask the API about, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.envelope import Envelope
from schemas.events.webhook import WebhookEvent


@dataclass(frozen=True, slots=True)
class Message:
    """News about ``subject``; ``path`` is where the API answers questions about it.

    ``once``: facts that lead to a message with the same one lead to one message.
    """

    event_type: WebhookEvent
    subject: str
    path: str
    data: Mapping[str, Any]
    once: str = ""


def project_path(fact: Envelope) -> str:
    return f"/v1/projects/{fact.project_id}"


def recorded_at_of(fact: Envelope) -> datetime:
    return fact.recorded_at or fact.occurred_at
