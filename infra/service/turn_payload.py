"""What a job of a turn is asked to do."""

from __future__ import annotations

from typing import Any

from infra.service.job_kind import Payload
from schemas.events.agent import ConfirmationDecision


class GivenDecision(Payload):
    """What a person has decided about a call; ``given_by`` empty: nobody did in time."""

    confirmation_id: str
    decision: ConfirmationDecision
    arguments: dict[str, Any] | None = None
    reason: str = ""
    given_by: str = ""


class TurnPayload(Payload):
    """A turn to begin, or to go on with after ``given``; ``role`` is that of who asks."""

    conversation_id: str
    turn_id: str
    text: str
    role: str
    is_first: bool = False
    given: GivenDecision | None = None
