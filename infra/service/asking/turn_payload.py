"""The job of a turn, and what it is asked to do."""

from __future__ import annotations

from typing import Any, Literal

from infra.service.foundation.job_kind import Payload
from infra.store.jobs.queue import NewJob
from schemas.events.agent import ConfirmationDecision

ATTEMPTS = 3


class GivenDecision(Payload):
    """What a person has decided about a call; ``given_by`` empty: nobody did in time.
    ``message_key`` is that of the message that said so, if one did.
    """

    confirmation_id: str
    decision: ConfirmationDecision
    arguments: dict[str, Any] | None = None
    reason: str = ""
    given_by: str = ""
    message_key: str = ""


class Fork(Payload):
    """Which turn is gone on with otherwise: its events up to number ``at`` are taken over, that one
    with ``changes``, values by dotted path.
    """

    turn_id: str
    at: int
    changes: dict[str, Any] = {}


class AskedAssistant(Payload):
    """Who is asked instead of the agents of a project: see `RequestReceived`."""

    agent: str
    owner: str
    project: str = ""
    workflow: str = ""
    time_zone: str = ""


TurnEnd = Literal["dead", "cancelled"]


class TurnPayload(Payload):
    """A turn to begin, to go on with after ``given``, or to end since its job has ``ended``, where
    it was ``stopped_by`` somebody with the calls that wait in it declined. One with ``fork`` begins
    like another turn.

    ``assistant`` says that the assistant is asked. ``text``, ``role``, that of who asks, and
    ``attached``, the paths of the sources that came with
    the message, are of a turn to begin: its log has them from then on.
    """

    conversation_id: str
    turn_id: str
    text: str = ""
    role: str = ""
    is_first: bool = False
    attached: list[str] = []
    fork: Fork | None = None
    assistant: AskedAssistant | None = None
    given: GivenDecision | None = None
    ended: TurnEnd | None = None
    stopped_by: str = ""


def turn_job(project_id: str, payload: TurnPayload, key: str, created_by: str) -> NewJob:
    """The job, done after all others of its conversation."""
    return NewJob(
        project_id=project_id,
        job_type="agent_turn",
        key=key,
        payload=payload.model_dump(mode="json", exclude_none=True),
        created_by=created_by,
        priority="urgent",
        max_attempts=ATTEMPTS,
        correlation_id=payload.turn_id,
        serial_key=payload.conversation_id,
    )


def decision_key(turn_id: str, confirmation_id: str) -> str:
    """The key of the job that takes what was decided: there is one, so the first decision wins."""
    return f"{turn_id}|{confirmation_id}"
